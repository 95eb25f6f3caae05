// PGS, projected Gauss-Seidel with (over-)relaxation (Cryer 1971): contacts are visited in order, and each takes one
// projected step with the impulses of all others held where they are.
//
//   block    r_i <- P_K(r_i - omega rho_i (u_i + s(u_i))),   rho_i = 1/lambda_max(W_ii) or dim/trace(W_ii)
//   scalar   row after row, r_k <- r_k - omega u_k / W_kk; then r_n >= 0, and r_t onto the disk |r_t| <= mu r_n, r_m
//            onto |r_m| <= mu_roll r_n
//
// Cheaper per visit than nsgs and simpler, but the block sweep contracts more slowly where W_ii is far from a multiple
// of the identity. The fixed points of both are the solutions: for Coulomb, projecting on the disk of the present r_n
// is the law of maximal dissipation itself. Associated blocks are always stepped as blocks, since their law is not a
// disk's.
//
//   cost of a sweep   factors: two bodies read and written per block    assembled: every stored block once
#pragma once

#include "solvers/stopping.h"

namespace carom {

// How a block is stepped.
enum class PgsStep : std::uint8_t { Block, Scalar };
std::string_view name_of(PgsStep step);
inline std::array<PgsStep, 2> choices_of(PgsStep) { return {PgsStep::Block, PgsStep::Scalar}; }

// What 1/rho_i is.
enum class PgsScale : std::uint8_t {
  LargestEigenvalue,  // of the symmetric part of W_ii: the sweep cannot diverge with omega < 2 on a convex problem
  MeanEigenvalue,     // trace(W_ii)/dim: longer steps, not safe
};
std::string_view name_of(PgsScale scale);
inline std::array<PgsScale, 2> choices_of(PgsScale) { return {PgsScale::LargestEigenvalue, PgsScale::MeanEigenvalue}; }

struct PgsOptions {
  StopOptions stop;
  double relaxation = 1;  // omega in (0, 2)
  PgsStep step = PgsStep::Scalar;
  PgsScale scale = PgsScale::LargestEigenvalue;  // of block steps
  CheckOptions check;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("relaxation", o.relaxation, OptionRange{.low = 0, .high = 2, .open = true}, "", "length of every step");
    visit("step", o.step, OptionRange{}, "", "block: one projection on the cone; scalar: row after row");
    visit("scale", o.scale, OptionRange{}, "", "of W_ii, by which block steps are divided");
    CheckOptions::visit(o.check, visit);
  }
};

class Pgs : public Solver {
 public:
  using Options = PgsOptions;
  static constexpr std::string_view kName = "pgs";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Pgs(const PgsOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  PgsOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // What one visit of a block reads besides its neighbours.
  struct Block {
    Cone cone;
    int offset = 0;                   // of the block in r and q
    std::ptrdiff_t diagonal = 0;      // of W_ii in diagonal_
    double rho = 0;                   // omega / scale of W_ii
    double rho_tangential = 0;        // omega / largest eigenvalue of W_tt, Coulomb and Rolling blocks
    double rho_rolling = 0;           // omega / largest eigenvalue of W_mm, Rolling blocks
    double velocity_per_impulse = 0;  // trace(W_ii) / dim
  };

  void prepare(const ConeProblem& problem);
  template <class Others>
  double sweep(Others& others, VectorOut r) const;
  template <int Dim, class Others>
  double visit(int i, Others& others, double* r) const;
  void step_block(const Block& block, const double* q, double* r) const;
  void step_rows(const Block& block, const double* q, double* r) const;

  PgsOptions options_;
  StopTest stop_;
  std::vector<Block> blocks_;
  std::vector<double> diagonal_;  // W_ii of all blocks, row-major
};

}  // namespace carom
