// Multiple impacts of the papers, built directly as ImpactProblems.
#pragma once

#include <cmath>
#include <vector>

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
  double energy(const VectorXd& velocities) const {
    return 0.5 * velocities.cwiseAbs2().cwiseProduct(mass).sum();
  }
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
  return make_impact_case(VectorXd::Ones(6), v, H, std::vector<Cone>(2, Cone{ConeKind::Orthant, 1, 0}),
                          {upper, lower});
}

}  // namespace carom
