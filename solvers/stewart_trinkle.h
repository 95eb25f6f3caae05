// Coulomb's problem through an LCP: facetize (solvers/facetize.h), solve by Lemke's method or by projected
// Gauss-Seidel, map back. The answer's residual is the cone's own, which a polygon cannot bring to zero in 3D: an LCP
// solved to the last digit ends as `Stalled` unless the facets happen to be fine enough.
//
// Realignment turns the first direction of every contact against the slip just found and solves again: a sliding
// contact whose force is at a corner of its polygon obeys Coulomb's law exactly, so that a few rounds reach the cone's
// solution with few facets.
#pragma once

#include "solvers/facetize.h"
#include "solvers/lemke.h"

namespace carom {

enum class InnerSolver : std::uint8_t { Lemke, Pgs };
std::string_view name_of(InnerSolver solver);  // "lemke", "pgs"
inline std::array<InnerSolver, 2> choices_of(InnerSolver) { return {InnerSolver::Lemke, InnerSolver::Pgs}; }

struct StewartTrinkleOptions {
  StopOptions stop{.tolerance = 1e-8, .measure = Measure::NaturalMap, .max_iterations = 1000000};
  FacetOptions facet{};
  int realignments = 0;  // rounds after the first
  InnerSolver inner_solver = InnerSolver::Lemke;
  double relaxation = 1;        // pgs only, in (0, 2)
  double lcp_tolerance = 1e-9;  // norm(min(z, M z + q)) / norm(q)
  PivotOptions pivot{};         // lemke only

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    FacetOptions::visit(o.facet, visit);
    visit("realignments", o.realignments, OptionRange{0, 1e6}, "rounds",
          "turn the facets against the slip found and solve again, at most so often");
    visit("inner_solver", o.inner_solver, OptionRange{}, "", "lemke: pivots; pgs: projected Gauss-Seidel sweeps");
    visit("relaxation", o.relaxation, OptionRange{.low = 0, .high = 2, .open = true}, "", "of pgs");
    visit("lcp_tolerance", o.lcp_tolerance, OptionRange{0, 1}, "of |q|", "the LCP counts as solved at this residual");
    PivotOptions::visit(o.pivot, visit);
  }
};

class StewartTrinkle : public Solver {
 public:
  using Options = StewartTrinkleOptions;
  static constexpr std::string_view kName = "stewart_trinkle";
  static constexpr ConeKinds kTakes = {ConeKind::Free, ConeKind::Orthant, ConeKind::Coulomb, ConeKind::Associated};

  explicit StewartTrinkle(const StewartTrinkleOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  StewartTrinkleOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  LcpReport solve_faceted(const FacetedProblem& faceted, int iterations, VectorXd& z) const;

  StewartTrinkleOptions options_;
  StopTest stop_;
};

}  // namespace carom
