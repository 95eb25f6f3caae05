// Coulomb friction inside an impact, at every instant of it: normal forces N are given by the springs, and tangential
// ones dissipate the most they can,
//
//     sliding:    T = -mu N u_t/|u_t|
//     sticking:   u_t = 0 stays:  (W (N, T))_t = 0  over all sticking contacts,  |T| <= mu N
//
// With N given this is a convex problem (Tresca's), so forces exist whatever the coupling of normal and tangential
// motion: in Painleve's configurations N grows by compression until sliding has stopped, and nothing jumps.
#pragma once

#include "engine/impact/lzb_active.h"

namespace carom {

class LzbFriction {
 public:
  // Follows the active set and its contacts' modes, and writes modes back.
  void load(const LzbState& state, const LzbActive& active);
  void save(LzbState& state, const LzbActive& active) const;
  bool empty() const { return contacts_.empty(); }
  int count() const { return static_cast<int>(contacts_.size()); }

  // One contact with friction. sticks and direction mirror LzbContact's.
  struct Contact {
    int local = 0;  // in the active set
    int row = 0;    // first tangential local row
    int dim = 1;    // tangential rows
    double mu = 0;
    bool sticks = false;
    double direction[2] = {0, 0};
  };
  std::vector<Contact>& contacts() { return contacts_; }
  const std::vector<Contact>& contacts() const { return contacts_; }

  // Fills the tangential rows of k, whose normal rows hold forces without their static part; N are total normal forces.
  // Returns the power that friction dissipates, -sum T . u_t.
  double add_forces(const LzbActive& active, const double* u, const double* N, double quiet, double* k);

  // Who sticks and who slides where, among the contacts that do not slide now (|u_t| <= quiet): the tangential forces
  // that take the most energy from the accelerations, min T . W_tt T / 2 + T . a  over  |T| <= mu N.
  void settle(const LzbActive& active, const double* u, const double* N, double quiet, double* k);

  // Sliding directions follow u_t.
  void follow(const double* u, double quiet);

  // After any change of `sticks`.
  void list_sticking(const LzbActive& active);

  double slip_speed(const Contact& c, const double* u) const {
    return c.dim == 1 ? std::abs(u[c.row]) : std::hypot(u[c.row], u[c.row + 1]);
  }
  // u_t along the direction of sliding.
  double slip_along(const Contact& c, const double* u) const {
    return c.direction[0] * u[c.row] + (c.dim == 2 ? c.direction[1] * u[c.row + 1] : 0.0);
  }
  double force_norm(const Contact& c, const double* k) const { return slip_speed(c, k); }

 private:
  void solve_sticking(const LzbActive& active, double* k);
  void multiply_sticking(const LzbActive& active, const Vector& x, Vector& y) const;

  std::vector<Contact> contacts_;
  std::vector<int> sticking_;  // local rows
  std::vector<int> place_;     // per local row: place in sticking_, -1
  Vector residual_, preconditioned_, search_, product_, answer_;
};

}  // namespace carom
