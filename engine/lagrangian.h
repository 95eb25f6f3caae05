// A system in generalized coordinates with unilateral contacts, supplied by a small class:
//
//     M(q) dv/dt = F(t, q, v) + H(t, q)^T r,    dq/dt = v,    gaps g_i(t, q) >= 0,    u = H v + w(t, q)
//
// The same step, solvers and impact laws as for rigid bodies work on it (engine/lagrangian_world.h), and the
// event-driven mode (engine/event_driven.h). engine/systems/ holds a library of them; docs/systems.md tells how to
// write one.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <string>

#include "engine/contact_rows.h"
#include "engine/impact/impact_problem.h"
#include "engine/material.h"

namespace carom {

struct LagrangianState {
  VectorXd q;  // coordinates, m or rad
  VectorXd v;  // dq/dt
};

class LagrangianSystem {
 public:
  virtual ~LagrangianSystem() = default;
  virtual std::string_view name() const = 0;

  // ---- What there is. ----
  virtual int coordinates() const = 0;
  virtual int contacts() const = 0;
  virtual std::string coordinate_name(int i) const = 0;  // "x1", "theta"
  virtual std::string contact_name(int i) const = 0;     // "1-2", "wall", "A"
  virtual PairLaw contact_law(int i) const = 0;          // friction and impact parameters
  virtual int contact_dim(int i) const = 0;              // 1 without friction, 2 in the plane, 3 in space
  virtual LagrangianState initial_state() const = 0;     // at t = 0, as its parameters say

  // ---- How it moves. ----
  virtual void mass_matrix(VectorIn q, SparseMatrix& M) const = 0;              // symmetric, positive definite
  virtual void force(double t, VectorIn q, VectorIn v, VectorOut F) const = 0;  // with centrifugal and inertial terms
  virtual double potential_energy(double t, VectorIn q) const = 0;              // J

  // The first time after t at which forces or supports are not smooth (an entry of a table), s: the event-driven mode
  // ends a step there.
  virtual double smooth_until(double t) const;

  // ---- Where it touches. ----
  virtual void gaps(double t, VectorIn q, VectorOut g) const = 0;  // m, valid for any q the system can reach
  virtual void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const = 0;

  // What du/dt holds beside H dv/dt, (dH/dt) v + dw/dt, m/s^2, dim components. By central differences of the rows along
  // the motion unless overridden; only the event-driven mode asks, which is as accurate as this is.
  virtual std::array<double, 3> contact_bias(double t, VectorIn q, VectorIn v, int i) const;

  // Kinetic energies of its bodies, J: their sum is v . M v / 2; the dispersion index is taken over them.
  virtual std::vector<double> body_energies(VectorIn q, VectorIn v) const = 0;
};

// ---- For those who write systems: M by its diagonal or as a full matrix, without allocation once its size is set.
// ----

void set_diagonal(VectorIn diagonal, SparseMatrix& M);
void set_full(const Eigen::Ref<const MatrixXd>& full, SparseMatrix& M);

// ---- What follows from the above. ----

double kinetic_energy(const LagrangianSystem& system, VectorIn q, VectorIn v);

// Orthant without friction, else Coulomb.
Cone contact_cone(const LagrangianSystem& system, int i);

// Contacts with a gap of at most `tolerance` (m), in increasing order.
std::vector<int> closed_contacts(const LagrangianSystem& system, double t, VectorIn q, double tolerance);

// The impact of the listed contacts at (t, q, v): W = H M^-1 H^T, u_minus, parameters, T_minus.
ImpactProblem impact_of(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed);

// v_plus = v + M^-1 H^T p
VectorXd velocity_after(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed,
                        VectorIn p);

}  // namespace carom
