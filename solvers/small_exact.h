// Small problems, up to ten blocks (a rock on the ground, a block on its corners), to machine precision in
// microseconds.
//
// An active-set method: a few sweeps of nsgs guess which contacts are open, stick or slide; the equations of those
// states (solvers/contact_function.h) are solved by Newton's method, in dense arrays that are part of the solver; whole
// steps change states as they go. The answer is verified by the shared residual; when the states do not settle, more
// sweeps make a better guess. What is not solved so is left to the other solvers, and the report says so.
#pragma once

#include "solvers/contact_function.h"
#include "solvers/nsgs.h"

namespace carom {

struct SmallExactOptions {
  StopOptions stop{.tolerance = 1e-12, .max_iterations = 100};
  int start_sweeps = 5;  // of nsgs, for the first guess of the states

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("start_sweeps", o.start_sweeps, OptionRange{0, 1e6}, "sweeps",
          "of nsgs, for the first guess of the states; 0: those of the first guess");
  }
};

class SmallExact : public Solver {
 public:
  using Options = SmallExactOptions;
  static constexpr std::string_view kName = "exact";
  static constexpr ConeKinds kTakes = kAllCones;
  static constexpr int kMostBlocks = 10;
  static constexpr int kMostRows = kMostBlocks * kMaxBlockDim;

  explicit SmallExact(const SmallExactOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  SmallExactOptions& options() { return options_; }

  // Throws InputError when the problem has more than kMostBlocks blocks.
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  void prepare(const ConeProblem& problem);
  bool newton_step(const ConeProblem& problem, VectorOut r);
  double evaluate(const ConeProblem& problem, const double* r, const double* u) const;
  bool solve_linear(int n);

  SmallExactOptions options_;
  StopTest stop_;
  Nsgs sweeps_;
  BlockSparse storage_;      // W assembled, when the problem has factors only
  std::vector<double> W_;    // dense, by rows
  double rho_[kMostBlocks];  // dim / trace(W_ii)
  BlockDerivative derivative_[kMostBlocks];
  double F_[kMostRows], dr_[kMostRows], W_dr_[kMostRows], trial_r_[kMostRows], trial_u_[kMostRows];
  int row_[kMostRows];                          // rows of the system in the problem
  double matrix_[kMostRows * (kMostRows + 1)];  // the system's rows, each with its right-hand side last
};

}  // namespace carom
