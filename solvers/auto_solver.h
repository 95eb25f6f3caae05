// The default: the fastest sure way by size and tolerance. Rules were measured on real problems (docs/solvers.md).
//
//   1. sweeps of nsgs, on the body of W that is there
//   2. after each batch the problem's independent components that are not solved yet choose: the rate of the last
//      sweeps tells how many are left, and counts of operations what those and a direct solve cost. Counts, not clocks:
//      a run can be repeated. Where the count needs the fill of a factorization, it comes from an elimination order.
//   3. components for which a direct solve is cheaper get it (solvers/part_solver.h); the others are swept on
//
// The best iterate is kept throughout; the report tells what ran. Where W comes as
// factors, it is never assembled as a whole: only components are whose linear systems are cheaper among contacts than
// among bodies (solvers/delassus_system.h).
#pragma once

#include "solvers/components.h"
#include "solvers/part_solver.h"

namespace carom {

struct AutoOptions {
  StopOptions stop{.max_iterations = 100000};
  int threads = 1;
  bool record_history = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& visit) {
    StopOptions::visit(o.stop, visit);
    visit("threads", o.threads, OptionRange{1, 1024}, "", "at work in sweeps of large problems; changes no bit");
    visit("record_history", o.record_history, OptionRange{}, "", "keep the residuals of every stage");
  }
};

class Auto : public Solver {
 public:
  using Options = AutoOptions;
  static constexpr std::string_view kName = "auto";
  static constexpr ConeKinds kTakes = kAllCones;

  explicit Auto(const AutoOptions& options = {}) : options_(options) {}

  std::string_view name() const override { return kName; }
  AutoOptions& options() { return options_; }
  void offer_threads(Threads threads) override { offered_ = threads; }
  SolveReport solve(const ConeProblem& problem, VectorOut r) override;

 private:
  // What is known of a component.
  struct Part {
    int bodies = 0;                                          // movable ones, where W comes as factors
    double blocks = 0;                                       // of W
    double error = std::numeric_limits<double>::infinity();  // relative to its share of the tolerance
    double direct = -1;                                      // cost of a direct solve, ns; -1: not known
    bool given_up = false;                                   // a direct solve did not reach the tolerance
  };

  bool sweep(const ConeProblem& problem, int most, VectorOut r);
  bool solve_parts(const ConeProblem& problem, int sweeps, VectorOut r);
  void find_parts(const ConeProblem& problem);
  // Who solves parts directly: one for each thread.
  struct Worker {
    PartCopy copy;
    int copied = -1;  // the component in copy
    PartSolver direct;
  };
  bool solve_directly(const ConeProblem& problem, int c, Worker& worker, Tally& tally, VectorOut r) const;
  void solve_small(const ConeProblem& problem, Threads threads, VectorOut r);
  bool direct_pays(const ConeProblem& problem, int c, double before, int sweeps, VectorIn r);
  double direct_cost(const ConeProblem& problem, int c, double worth, VectorIn r);
  void measure_parts(const ConeProblem& problem, VectorIn r, VectorIn u);
  const ConeProblem& part_problem(const ConeProblem& problem, int c, Worker& worker, VectorIn r) const;
  Threads threads() const { return {std::max(options_.threads, offered_.count)}; }
  double seconds_left() const;

  AutoOptions options_;
  Threads offered_;
  StopTest stop_;
  Nsgs nsgs_;
  int sweeps_ = 0;       // of nsgs on the whole
  bool halted_ = false;  // sweeps move nothing any more, or not to finite numbers
  ComponentFinder finder_;
  Components components_;     // find_parts; empty before
  BodyActions actions_;       // find_parts
  std::vector<int> part_of_;  // find_parts: per block
  std::vector<Part> parts_;
  std::vector<double> errors_;  // measure_parts
  std::vector<Worker> workers_;
  std::vector<int> small_;            // components of few blocks to be solved directly
  std::vector<Tally> small_tallies_;  // of each
  DelassusSystem fill_;               // direct_cost: elimination order
  Tally tally_;
  double norm_q_ = 1;
};

}  // namespace carom
