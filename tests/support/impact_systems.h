// Small systems at the moment of an impact, in generalized coordinates: what impact laws are tried on.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "engine/impact/impact_problem.h"

namespace carom {

struct ImpactSystem {
  MatrixXd M;  // kg, kg m^2
  MatrixXd H;  // u = H v
  VectorXd v;  // before the impact
  ImpactProblem problem;

  VectorXd velocity(const VectorXd& p) const { return v + M.ldlt().solve(H.transpose() * p); }
  double energy(const VectorXd& velocity) const { return 0.5 * velocity.dot(M * velocity); }
};

// W, u_minus and T_minus of a system whose M, H and v are set; one contact per cone, each with these parameters.
inline ImpactProblem impact_problem(const ImpactSystem& system, const Cones& cones, const ImpactContact& contact) {
  ImpactProblem problem;
  problem.cones = cones;
  Eigen::SparseMatrix<double> W;
  if (system.M.isDiagonal(0)) {
    const Eigen::SparseMatrix<double> H = system.H.sparseView();
    W = H * system.M.diagonal().cwiseInverse().asDiagonal() * H.transpose();
  } else {
    W = (system.H * system.M.ldlt().solve(system.H.transpose())).sparseView();
  }
  problem.W = to_block_sparse(0.5 * (W + Eigen::SparseMatrix<double>(W.transpose())), cones);
  problem.u_minus = system.H * system.v;
  problem.contacts.assign(static_cast<std::size_t>(cones.count()), contact);
  problem.kinetic_energy = system.energy(system.v);
  return problem;
}

inline Cones frictionless_cones(int count) {
  Cones cones;
  for (int i = 0; i < count; ++i) cones.add({.kind = ConeKind::Orthant, .dim = 1});
  return cones;
}

// Balls in a row that all touch, positive velocities to the right; contact i is between balls i and i + 1. With a wall
// to the right of the last one that contact comes last.
inline ImpactSystem ball_chain(const std::vector<double>& masses, const std::vector<double>& velocities,
                               bool wall = false, const ImpactContact& contact = {}) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  ImpactSystem system;
  system.M = Eigen::Map<const VectorXd>(masses.data(), n).asDiagonal();
  system.v = Eigen::Map<const VectorXd>(velocities.data(), n);
  const Eigen::Index contacts = wall ? n : n - 1;
  system.H.setZero(contacts, n);
  for (Eigen::Index i = 0; i < contacts; ++i) {
    system.H(i, i) = -1;
    if (i + 1 < n) system.H(i, i + 1) = 1;
  }
  system.problem = impact_problem(system, frictionless_cones(static_cast<int>(contacts)), contact);
  if (wall) system.problem.contacts.back().support = true;
  return system;
}

// A planar block of height l and width L, mass m, on the corners A (left) and B (right) of its base, v = (x, y, theta)
// of the centre, theta counterclockwise. Contact 0 is B, contact 1 is A, as in the papers, where the block turns about
// A and strikes with B. `tilt` turns the block about the origin of its angle; mu < 0 leaves the tangents out.
struct BlockSize {
  double l = 2, L = 1, m = 1;
  double inertia() const { return m * (l * l + L * L) / 12; }
};
inline ImpactSystem planar_block(const BlockSize& size, const Vec3& v, double mu = -1,
                                 const ImpactContact& contact = {}, double tilt = 0) {
  ImpactSystem system;
  system.M = Vec3(size.m, size.m, size.inertia()).asDiagonal();
  system.v = v;
  const int dim = mu < 0 ? 1 : 2;
  system.H.setZero(2 * dim, 3);
  Cones cones;
  for (int i = 0; i < 2; ++i) {
    // Corner from the centre; its velocity is (x - theta_dot r_y, y + theta_dot r_x).
    const Vec2 local((i == 0 ? 0.5 : -0.5) * size.L, -0.5 * size.l);
    const Vec2 r = Eigen::Rotation2Dd(tilt) * local;
    system.H.row(dim * i) = Vec3(0, 1, r.x()).transpose();
    if (dim == 2) system.H.row(dim * i + 1) = Vec3(1, 0, -r.y()).transpose();
    cones.add(dim == 1 ? Cone{.kind = ConeKind::Orthant, .dim = 1}
                       : Cone{.kind = ConeKind::Coulomb, .dim = 2, .mu = mu});
  }
  system.problem = impact_problem(system, cones, contact);
  for (ImpactContact& c : system.problem.contacts) c.support = true;
  return system;
}

