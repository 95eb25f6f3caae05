// Semismooth Newton on the scaled Alart-Curnier function (solvers/contact_function.h): where the contacts' states are
// near those of the solution, a handful of linear solves gives all digits.
//
//     (A + B W) dr = -F(r),    r <- r + t dr,    t by backtracking on |F|^2
//
// Open blocks leave the system: their dr = -r. Sweeps of nsgs bring the states near the solution first, and again
// whenever the line search finds no descent. Redundant contacts make the system singular but consistent: a small
// multiple of A's unit makes it solvable and moves r within the set of solutions only.
//
//   cost of an iteration   dense, n rows not open: 2/3 n^3        sparse: one LU of their blocks of W
#pragma once

#include "solvers/contact_function.h"
#include "solvers/linear_system.h"
#include "solvers/nsgs.h"

namespace carom {

struct NewtonOptions {
  StopOptions stop{.max_iterations = 200};
  int start_sweeps = 20;          // of nsgs before the first iteration and after each failed line search
  double regularization = 1e-12;  // added to A + B W, relative to W's diagonal
  int dense_rows = 300;           // systems up to this size are dense
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("start_sweeps", o.start_sweeps, OptionRange{0, 1e6}, "sweeps",
          "of nsgs before the first iteration and after each line search without descent");
    visit("regularization", o.regularization, OptionRange{0, 1}, "of W's diagonal",
          "added to the Newton matrix, so that redundant contacts do not make it singular");
    visit("dense_rows", o.dense_rows, OptionRange{0, 1e5}, "rows", "systems up to this size are solved densely");
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every iteration");
  }
};

class Newton : public Solver {
 public:
  using Options = NewtonOptions;
  static constexpr std::string_view kName = "newton";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Newton(const NewtonOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  NewtonOptions& options() { return options_; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  void prepare(const ConeProblem& problem);
  double evaluate(const ConeProblem& problem, VectorIn r, VectorIn u);
  bool direction(const ConeProblem& problem, VectorIn r, VectorIn u);
  double line_search(const ConeProblem& problem, VectorOut r, VectorIn u);

  NewtonOptions options_;
  StopTest stop_;
  Nsgs sweeps_;
  LinearSystem system_;
  BlockSparse storage_;            // W assembled, when the problem has factors only
  const BlockSparse* W_ = nullptr;
  std::vector<double> rho_;        // dim / trace(W_ii)
  std::vector<int> place_;         // of a block in the reduced system, or -1: open
  Vector F_;                       // contact function, m/s
  Vector dr_, W_dr_;               // Newton direction, and how it changes u
  Vector trial_r_, trial_u_;
  Vector zero_;
  Vector right_, left_;            // reduced right-hand side and solution
};

}  // namespace carom
