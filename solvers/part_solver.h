// One part of a problem to its tolerance, whatever it takes: the cascade that `auto` falls back on where sweeps of nsgs
// are not the cheapest way.
//
//   up to ten blocks      exact, in dense arrays
//   a hundred and more    a few iterations of admm from zero: with nearly all contacts sticking its one factorization
//   is
//                         enough
//   then                  newton; ipm, whose last point newton finishes
//   insisting             proximal points with newton inside; sweeps of nsgs to the end; newton once more after each
//
// The best impulses go from one to the next.
#pragma once

#include "solvers/admm.h"
#include "solvers/ipm.h"
#include "solvers/newton.h"
#include "solvers/proximal.h"
#include "solvers/small_exact.h"

namespace carom {

// Counts what each solver did, in the order in which they came in.
class Tally {
 public:
  void clear() { stages_ = {}; }
  void add(std::string_view solver, int iterations, int parts);
  void add(const Tally& other);
  int iterations() const;
  const std::array<Stage, 6>& stages() const { return stages_; }

 private:
  std::array<Stage, 6> stages_;
};

class PartSolver {
 public:
  static constexpr int kLargePart = 100;  // blocks from which one factorization costs as much as many sweeps

  // r: first guess in, best impulses found out. True when solved.
  bool solve(const ConeProblem& part, const StopOptions& stop, VectorOut r, Tally& tally);
  // The slow and sure ways, where that failed.
  bool insist(const ConeProblem& part, const StopOptions& stop, VectorOut r, Tally& tally);

 private:
  template <class S>
  bool run(S& solver, const ConeProblem& part, int iterations, VectorOut r, Tally& tally);
  template <class S>
  bool run_from_zero(S& solver, const ConeProblem& part, int iterations, VectorOut r, Tally& tally);
  double seconds_left() const;

  Stopwatch watch_;
  StopOptions stop_;
  double residual_ = 0;  // of r, as measured
  SmallExact exact_;
  Admm admm_;
  Newton newton_;
  Ipm ipm_;
  Proximal proximal_;
  Nsgs nsgs_;
  Vector trial_;
  ResidualScratch scratch_;
};

}  // namespace carom
