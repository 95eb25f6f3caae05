// The cone problem, the one problem the solver core solves:
//
//     find r:   u = W r + q,    K* contains u + s(u),    r in K,    (u + s(u)) . r = 0     block by block
//
// with W the Delassus operator, q the velocities without contact impulses, and one cone per block
// (solvers/cone.h lists the cones and their shifts s). u is relative velocity in m/s, r impulse in N s,
// W in 1/kg. A ConeProblem is const once built; solvers read it and return r.
//
// The linear complementarity problem  0 <= z  perp  M z + q >= 0  is its own type: M sparse, any.
#pragma once

#include "solvers/delassus.h"

namespace carom {

struct ConeProblem {
  DelassusOperator W;
  Vector q;  // stacked blocks
  Cones cones;
};

struct Lcp {
  Eigen::SparseMatrix<double> M;
  VectorXd q;
};

// Throws InputError naming the contact and the value when sizes disagree, q or W is not finite, mu is
// negative or not finite, a dimension does not fit its kind, or a diagonal block has no positive normal
// entry. Every solver calls it before its first iteration.
void check_problem(const ConeProblem& problem);

// Whether all kinds are in `takes`.
bool takes_all(ConeKinds takes, const Cones& cones);
// Throws InputError naming the first contact whose kind is not.
void check_kinds(std::string_view solver, ConeKinds takes, const Cones& cones);

// The assembled body of W: the problem's own, or `storage` filled from the factors.
const BlockSparse& assembled_body(const ConeProblem& problem, BlockSparse& storage);

// An LCP as a cone problem of Orthant blocks.
ConeProblem to_cone_problem(const Lcp& lcp);

}  // namespace carom
