// Multiple impacts of the papers, built directly as ImpactProblems.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.h"
#include "engine/impact/impact_report.h"

namespace carom {

// A system of point masses (one generalized velocity each) that touch: u = H v, W = H M^-1 H^T.
struct ImpactCase {
  VectorXd mass;                  // kg, per generalized velocity
  VectorXd v;                     // m/s, before
  Eigen::SparseMatrix<double> H;  // rows of the problem
  ImpactProblem problem;

  // v_plus = v + M^-1 H^T p
  VectorXd velocities_after(const VectorXd& p) const { return v + (H.transpose() * p).cwiseQuotient(mass); }
  double energy(const VectorXd& velocities) const { return 0.5 * velocities.cwiseAbs2().cwiseProduct(mass).sum(); }
};

// contacts: one per cone, cones of 1, 2 or 3 rows.
inline ImpactCase make_impact_case(const VectorXd& mass, const VectorXd& v, const Eigen::SparseMatrix<double>& H,
                                   const std::vector<Cone>& cones, const std::vector<ImpactContact>& contacts) {
  ImpactCase made{.mass = mass, .v = v, .H = H, .problem = {}};
  for (const Cone& cone : cones) made.problem.cones.add(cone);
  made.problem.contacts = contacts;
  made.problem.u_minus = H * v;
  made.problem.kinetic_energy = made.energy(v);
  const Eigen::SparseMatrix<double> W = H * mass.cwiseInverse().asDiagonal() * H.transpose();
  made.problem.W = to_block_sparse(W, made.problem.cones);
  return made;
}

// Balls in line, touching: contact i between ball i and ball i + 1, u_i = v_{i+1} - v_i. Where there is one contact
// per ball the last ball touches a wall on its right, u = -v_last.
inline ImpactCase chain_case(const std::vector<double>& masses, const std::vector<double>& velocities,
                             const std::vector<ImpactContact>& contacts) {
  const auto balls = static_cast<int>(masses.size()), count = static_cast<int>(contacts.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(i, i, -1.0);
    if (i + 1 < balls) entries.emplace_back(i, i + 1, 1.0);
  }
  Eigen::SparseMatrix<double> H(count, balls);
  H.setFromTriplets(entries.begin(), entries.end());
  return make_impact_case(Eigen::Map<const VectorXd>(masses.data(), balls),
                          Eigen::Map<const VectorXd>(velocities.data(), balls), H,
                          std::vector<Cone>(contacts.size(), Cone{ConeKind::Orthant, 1, 0}), contacts);
}

// `moving` of `balls` equal balls (mass 1 kg) run at 1 m/s into the others at rest.
inline ImpactCase equal_chain_case(int balls, int moving, const ImpactContact& contact, bool wall = false) {
  const auto count = static_cast<std::size_t>(balls);
  std::vector<double> velocities(count, 0.0);
  for (int i = 0; i < moving; ++i) velocities[static_cast<std::size_t>(i)] = 1;
  return chain_case(std::vector<double>(count, 1.0), velocities,
                    std::vector<ImpactContact>(wall ? count : count - 1, contact));
}

// Bernoulli's problem: ball 2 (mass 1 kg, 1 m/s along x) runs between two equal balls at +-alpha. Generalized
// velocities x1 y1 x2 y2 x3 y3; contact 0 with ball 1 (up), contact 1 with ball 3 (down).
inline ImpactCase bernoulli_case(double alpha, const ImpactContact& upper, const ImpactContact& lower) {
  const double c = std::cos(alpha), s = std::sin(alpha);
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [row, column, value] : std::initializer_list<std::tuple<int, int, double>>{
           {0, 0, c}, {0, 1, s}, {0, 2, -c}, {0, 3, -s}, {1, 4, c}, {1, 5, -s}, {1, 2, -c}, {1, 3, s}})
    entries.emplace_back(row, column, value);
  Eigen::SparseMatrix<double> H(2, 6);
  H.setFromTriplets(entries.begin(), entries.end());
  VectorXd v = VectorXd::Zero(6);
  v[2] = 1;
  return make_impact_case(VectorXd::Ones(6), v, H, std::vector<Cone>(2, Cone{ConeKind::Orthant, 1, 0}), {upper, lower});
}

