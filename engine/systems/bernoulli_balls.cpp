#include "engine/systems/bernoulli_balls.h"

#include <fmt/format.h>

#include <cmath>

namespace carom {

namespace {

constexpr std::array<std::array<int, 2>, 3> kPairs = {{{0, 1}, {1, 2}, {0, 2}}};  // balls a and b of each contact

Vec2 centre(VectorIn q, int ball) { return q.segment<2>(3 * ball); }

}  // namespace

BernoulliBalls::BernoulliBalls(const BernoulliBallsParameters& p) : p_(p) {
  check_parameters(kName, p);
  const std::vector<double> targets = spread(kName, "target_mass", p.target_mass, 2);
  mass_ = {targets[0], p.striker_mass, targets[1]};
  radius_ = {p.target_radius, p.striker_radius, p.target_radius};
  const std::vector<double> e = spread(kName, "restitution", p.restitution, 3);
  const std::vector<double> e_t = spread(kName, "tangential_restitution", p.tangential_restitution, 3);
  const std::vector<double> stiffness = spread(kName, "stiffness", p.stiffness, 3);
  for (std::size_t k = 0; k < 3; ++k) laws_[k] = {p.friction, e[k], e_t[k], stiffness[k], p.exponent};
  const double distance = p.striker_radius + p.target_radius + p.gap;
  if (distance * std::sin(p.angle) < p.target_radius * (1 - 1e-12))
    reject_parameter(kName, "angle",
                     fmt::format("must be at least {} rad, or the struck balls overlap; else make them smaller",
                                 std::asin(p.target_radius / distance)),
                     fmt::format("{}", p.angle));
}

std::string BernoulliBalls::coordinate_name(int i) const {
  constexpr const char* kNames[] = {"x", "y", "phi"};
  return fmt::format("{}{}", kNames[i % 3], i / 3 + 1);
}

std::string BernoulliBalls::contact_name(int i) const {
  const auto [a, b] = kPairs.at(static_cast<std::size_t>(i));
  return fmt::format("{}-{}", a + 1, b + 1);
}

LagrangianState BernoulliBalls::initial_state() const {
  LagrangianState start{VectorXd::Zero(9), VectorXd::Zero(9)};
  const double distance = p_.striker_radius + p_.target_radius + p_.gap;
  start.q.segment<2>(0) = distance * Vec2(std::cos(p_.angle), std::sin(p_.angle));
  start.q.segment<2>(6) = distance * Vec2(std::cos(p_.angle), -std::sin(p_.angle));
  start.v[3] = p_.speed;
  return start;
}

void BernoulliBalls::mass_matrix(VectorIn, SparseMatrix& M) const {
  Eigen::Matrix<double, 9, 1> diagonal;
  for (std::size_t ball = 0; ball < 3; ++ball)
    diagonal.segment<3>(static_cast<Eigen::Index>(3 * ball)) =
        mass_[ball] * Vec3(1, 1, 0.4 * radius_[ball] * radius_[ball]);
  set_diagonal(diagonal, M);
}

void BernoulliBalls::force(double, VectorIn, VectorIn, VectorOut F) const { F.setZero(); }

void BernoulliBalls::gaps(double, VectorIn q, VectorOut g) const {
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = kPairs[static_cast<std::size_t>(i)];
    g[i] = (centre(q, a) - centre(q, b)).norm() - radius_[static_cast<std::size_t>(a)] -
           radius_[static_cast<std::size_t>(b)];
  }
}

void BernoulliBalls::contact_rows(double, VectorIn q, int i, ContactRows& rows) const {
  // u_n = n . (v_a - v_b),  u_t = t . (v_a - v_b) - r_a w_a - r_b w_b,  n from b to a, t = k x n
  const auto [a, b] = kPairs.at(static_cast<std::size_t>(i));
  const Vec2 n = (centre(q, a) - centre(q, b)).normalized();
  const Vec2 t = spun(n);
  set_rows(contact_dim(i), {3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2},
           {n.x(), n.y(), 0.0, -n.x(), -n.y(), 0.0},
           {t.x(), t.y(), -radius_[static_cast<std::size_t>(a)], -t.x(), -t.y(), -radius_[static_cast<std::size_t>(b)]},
           rows);
}

std::array<double, 3> BernoulliBalls::contact_bias(double, VectorIn q, VectorIn v, int i) const {
  // The line of centres turns at w = t . (v_a - v_b) / d: dn/dt = w t, dt/dt = -w n.
  const auto [a, b] = kPairs.at(static_cast<std::size_t>(i));
  const Vec2 apart = centre(q, a) - centre(q, b), relative = centre(v, a) - centre(v, b);
  const Vec2 n = apart.normalized(), t = spun(n);
  const double turning = t.dot(relative) / apart.norm();
  return {turning * t.dot(relative), -turning * n.dot(relative), 0};
}

std::vector<double> BernoulliBalls::body_energies(VectorIn, VectorIn v) const {
  std::vector<double> energies(3);
  for (std::size_t ball = 0; ball < 3; ++ball) {
    const Vec3 w = v.segment<3>(static_cast<Eigen::Index>(3 * ball));
    energies[ball] =
        0.5 * mass_[ball] * (w.head<2>().squaredNorm() + 0.4 * radius_[ball] * radius_[ball] * w.z() * w.z());
  }
  return energies;
}

}  // namespace carom
