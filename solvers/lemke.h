// Lemke's method for  0 <= z  perp  w = M z + q >= 0  (Lemke 1965; Cottle, Pang & Stone 1992, ch. 4):
//
//     w = M z + q + d z0,    d > 0,    z_i w_i = 0 for all i
//
// is solved for a large z0 by z = 0; z0 is then driven to 0 along a path of almost complementary bases. It ends in a
// solution or on a ray; for copositive-plus M (all positive semidefinite ones) a ray means that no z >= 0 has
// M z + q >= 0.
//
// No cycling: leaving variables are chosen by the lexicographic rule on B^-1 [q, p, I] with a generic p, whose column
// is kept along with the solution. It decides nearly all ties; rows of B^-1 are computed only for those that remain.
//
//   cost of a pivot    one sparse solve (solvers/lcp_basis.h), O(n) for the rest
//   memory             the factors of one basis and the exchanges since; nothing dense in n^2
#pragma once

#include <optional>

#include "solvers/stopping.h"

namespace carom {

// The direction d that z0 adds to w, on rows scaled to unit size.
enum class Covering : std::uint8_t {
  Rows,   // 1 per scaled row: the size of the row's largest entry
  Ones,   // 1 per row as given
  Mixed,  // between 1 and 2 per scaled row, all different: breaks the ties that contacts in rows make
};
std::string_view name_of(Covering covering);  // "rows", "ones", "mixed"
inline std::array<Covering, 3> choices_of(Covering) { return {Covering::Rows, Covering::Ones, Covering::Mixed}; }

struct PivotOptions {
  Covering covering = Covering::Mixed;
  int refactor_every = 100;  // pivots, >= 1
  bool warm_start = true;    // start from the basis of the z given, unless that is zero

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("covering", o.covering, OptionRange{}, "", "what z0 adds to w: by row sizes, ones, or mixed sizes");
    visit("refactor_every", o.refactor_every, OptionRange{1, 1e9}, "pivots",
          "a fresh factorization at least this often");
    visit("warm_start", o.warm_start, OptionRange{}, "", "start from the basis of the first guess, unless it is zero");
  }
};

struct LcpOptions {
  double tolerance = 1e-8;  // of LcpReport::residual
  int max_pivots = 1000000;
  double max_seconds = std::numeric_limits<double>::infinity();
  PivotOptions pivot{};
};

// Where the path leaves to infinity: w = M z + d z0 along it, all >= 0, z_i w_i = 0, and z is not 0.
struct LcpRay {
  VectorXd z, w;
  double z0 = 0;
  double violation = 0;            // of what is said above, relative to the sizes involved
  bool proves_infeasible = false;  // M^T z <= 0 and q . z < 0: no z >= 0 has M z + q >= 0
};

struct LcpReport {
  SolveStatus status = SolveStatus::Solved;
  int pivots = 0;
  int sweeps = 0;  // of solvers/lcp_pgs.h, which makes no pivots
  int factorizations = 0;
  int restarts = 0;     // from the basis reached, or with another covering vector
  double residual = 0;  // norm(min(z, M z + q)) / norm(q), recomputed
  double seconds = 0;
  std::string message;
  std::optional<LcpRay> ray;  // with RayTermination and Infeasible

  bool solved() const { return status == SolveStatus::Solved; }
};

// Throws InputError when sizes disagree or a value is not finite.
void check_lcp(const Lcp& lcp, const std::vector<bool>& free);

// norm(min(z, M z + q)) / norm(q), with |M z + q| in the rows where z may have any sign
double lcp_residual(const Lcp& lcp, const std::vector<bool>& free, VectorIn z);

// z: first guess in, answer out. In rows marked free (none, or one flag per row) z may have any sign and w is 0.
LcpReport solve_lcp(const Lcp& lcp, const std::vector<bool>& free, VectorXd& z, const LcpOptions& options = {});
LcpReport solve_lcp(const Lcp& lcp, VectorXd& z, const LcpOptions& options = {});

struct LemkeOptions {
  StopOptions stop{.tolerance = 1e-8, .measure = Measure::NaturalMap, .max_iterations = 1000000};  // iterations: pivots
  PivotOptions pivot{};

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    PivotOptions::visit(o.pivot, visit);
  }
};

class Lemke : public Solver {
 public:
  using Options = LemkeOptions;
  static constexpr std::string_view kName = "lemke";
  static constexpr ConeKinds kTakes = {ConeKind::Orthant, ConeKind::Free};

  explicit Lemke(const LemkeOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  LemkeOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  LemkeOptions options_;
  StopTest stop_;
};

}  // namespace carom
