// When an iterative solver stops, and the report it then gives: the same for all of them.
//
// `Solved` is decided only by residuals recomputed from r. How far the last iteration moved r is a cheap
// hint of when that is worth doing; it is calibrated by each check, so its scale does not matter.
#pragma once

#include "base/timer.h"
#include "solvers/options.h"

namespace carom {

struct CheckOptions {
  int check_every = 25;         // iterations between residuals at most, >= 1
  int stall_checks = 100;       // give up after so many checks without progress; 0: never
  bool record_history = false;  // an entry per check

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    visit("check_every", o.check_every, OptionRange{1, 1e9}, "iterations",
          "residuals are recomputed at least this often");
    visit("stall_checks", o.stall_checks, OptionRange{0, 1e9}, "checks",
          "stalled after so many without progress; 0: never");
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every check in the report");
  }
};

class StopTest {
 public:
  // Makes r a feasible first guess (projected, non-finite blocks zero) and computes W r. Returns false when there
  // is nothing to solve.
  bool start(const ConeProblem& problem, const StopOptions& stop, const CheckOptions& check, VectorOut r);

  // After each iteration. True ends the solve: r is then what report() speaks of.
  bool done(const ConeProblem& problem, double change, VectorOut r);

  SolveReport report();

  // M^-1 H^T r, fresh after start and after each check; a matrix-free solver updates it in between.
  std::vector<Twist>& twists() { return scratch_.twists; }

 private:
  void check(const ConeProblem& problem, double change, VectorOut r);

  StopOptions stop_;
  CheckOptions check_;
  Stopwatch watch_;
  SolveReport report_;
  ResidualScratch scratch_;
  Vector u_;                // W r + q at the last check
  Vector last_finite_;      // r of the last check that was finite
  double check_below_ = 0;  // a change this small is worth a check
  double best_ = 0;         // smallest measured residual, as of the last progress
  int last_check_ = 0;      // iteration
  int checks_without_progress_ = 0;
};

}  // namespace carom