// What random_impact draws from.
struct RandomImpactMix {
  int least_contacts = 2, most_contacts = 30;
  double stiffness_decades = 6;
  double mass_decades = 2;
  double friction = 0;  // share of contacts with Coulomb friction, mu up to largest_mu
  double largest_mu = 1;
  double exponent = 0;      // 0: 1, 3/2 and others up to 3
  double restitution = -1;  // negative: 0, 1 and anything between
};

// Rigid bodies that touch each other and an immovable one at random places, redundantly or not, and move at random.
// Normals are such that some motion opens all contacts: bodies locked in by their contacts could not rebound.
inline ImpactProblem random_impact(RandomStream& random, const RandomImpactMix& mix) {
  const auto pick = [&](double low, double high) { return random.uniform(low, high); };
  const auto below = [&](int bound) { return static_cast<int>(random.below(static_cast<std::uint64_t>(bound))); };
  ImpactProblem problem;
  DelassusFactors factors;
  const int count = mix.least_contacts + below(mix.most_contacts - mix.least_contacts + 1);
  const int bodies = 1 + below(count + 1);
  std::vector<Twist> v, opening;
  problem.kinetic_energy = 0;
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(10.0, pick(-0.5, 0.5) * mix.mass_decades);
    const Mat3 axes = random.orientation().toRotationMatrix();
    const Vec3 moments = 0.4 * mass * Vec3(1, pick(1, 2), pick(1, 2));
    const bool moves = below(3) > 0;
    const auto vector = [&] {
      return moves ? Vec3(random.normal(), random.normal(), random.normal()) : Vec3::Zero().eval();
    };
    v.push_back({vector(), vector()});
    opening.push_back({random.direction(), random.direction()});
    factors.inverse_mass.push_back({1 / mass, axes.transpose() * moments.cwiseInverse().asDiagonal() * axes});
    problem.kinetic_energy +=
        0.5 * mass * v.back().linear.squaredNorm() +
        0.5 * v.back().angular.dot(axes.transpose() * moments.asDiagonal() * axes * v.back().angular);
  }
  for (int i = 0; i < count; ++i) {
    const bool rough = pick(0, 1) < mix.friction;
    const Cone cone =
        rough ? Cone{ConeKind::Coulomb, 2 + below(2), pick(0, mix.largest_mu)} : Cone{ConeKind::Orthant, 1, 0};
    problem.cones.add(cone);
    const int a = below(bodies), b = below(bodies + 1) - 1;
    factors.bodies.push_back({a, b == a ? -1 : b});
    const Mat3 frame = random.orientation().toRotationMatrix();
    const Vec3 arm_a = random.direction(), arm_b = random.direction();
    for (int k = 0; k < cone.dim; ++k) {
      const Vec3 axis = frame.row(k).transpose();
      factors.rows.push_back({axis, arm_a.cross(axis), -arm_b.cross(axis)});
    }
    double opens = 0;
    add_block_velocity(factors, i, problem.cones.offset(i), 1, opening, &opens);
    FactorRow& normal = factors.rows[static_cast<std::size_t>(problem.cones.offset(i))];
    if (opens < 0) normal = {-normal.linear, -normal.angular_a, -normal.angular_b};
    const int kind = below(4), power = below(3);
    problem.contacts.push_back({.restitution = mix.restitution >= 0 ? mix.restitution
                                               : kind == 0          ? 0.0
                                               : kind == 1          ? 1.0
                                                                    : pick(0, 1),
                                .stiffness = std::pow(10.0, pick(0, mix.stiffness_decades)),
                                .exponent = mix.exponent > 0 ? mix.exponent
                                            : power == 0     ? 1.0
                                            : power == 1     ? 1.5
                                                             : pick(1, 3)});
  }
  problem.W = assemble(factors, problem.cones);
  problem.u_minus = VectorXd::Zero(problem.cones.rows());
  for (int i = 0; i < count; ++i)
    add_block_velocity(factors, i, problem.cones.offset(i), problem.cones.dim(i), v,
                       problem.u_minus.data() + problem.cones.offset(i));
  return problem;
}

}  // namespace carom
