// Accelerations and contact forces of a system whose closed contacts stay closed:
//
//     M dv/dt = F + H^T f,     du/dt = H dv/dt + bias,
//     normal    0 <= f_n  perp  du_n/dt >= 0
//     sliding   f_t = -mu f_n d, with d the direction of sliding
//     sticking  |f_t| <= mu f_n, du_t/dt = 0; or d opposes f_t and du_t/dt = a d, a >= 0, where sticking ends
//
// A mode says which contacts are held and which of those stick; within a mode forces and accelerations are smooth
// functions of the state, by one linear solve. `decide` finds the mode by solving the cone problem on accelerations.
//
// Where contacts are redundant forces are not unique, accelerations are. Of all forces those are taken whose friction
// is shared in proportion to mu f_n: contacts of one body on one floor then reach their limits together.
#pragma once

#include <optional>

#include "engine/lagrangian.h"
#include "solvers/auto_solver.h"

namespace carom {

struct HeldContact {
  int contact = 0;
  bool sticks = false;                       // false: slides, or has no friction
  std::array<double, 2> direction = {0, 0};  // of sliding, in (t1, t2)
  bool operator==(const HeldContact&) const = default;
};
using ContactMode = std::vector<HeldContact>;  // held contacts, increasing

class ContactDynamics {
 public:
  explicit ContactDynamics(const LagrangianSystem& system) : system_(system) {}

  // Everything at (t, q, v) for these contacts. False when M is not positive definite or a value is not finite.
  bool evaluate(double t, VectorIn q, VectorIn v, std::span<const int> contacts);

  // ---- After evaluate. ----
  const Cones& cones() const { return cones_; }        // of the contacts given
  const VectorXd& velocity() const { return u_; }      // relative, stacked
  double force_scale() const { return force_scale_; }  // N: a force below its 1e-9th part is none

  // Forces and accelerations of a mode that holds some of the contacts given. False when the equations contradict.
  bool solve_mode(const ContactMode& mode);
  const VectorXd& force() const { return f_; }         // N, stacked over the contacts given
  const VectorXd& acceleration() const { return a_; }  // dv/dt
  bool redundant() const { return redundant_; }        // the mode's forces are not unique
  void share_friction(const ContactMode& mode);        // of redundant forces, as said above

  // The mode in which all contacts given move on: those with |u_t| > rest_speed slide; those in `sliding` slide that
  // way although they rest. None where no forces solve the problem. Leaves force() and acceleration() of the mode.
  std::optional<ContactMode> decide(double rest_speed, const ContactMode& sliding);

  // x + M^-1 H^T z with the z of least norm for which the chosen rows of H x are those wanted: moves q onto gaps,
  // v onto u. rows: which of the stacked rows; amount: by how much each is to change.
  void shift(std::span<const int> rows, VectorIn amount, VectorOut x) const;

 private:
  // Unknowns x of a mode: f_n of each held contact, f_t of those that stick; f = C x, equations (rows) du/dt = 0.
  struct Unknowns {
    std::vector<int> rows;
    MatrixXd C;
  };
  Unknowns unknowns_of(const ContactMode& mode) const;
  int index_of(int contact) const;
  void set_forces(const VectorXd& f);
  ContactMode read_mode(const ContactMode& tried, const VectorXd& x, double rest) const;
  std::optional<ContactMode> pivot(ContactMode mode, const ContactMode& tried);
  bool obeys(const ContactMode& mode, const ContactMode& tried, ContactMode& better) const;

  const LagrangianSystem& system_;
  std::vector<int> contacts_;
  Cones cones_;
  SparseMatrix M_;
  MassFactor mass_;
  std::vector<ContactRows> rows_;
  MatrixXd H_, Y_, W_;  // Y = M^-1 H^T, W = H Y
  VectorXd a_free_, b_, u_, f_, a_;
  double force_scale_ = 0;
  bool redundant_ = false;
  Auto solver_;
};

}  // namespace carom
