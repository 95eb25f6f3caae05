// Semismooth Newton on the scaled Alart-Curnier function (solvers/contact_function.h): where the contacts' states are
// near those of the solution, a handful of linear solves gives all digits.
//
//     (A + B W) dr = -F(r),    r <- r + t dr,    t by backtracking on |F|^2
//
// The search is not monotone: |F|^2 must fall below the largest of its last values (Grippo, Lampariello & Lucidi 1986).
// F has kinks wherever a contact changes its state, and a step across them often pays off only after the next ones: of
// 176 variants of FCLIB problems newton alone then solved 170 instead of 156.
//
// Open blocks leave the system: their dr = -r. Sweeps of nsgs bring the states near the solution first, and again
// whenever the line search finds no descent. Redundant contacts make the system singular but consistent: a small
// multiple of A's unit makes it solvable and moves r within the set of solutions only.
//
//   cost of an iteration   one LU of the blocks of W that are not open, or of their bodies (solvers/delassus_system.h)
#pragma once

#include "solvers/contact_function.h"
#include "solvers/delassus_system.h"
#include "solvers/nsgs.h"

namespace carom {

struct NewtonOptions {
  StopOptions stop{.max_iterations = 200};
  int start_sweeps = 20;         // of nsgs before the first iteration
  double regularization = 1e-6;  // first one, added to A + B W, relative to W's diagonal; adapted to the steps' success
  int memory = 10;               // of the line search, iterations
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("start_sweeps", o.start_sweeps, OptionRange{0, 1e6}, "sweeps",
          "of nsgs before the first iteration; more follow whenever a line search finds no descent");
    visit("regularization", o.regularization, OptionRange{0, 1}, "of W's diagonal",
          "added to the Newton matrix at first; adapted to the success of the steps");
    visit("memory", o.memory, OptionRange{1, 1000}, "iterations",
          "the line search compares with the largest |F|^2 of so many; 1: with the last");
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
  double regularization_ = 0;
  std::vector<double> merits_;  // |F|^2 of the last iterations, a ring of options.memory
  std::size_t searches_ = 0;    // since merits_ began
  StopTest stop_;
  Nsgs sweeps_;
  DelassusSystem system_;
  std::vector<Twist> twists_;  // of products with W
  std::vector<double> rho_;    // dim / trace(W_ii)
  std::vector<BlockDerivative> derivatives_;
  std::vector<char> active_;  // per block: not open
  Vector F_;                  // contact function, m/s
  Vector dr_, W_dr_;          // Newton direction, and how it changes u
  Vector trial_r_, trial_u_;
  Vector zero_;
  Vector right_, open_;  // of the linear system; -r on open blocks
};

}  // namespace carom
