// The contact problem before condensation, with the velocities v of all degrees of freedom as unknowns:
//
//     M v = H r + G l + f,    u = H^T v + w,    0 = G^T v + b,    u and r in Coulomb's law contact by contact
//
// H is degrees of freedom x rows of the contacts and G, for bilateral constraints with impulses l, may have no
// columns. Eliminating v gives the cone problem in (r, l), a Free block per column of G:
//
//     W = A^T M^-1 A,    q = A^T M^-1 f + (w, b),    A = [H G]
//
// of rank M.rows() at most, which a method that keeps the factors M and H can use. Siconos writes the same with the
// same signs and other letters: its q is f, its b is w.
#pragma once

#include "solvers/problem.h"

namespace carom {

struct GlobalProblem {
  int dimension = 3;              // 2 or 3: rows per contact
  Eigen::SparseMatrix<double> M;  // kg
  Eigen::SparseMatrix<double> H;
  Eigen::SparseMatrix<double> G;
  VectorXd f;   // N s: M times the velocity without contact impulses
  VectorXd w;   // m/s, rows of the contacts
  VectorXd b;   // m/s, columns of G
  VectorXd mu;  // per contact
};

// The cones of the condensed problem: contacts, then one Free row per column of G.
Cones cones_of(const GlobalProblem& global);

// W assembled. Throws InputError when sizes disagree, a value is not finite or M is singular to working precision.
ConeProblem condense(const GlobalProblem& global);

// v = M^-1 (H r + G l + f), with the impulses (r, l) in one vector.
VectorXd global_velocity(const GlobalProblem& global, VectorIn impulses);

}  // namespace carom
