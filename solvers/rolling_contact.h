// One Rolling block solved exactly: a contact with dry friction and rolling resistance, which share its normal.
//
// The block in units of its W_nn, with the normal eliminated by u_n = 0; x is (t, m), the tangential and the rolling
// part, of one row each in the plane and of two in space:
//
//     W_nn r_n = N = -(q_n + nt . y),    u_x = S y + b,    b = q_x - lever q_n,    y = W_nn r_x
//     S = W_xx / W_nn - lever nt^T,    nt = W_nx / W_nn,    lever = W_xn / W_nn
//
// A part p that slides has u_p = -a_p y_p with a_p > 0 and |y_p| = mu_p N, one that sticks a_p = 0 and |y_p| <= mu_p N:
//
//     (S + diag(a_t, a_m)) y = -b,      phi_p = mu_p N / |y_p| - 1  >= 0  perp  a_p >= 0
//
// phi is nearly linear in a, as the secular equation of a trust region is (Hebden 1973; More & Sorensen 1983), so that
// Newton's method on the two numbers a needs a few steps. Where it fails, N is bracketed. With N held the parts are a
// convex problem on two disks: S is positive definite with W, so that its y(N) is one and continuous. N + q_n + nt .
// y(N) is q_n < 0 at N = 0 and positive once there is room to stick: between them there is a root, whatever W, mu and
// mu_roll. Of several (strong coupling and large coefficients: the paradox of Painleve) it is any.
#pragma once

#include "solvers/one_contact.h"

namespace carom {

// What depends on W alone, for solvers that visit a block many times, and the first guess of a.
struct RollingElimination {
  double inverse_nn = 0;  // 1 / W_nn; 0 when nothing was eliminated yet
  double nt[4], lever[4];
  double S[16];        // rows of dim - 1
  double smallest[4];  // pivots of S: what singular directions get
  double a[2];         // of the last slip
  Elimination single;  // of the normal and the part that resists, where the other has coefficient 0
};
RollingElimination eliminate_rolling(const Cone& cone, const double* W);

LocalCase solve_rolling(const Cone& cone, RollingElimination& e, const double* q, double* r);

}  // namespace carom
