#include "engine/lagrangian.h"

#include <fmt/format.h>

#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "engine/impact/splitting.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Factors of M and rows of H at one position.
struct Geometry {
  MassFactor mass;
  std::vector<ContactRows> rows;
  Cones cones;
};

Geometry geometry_of(const LagrangianSystem& system, double t, VectorIn q, std::span<const int> closed) {
  Geometry g;
  SparseMatrix M;
  system.mass_matrix(q, M);
  if (!g.mass.compute(M))
    throw InputError({"", 0, 0, std::string(system.name())}, "its mass matrix is not positive definite there");
  g.rows.resize(closed.size());
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k] < 0 || closed[k] >= system.contacts())
      throw InputError({"", 0, 0, std::string(system.name())},
                       fmt::format("contacts are numbered from 0 to {}", system.contacts() - 1),
                       fmt::format("{}", closed[k]));
    system.contact_rows(t, q, closed[k], g.rows[k]);
    g.cones.add(contact_cone(system, closed[k]));
  }
  return g;
}

}  // namespace

double LagrangianSystem::smooth_until(double) const { return std::numeric_limits<double>::infinity(); }

std::array<double, 3> LagrangianSystem::contact_bias(double t, VectorIn q, VectorIn v, int i) const {
  // d/ds of u(t + s, q + s v) at fixed v, fourth order: the time step balances s^4 against rounding.
  const int dim = contact_dim(i);
  const double s = 1e-4 / (1 + v.lpNorm<Eigen::Infinity>() * 1e-2);
  ContactRows rows;
  const auto velocity = [&](double shift, double* u) {
    contact_rows(t + shift, q + shift * v, i, rows);
    contact_velocity(rows, dim, v, u);
  };
  double one[3] = {}, minus_one[3] = {}, two[3] = {}, minus_two[3] = {};
  velocity(s, one);
  velocity(-s, minus_one);
  velocity(2 * s, two);
  velocity(-2 * s, minus_two);
  std::array<double, 3> bias = {};
  for (int k = 0; k < dim; ++k) bias[at(k)] = (8 * (one[k] - minus_one[k]) - (two[k] - minus_two[k])) / (12 * s);
  return bias;
}

void set_diagonal(VectorIn diagonal, SparseMatrix& M) {
  const Eigen::Index n = diagonal.size();
  if (M.rows() != n || M.cols() != n || M.nonZeros() != n) {
    M.resize(n, n);
    M.setIdentity();
    M.makeCompressed();
  }
  Eigen::Map<VectorXd>(M.valuePtr(), n) = diagonal;
}

void set_full(const Eigen::Ref<const MatrixXd>& full, SparseMatrix& M) {
  const Eigen::Index n = full.rows();
  if (M.rows() != n || M.cols() != n || M.nonZeros() != n * n) {
    M = MatrixXd::Ones(n, n).sparseView();
    M.makeCompressed();
  }
  Eigen::Map<MatrixXd>(M.valuePtr(), n, n) = full;
}

double kinetic_energy(const LagrangianSystem& system, VectorIn q, VectorIn v) {
  SparseMatrix M;
  system.mass_matrix(q, M);
  return 0.5 * v.dot(M * v);
}

Cone contact_cone(const LagrangianSystem& system, int i) {
  const int dim = system.contact_dim(i);
  CAROM_CHECK(dim >= 1 && dim <= 3, "a contact has one to three directions");
  if (dim == 1) return {ConeKind::Orthant, 1, 0};
  return {ConeKind::Coulomb, dim, system.contact_law(i).friction};
}

std::vector<int> closed_contacts(const LagrangianSystem& system, double t, VectorIn q, double tolerance) {
  VectorXd g(system.contacts());
  system.gaps(t, q, g);
  std::vector<int> closed;
  for (int i = 0; i < system.contacts(); ++i)
    if (g[i] <= tolerance) closed.push_back(i);
  return closed;
}

ImpactProblem impact_of(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed) {
  const Geometry g = geometry_of(system, t, q, closed);
  ImpactProblem problem;
  problem.cones = g.cones;
  DelassusAssembler assembler;
  assembler.assemble(g.mass, g.rows, g.cones, problem.W);
  problem.u_minus.resize(g.cones.rows());
  for (int i = 0; i < g.cones.count(); ++i) {
    contact_velocity(g.rows[at(i)], g.cones.dim(i), v, problem.u_minus.data() + g.cones.offset(i));
    problem.contacts.push_back(
        impact_contact(system.contact_law(closed[at(i)]), system.contact_support(closed[at(i)])));
  }
  problem.kinetic_energy = kinetic_energy(system, q, v);
  return problem;
}

VectorXd velocity_after(const LagrangianSystem& system, double t, VectorIn q, VectorIn v, std::span<const int> closed,
                        VectorIn p) {
  const Geometry g = geometry_of(system, t, q, closed);
  if (p.size() != g.cones.rows())
    throw InputError({"", 0, 0, "impulses"}, fmt::format("must have {} entries", g.cones.rows()),
                     fmt::format("{}", p.size()));
  VectorXd change = VectorXd::Zero(v.size());
  add_momentum(g.rows, g.cones, p, change);
  g.mass.solve(change);
  return v + change;
}

}  // namespace carom
