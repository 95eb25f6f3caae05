// What every solver is: a problem and a first guess in, an answer and an honest report out.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "solvers/residual.h"

namespace carom {

enum class SolveStatus : std::uint8_t {
  Solved,          // the recomputed residual is within the tolerance
  MaxIterations,   // stopped by the iteration limit
  MaxTime,         // stopped by the time limit
  Stalled,         // no more progress; the report tells the residual reached
  NumericalError,  // a value stopped being finite, or a factorization failed
  Infeasible,      // shown to have no solution
  RayTermination,  // a pivoting method left along a ray
};
std::string_view name_of(SolveStatus status);

// Which residual a tolerance speaks of.
enum class Measure : std::uint8_t {
  NaturalMap,  // Residuals::natural_map, relative to |q|: for comparing solvers
  Velocity,    // Residuals::velocity_worst, m/s: for simulations
};
std::string_view name_of(Measure measure);  // "natural_map", "velocity"
inline std::array<Measure, 2> choices_of(Measure) { return {Measure::NaturalMap, Measure::Velocity}; }

struct HistoryEntry {
  int iteration = 0;
  double seconds = 0;
  Residuals residuals;
};

// What a solver had another one do.
struct Stage {
  std::string_view solver;  // "" in places not used
  int iterations = 0;
  int parts = 0;  // independent parts of the problem that it worked on
};

struct SolveReport {
  SolveStatus status = SolveStatus::Solved;
  int iterations = 0;
  Residuals residuals;  // recomputed from r on every exit path
  double seconds = 0;
  std::vector<HistoryEntry> history;  // filled when asked for
  std::array<Stage, 6> stages;        // of solvers that call others, in the order in which they came in
  int parts = 0;                      // independent parts of the problem, where someone looked for them
  std::string message;                // what a person should know, often empty

  bool solved() const { return status == SolveStatus::Solved; }
};

// "nsgs 30 iterations, newton 5 iterations on 2 of 40 parts; " and the message.
std::string told_by(const SolveReport& report);

// The residual that a measure names.
inline double measured(const Residuals& residuals, Measure measure) {
  return measure == Measure::Velocity ? residuals.velocity_worst : residuals.natural_map;
}

class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string_view name() const = 0;
  // So many threads are free for the next solves. Solvers that can use them do, with the same bits; the others stay
  // serial. An option `threads` that asks for more is kept.
  virtual void offer_threads(Threads) {}
  // r is the first guess in and the answer out. Throws InputError on an ill-posed problem, before any
  // iteration; everything numerical is a status.
  virtual SolveReport solve(const ConeProblem& problem, VectorOut r) = 0;
};

}  // namespace carom
