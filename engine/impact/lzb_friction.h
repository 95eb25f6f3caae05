// Coulomb friction inside an impact, at every instant of it: normal forces N are given by the springs, and tangential
// ones dissipate the most they can,
//
//     sliding:    T = -mu N u_t/|u_t|
//     sticking:   u_t = 0 stays:  (W (N, T))_t = 0  over all sticking contacts,  |T| <= mu N
//
// With N given this is a convex problem (Tresca's, lzb_tresca.h), so forces exist whatever the coupling of normal and
// tangential motion: in Painleve's configurations N grows by compression until sliding has stopped, and nothing jumps.
//
// While every contact is known to slide or to stick, the motion is smooth and the integrator's high-order steps follow
// it. Everything else - contacts that begin or cease to slide, slow sliding in space, whose direction turns fast - is
// left to implicit steps (lzb_implicit.cpp), which need no modes and find them.
//
// Redundant contacts: where sticking rows of W depend on each other, forces that differ by a null vector of W_tt are
// the same force on the bodies. Smooth steps take those of least norm; before their impulses are booked they are
// exchanged, where needed, for equivalent ones inside the cones.
#pragma once

#include "engine/impact/lzb_tresca.h"

namespace carom {

class LzbFriction {
 public:
  // Follows the active set and its contacts' modes, and writes modes back.
  void load(const LzbState& state, const LzbActive& active);
  void save(LzbState& state, const LzbActive& active) const;
  bool empty() const { return contacts_.empty(); }
  int count() const { return static_cast<int>(contacts_.size()); }

  // One contact with friction. mode and direction mirror LzbContact's.
  struct Contact {
    int local = 0;  // in the active set
    int row = 0;    // first tangential local row
    int dim = 1;    // tangential rows
    double mu = 0;
    LzbMode mode = LzbMode::Unsure;
    double direction[2] = {0, 0};
    double block[4] = {0, 0, 0, 0};  // of W_tt
  };
  const std::vector<Contact>& contacts() const { return contacts_; }

  // Contacts faster than `quiet` slide along u_t; slower ones do not.
  void follow(const LzbActive& active, const double* u, double quiet);

  // ---- Smooth steps. ----

  // Fills the tangential rows of k, whose normal rows hold forces without their static part; N are total normal forces.
  // Returns the power that friction dissipates, -sum T . u_t.
  double add_forces(const LzbActive& active, const double* u, const double* N, double quiet, double* k);

  // Whether forces inside the cones hold the sticking contacts against those of k; N are total normal forces. Puts
  // them into k where they do.
  bool holds(const LzbActive& active, const double* N, double* k);

  // Exchanges tangential impulses of sticking contacts that lie outside of their cones for equivalent ones inside.
  // `normal` are total normal impulses, p is changed.
  void exchange(const LzbActive& active, const double* normal, double* p);

  // ---- Implicit steps. ----

  // Tangential forces of one stage: u = base + step W_tt T obeys Coulomb's law with T at the end of it. Fills T by
  // local rows, its old values being the guess.
  void solve_stage(const LzbActive& active, const double* base, double step, const double* N, double* T);

  // Modes that a velocity u and forces k tell, with total normal forces N.
  void read_modes(const LzbActive& active, const double* u, const double* N, const double* k, double quiet);

  double slip_speed(const Contact& c, const double* u) const {
    return c.dim == 1 ? std::abs(u[c.row]) : std::sqrt(u[c.row] * u[c.row] + u[c.row + 1] * u[c.row + 1]);
  }
  // u_t along the direction of sliding.
  double slip_along(const Contact& c, const double* u) const {
    return c.direction[0] * u[c.row] + (c.dim == 2 ? c.direction[1] * u[c.row + 1] : 0.0);
  }

 private:
  void list_sticking(const LzbActive& active);
  void solve_sticking(const LzbActive& active, double* k);
  void multiply_sticking(const LzbActive& active, const Vector& x, Vector& y) const;
  double outside(const double* N, const double* k) const;
  bool hold_within(const LzbActive& active, const double* N, double tolerance, double* k);

  std::vector<Contact> contacts_;
  std::vector<int> sticking_;  // local rows
  std::vector<int> place_;     // per local row: place in sticking_, -1
  std::vector<LzbDisc> discs_;
  LzbTresca tresca_;
  Vector residual_, preconditioned_, search_, product_, answer_;
  Vector motion_, held_;
};

}  // namespace carom
