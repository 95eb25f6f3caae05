// A system in generalized coordinates with unilateral contacts, supplied by a small class:
//
//     M(q) dv/dt = F(t, q, v) + H(t, q)^T r,    dq/dt = v,    gaps g_i(t, q) >= 0,    u = H v + w(t, q)
//
// The same step, solvers and impact laws as for rigid bodies work on it. engine/systems/ holds a library of them.
#pragma once

#include <Eigen/SparseCore>
#include <string>

#include "engine/impact/impact_problem.h"
#include "engine/material.h"

namespace carom {

using SparseMatrix = Eigen::SparseMatrix<double>;

// The rows of one contact: u_k = sum over e of direction[k][e] v[coordinate[e]] + drift[k], k = n, t1, t2.
struct ContactRows {
  std::vector<int> coordinate;                   // that the contact depends on, increasing
  std::array<std::vector<double>, 3> direction;  // the gradient of the gap, then the tangents; dim of them
  std::array<double, 3> drift = {0, 0, 0};       // m/s: the gap's own rate of change, where supports move
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

  // ---- How it moves. ----
  virtual void mass_matrix(VectorIn q, SparseMatrix& M) const = 0;              // symmetric, positive definite
  virtual void force(double t, VectorIn q, VectorIn v, VectorOut F) const = 0;  // with centrifugal and inertial terms
  virtual double potential_energy(double t, VectorIn q) const = 0;              // J

  // ---- Where it touches. ----
  virtual void gaps(double t, VectorIn q, VectorOut g) const = 0;  // m, valid for any q the system can reach
  virtual void contact_rows(double t, VectorIn q, int i, ContactRows& rows) const = 0;

  // Kinetic energies of its bodies, J: their sum is v . M v / 2; the dispersion index is taken over them.
  virtual std::vector<double> body_energies(VectorIn q, VectorIn v) const = 0;
};

// ---- What follows from the above. ----

double kinetic_energy(const LagrangianSystem& system, VectorIn q, VectorIn v);

// The impact of the listed contacts at (t, q, v): W = H M^-1 H^T, u_minus, parameters, T_minus.
ImpactProblem impact_of(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed);

// v_plus = v + M^-1 H^T p
VectorXd velocity_after(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed,
                        VectorIn p);

}  // namespace carom
