// When an iterative solver stops, and the report it then gives: the same for all of them.
//
// `Solved` is decided only by residuals recomputed from r, and no solver ends worse than it began: unless solved, the
// best r that was looked at, the first guess among them, is what the report speaks of. How far the last iteration moved
// r is a cheap hint of when a check is worth its cost; it is calibrated by each check, so its scale does not matter.
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
  // Call first: checks the problem and starts the clock. Makes r a feasible first guess (projected, non-finite
  // blocks zero) and judges it. Returns false when there is nothing left to solve; with `iterate_anyway` a first guess
  // within the tolerance is improved all the same.
  bool start(const ConeProblem& problem, const StopOptions& stop, const CheckOptions& check, VectorOut r,
             Threads threads = {}, bool iterate_anyway = false);

  // After each iteration, with any measure of how far it moved r (NaN or 0 asks for a check; a method that does not
  // move any more passes 0 and ends as stalled unless solved). True ends the solve: r is then what report() speaks of.
  bool done(const ConeProblem& problem, double change, VectorOut r) { return due(change) && look(problem, change, r); }

  // The two halves of that, for methods that keep their impulses in a form of their own and write r only for a look:
  // counts the iteration and tells whether it is worth one; looks.
  bool due(double change);
  bool look(const ConeProblem& problem, double change, VectorOut r);

  // The same check between iterations, for solvers that work in stages.
  bool check_now(const ConeProblem& problem, VectorOut r);

  // Ends the solve early with this status, unless r or the best r so far is within the tolerance.
  void give_up(const ConeProblem& problem, SolveStatus status, const std::string& why, VectorOut r);

  // A sentence for the report, after those already there.
  void remark(const std::string& sentence);

  SolveReport report();

  const Residuals& residuals() const { return report_.residuals; }  // of the last check
  int iterations() const { return report_.iterations; }
  SolveStatus status() const { return report_.status; }  // once done
  double seconds() const { return watch_.seconds(); }    // since start
  double best() const { return best_; }                  // smallest measured residual so far
  bool just_checked() const { return last_check_ == report_.iterations; }

  // M^-1 H^T r, fresh after start and after each check; a matrix-free solver updates it in between.
  std::vector<Twist>& twists() { return scratch_.twists; }
  // W r + q at the last check.
  const Vector& velocity() const { return u_; }

 private:
  void judge(const ConeProblem& problem, double change, VectorOut r);
  void note_limits();
  void finish(const ConeProblem& problem, SolveStatus status, VectorOut r);

  StopOptions stop_;
  CheckOptions check_;
  Stopwatch watch_;
  SolveReport report_;
  ResidualScratch scratch_;
  Vector u_;                // W r + q at the last check
  Vector best_r_;           // r of the check with the smallest residual
  double best_ = 0;         // its residual
  double progress_ = 0;     // residual as of the last progress
  double check_below_ = 0;  // a change this small is worth a check
  bool out_of_iterations_ = false, out_of_time_ = false;
  int last_check_ = 0;  // iteration
  int checks_without_progress_ = 0;
};

}  // namespace carom