// The block as it turns about A at `rate` < 0 and B strikes: sticking, or sliding at the speed given on top of it.
inline Vec3 turning_about_A(const BlockSize& size, double rate) {
  return {-0.5 * size.l * rate, 0.5 * size.L * rate, rate};
}

// What random systems are made of.
struct RandomImpact {
  bool friction = false;
  double largest_mu = 1;
  bool closing = true;  // no contact separates before the impact
  bool one_e = false;   // all contacts share one restitution
  double largest_e = 1;
  double tangential_e = 0;
  bool same_e = false;    // e_t = e_n instead
  bool can_open = false;  // some motion opens all contacts: bodies are not locked in
  double stiffness_decades = 0;
  bool exponents = false;  // eta of 1, 3/2 and others up to 3; else all 3/2
};

// 2 to 30 contacts between rigid bodies in space: masses and inertias over four decades, directions and lever arms at
// random, about one contact in four against a support, about one body in three at rest. Redundant contacts are likely.
inline ImpactSystem random_impact_system(RandomStream& random, const RandomImpact& mix) {
  const int contacts = 2 + static_cast<int>(random.below(29));
  const int bodies = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(contacts) + 1));
  ImpactSystem system;
  system.M.setZero(6 * bodies, 6 * bodies);
  system.v.setZero(6 * bodies);
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(10.0, random.uniform(-2, 2)), radius = random.uniform(0.5, 2);
    for (int k = 0; k < 3; ++k) {
      system.M(6 * b + k, 6 * b + k) = mass;
      system.M(6 * b + 3 + k, 6 * b + 3 + k) = 0.4 * mass * radius * radius * random.uniform(1, 2);
    }
    if (b > 0 && random.below(3) == 0) continue;
    for (int k = 0; k < 6; ++k) system.v[6 * b + k] = random.normal();
  }
  VectorXd opening = VectorXd::Zero(mix.can_open ? 6 * bodies : 0);
  for (double& rate : opening) rate = random.normal();
  Cones cones;
  std::vector<VectorXd> rows;
  for (int i = 0; i < contacts; ++i) {
    const int dim = mix.friction ? 2 + static_cast<int>(random.below(2)) : 1;
    cones.add(dim == 1 ? Cone{.kind = ConeKind::Orthant, .dim = 1}
                       : Cone{.kind = ConeKind::Coulomb, .dim = dim, .mu = random.uniform(0, mix.largest_mu)});
    const int a = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    int b = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    if (a == b || random.below(4) == 0) b = -1;
    const Mat3 frame = random.orientation().toRotationMatrix();
    const Vec3 arm_a = random.direction() * random.uniform(0.5, 1), arm_b = random.direction() * random.uniform(0.5, 1);
    for (int k = 0; k < dim; ++k) {
      const Vec3 axis = frame.row(k);
      VectorXd row = VectorXd::Zero(6 * bodies);
      row.segment<3>(6 * a) += axis;
      row.segment<3>(6 * a + 3) += arm_a.cross(axis);
      if (b >= 0) {
        row.segment<3>(6 * b) -= axis;
        row.segment<3>(6 * b + 3) -= arm_b.cross(axis);
      }
      if (k == 0 && mix.closing && row.dot(system.v) > 0) row = -row;
      if (k == 0 && mix.can_open && row.dot(opening) < 0) row = -row;
      rows.push_back(std::move(row));
    }
  }
  system.H.resize(static_cast<Eigen::Index>(rows.size()), 6 * bodies);
  for (std::size_t k = 0; k < rows.size(); ++k) system.H.row(static_cast<Eigen::Index>(k)) = rows[k].transpose();
  system.problem = impact_problem(system, cones, {});
  const double shared = random.uniform(0, mix.largest_e);
  for (ImpactContact& contact : system.problem.contacts) {
    contact.restitution = mix.one_e ? shared : random.uniform(0, mix.largest_e);
    contact.tangential_restitution = mix.same_e ? contact.restitution : mix.tangential_e;
    if (mix.stiffness_decades > 0) contact.stiffness = std::pow(10.0, random.uniform(0, mix.stiffness_decades));
    if (mix.exponents) {
      const auto kind = random.below(3);
      contact.exponent = kind == 0 ? 1.0 : kind == 1 ? 1.5 : random.uniform(1, 3);
    }
  }
  return system;
}

}  // namespace carom
