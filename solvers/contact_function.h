// The equation a semismooth Newton method solves: one function per block that vanishes where the block's law holds,
// with an element of its generalized derivative,
//
//     dF = A dr + B du,    u = W r + q
//
//   Free          F = u
//   Orthant       F = r - max(0, r - rho u)
//   Coulomb       F_n = r_n - max(0, r_n - rho u_n),   F_t = r_t - P_D(r_t - rho u_t),
//                 D the disk of radius mu max(0, r_n - rho u_n)                 (Alart & Curnier 1991)
//   Rolling       the same, and F_m as F_t with the disk of radius mu_roll max(0, r_n - rho u_n)
//   Associated    F = r - P_K(r - rho u)
//
// all divided by rho = dim / trace(W_ii), so that F is a velocity. A block is open where its projections are zero:
// there F = r / rho and dF = dr / rho, so that it leaves the linear system.
#pragma once

#include "solvers/cone.h"

namespace carom {

struct BlockDerivative {
  double A[kMaxBlockDim * kMaxBlockDim];  // row-major
  double B[kMaxBlockDim * kMaxBlockDim];
  bool open = false;
  bool identity = false;  // A = 0, B = 1: a block that sticks
};

void contact_function(const Cone& cone, const double* r, const double* u, double rho, double* F);
void contact_function(const Cone& cone, const double* r, const double* u, double rho, double* F,
                      BlockDerivative& derivative);

}  // namespace carom
