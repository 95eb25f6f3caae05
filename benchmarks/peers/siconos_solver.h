// Siconos' solvers of the 3D friction-contact problem as contenders beside ours.
//
// What favours them, so that nobody need ask: conversions of the matrix are not timed; limits on iterations are lifted;
// a peer may have several variants (stopping tests, linear solvers) of which the fastest counts; and since Siconos'
// own tests do not measure what ours does (the full one divides by max(|q|, |r|, |u|) instead of |q|, the light one
// looks at the change of r), each solve is tried with native tolerances from 1000 tol downwards in half decades, and
// only the time of the FIRST run whose recomputed residual is within tol is reported, as if that tolerance had been
// known beforehand.
#pragma once

#include "benchmarks/peers/siconos_problem.h"
#include "solvers/comparison.h"

namespace carom::peers {

// One way to call one solver.
struct SiconosVariant {
  int solver = 0;  // SICONOS_FRICTION_3D_...
  MatrixStorage storage = MatrixStorage::Blocks;
  int max_iterations = 0;
  std::function<void(SolverOptions&)> adjust;  // the defaults, may be empty
};

struct SiconosPeer {
  std::string name;
  std::vector<SiconosVariant> variants;
};

// fc3d_nsgs as it comes, with the quartic and with the projecting local solver, nonsmooth Newton (Alart-Curnier)
// without and with a start by extragradient steps, ADMM.
std::vector<SiconosPeer> siconos_peers();

inline constexpr const char* kSiconosDefault = "siconos_nsgs";

Contender siconos_contender(const SiconosPeer& peer);

struct NativeRun {
  double seconds = 0;  // around fc3d_driver
  int iterations = 0;
};
// One call of fc3d_driver in this process from r = 0. Only ever in a child (isolated.h).
NativeRun run_native(const ConeProblem& problem, const SiconosVariant& variant, double tolerance, VectorOut r);

}  // namespace carom::peers
