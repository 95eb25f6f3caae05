// One multiple impact: bodies touch at several contacts at once and some of them approach. Positions stay, velocities
// jump, and all a law needs to know is
//
//     u_plus = u_minus + W p,     W = H M^-1 H^T  at the moment of impact
//
// with local relative velocities u (m/s, separation positive) and impulses p (N s), blocks (n), (n, t) or (n, t1, t2).
#pragma once

#include <limits>

#include "solvers/delassus.h"

namespace carom {

// What a law may want to know of one contact. Friction is in the contact's cone.
struct ImpactContact {
  double restitution = 0;             // e: Newton's kinematic, Poisson's kinetic or LZB's energetic one, by the law
  double tangential_restitution = 0;  // e_t of newton, in [-1, 1]
  double stiffness = 1;               // K, N/m^exponent, > 0; outcomes depend on ratios alone
  double exponent = 1.5;              // eta >= 1 of F = K x^eta: 1 is linear, 3/2 is Hertz's
  double preload = 0;                 // N, >= 0: normal force that presses the contact before the impact
  bool support = false;               // one of its bodies cannot be moved: what `binary` takes for a wall
};

struct ImpactProblem {
  BlockSparse W;                                                     // 1/kg
  Cones cones;                                                       // Orthant or Coulomb
  VectorXd u_minus;                                                  // m/s
  std::vector<ImpactContact> contacts;                               // one per block
  double kinetic_energy = std::numeric_limits<double>::quiet_NaN();  // T_minus of the whole system, J; NaN: not known
};

// Throws InputError naming the contact and the value: sizes that disagree, values that are not finite, cones other than
// Orthant and Coulomb, a diagonal block without a positive normal entry (a contact between fixed bodies),
// tangential_restitution outside [-1, 1], restitution < 0, stiffness <= 0, exponent < 1, preload < 0. Upper limits of
// restitution are the laws' own. Every law calls it first.
void check_impact(const ImpactProblem& problem);

// Entry (n, n) of block (i, j) of W, 1/kg; 0 where none is stored.
double normal_entry(const BlockSparse& W, int i, int j);

// u_plus = u_minus + W p
VectorXd velocity_after(const ImpactProblem& problem, VectorIn p);

// The largest approach speed -u_n over all contacts, m/s; 0 when none approaches.
double approach_speed(const ImpactProblem& problem);

}  // namespace carom
