// Cone problems as FCLIB files (HDF5, local form), for other programs and for `carom solve`.
#pragma once

#include <string>

#include "solvers/problem.h"

namespace carom {

// W (compressed columns), q, mu and the space dimension. All blocks must be Coulomb cones of one dimension, 2 or
// 3: InputError otherwise, since FCLIB knows no others. Values need not be finite: failed solves are dumped too.
// Throws OutputError; `file` is replaced in one step.
void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title);

// The same, with an impulse r as FCLIB's first guess (and its velocity u = W r + q).
void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title, VectorIn guess);

}  // namespace carom
