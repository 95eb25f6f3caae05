// Our problems as Siconos takes them. Made anew for every solve, since some of its solvers change what they are given;
// never within a measured time.
#pragma once

#include <FrictionContactProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include <memory>

#include "solvers/problem.h"

namespace carom::peers {

enum class MatrixStorage : std::uint8_t {
  Blocks,   // NM_SPARSE_BLOCK: what its Gauss-Seidel wants
  Entries,  // NM_SPARSE, both as triplets and by compressed columns: what Newton and ADMM want
};

struct FreeProblem {
  void operator()(FrictionContactProblem* problem) const { frictionContactProblem_free(problem); }
};
struct FreeOptions {
  void operator()(SolverOptions* options) const { solver_options_delete(options); }
};
using SiconosProblem = std::unique_ptr<FrictionContactProblem, FreeProblem>;
using SiconosOptions = std::unique_ptr<SolverOptions, FreeOptions>;

// All blocks must be Coulomb cones of dimension 3.
SiconosProblem to_siconos(const ConeProblem& problem, MatrixStorage storage);

// M of an LCP, dense: what its Lemke wants.
NumericsMatrix* to_siconos_dense(const Eigen::SparseMatrix<double>& M);

}  // namespace carom::peers
