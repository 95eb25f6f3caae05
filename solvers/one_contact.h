// One block solved exactly: given its diagonal block W and q, its velocity at r = 0, find r with
//
//     u = W r + q,    K* contains u + s(u),    r in K,    (u + s(u)) . r = 0
//
// Closed cases come first (open, then sticking); sliding in 3D is one scalar equation with a bracket that
// is known in closed form. W may be singular, slightly unsymmetric and of any scale: formulas are
// homogeneous in W and q, and singular directions are given a mobility of 1e-13 of the block's, which is a
// backward error.
#pragma once

#include "solvers/cone.h"

namespace carom {

enum class LocalCase : std::uint8_t {
  Open,   // r = 0
  Stick,  // u = 0
  Slip,   // r on the boundary of its cone
};

// W is dim x dim, row-major; r needs no first guess.
LocalCase solve_block(const Cone& cone, const double* W, const double* q, double* r);

// ---- What depends on W alone, for solvers that visit a block many times. ----

// A friction block in units of its W_nn, with its normal eliminated by u_n = 0:
//
//     W_nn r_n = -(q_n + nt . y),    u_t = S y + b,    b = q_t - lever q_n,    y = W_nn r_t
//     S = W_tt / W_nn - lever nt^T,    nt = W_nt / W_nn,    lever = W_tn / W_nn
//
// and its tangents turned so that the symmetric part of S is diagonal: S = [l1 w; -w l2] with w = 0 for
// symmetric W. Then nothing cancels however far apart l1 and l2 are, and only q has a scale.
struct Elimination {
  double inverse_nn = 0;  // 1 / W_nn; 0 when nothing was eliminated yet
  double nt[2] = {0, 0};  // turned, as is lever
  double lever[2] = {0, 0};
  double s[2] = {1, 1};  // l1, l2 > 0; in the plane l1 alone
  double w = 0;
  double determinant = 1, inverse_determinant = 1;  // of S
  double cosine = 1, sine = 0;                      // of the turn
};
Elimination eliminate_normal(int dim, const double* W);

// r = -W^-1 q, whatever the cone.
void stick_3d(const Elimination& e, const double* q, double* r);
void stick_2d(const Elimination& e, const double* q, double* r);

// alpha, of u_t = -alpha W_nn r_t when the block slid, is a first guess in (0: none) and the answer out.
LocalCase solve_coulomb_3d(const Elimination& e, double mu, const double* q, double& alpha, double* r);
LocalCase solve_coulomb_2d(const Elimination& e, double mu, const double* q, double* r);
// solvers/associated_contact.cpp
LocalCase solve_associated_3d(const Elimination& e, const double* W, double mu, const double* q, double* r);
LocalCase solve_associated_2d(const Elimination& e, const double* W, double mu, const double* q, double* r);

inline constexpr double kFrictionless = 1e-100;  // below this, mu^2 would leave the range of doubles

// P with r = -P q for a Free block: the minimum-norm least-squares solution where W is singular.
void pseudo_inverse(int dim, const double* W, double* P);

}  // namespace carom
