#include "engine/systems/triple_contact.h"

#include <algorithm>
#include <cmath>

namespace carom {

TripleContact::TripleContact(const TripleContactParameters& p) : p_(p) {
  check_parameters(kName, p);
  hinge_ = point_of(kName, "hinge", p.hinge);
  centre_ = point_of(kName, "arm_centre", p.arm_centre);
  tip_ = point_of(kName, "tip", p.tip);
  support_a_ = point_of(kName, "support_a", p.support_a);
  support_b_ = point_of(kName, "support_b", p.support_b);
  restitution_ = spread(kName, "restitution", p.restitution, 3);
  stiffness_ = spread(kName, "stiffness", p.stiffness, 3);
  check_start(*this);
}

std::string TripleContact::coordinate_name(int i) const {
  constexpr const char* kNames[] = {"x", "y", "phi", "psi"};
  return kNames[i];
}

PairLaw TripleContact::contact_law(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return {p_.friction, restitution_.at(k), p_.tangential_restitution, stiffness_.at(k), p_.exponent};
}

LagrangianState TripleContact::initial_state() const {
  LagrangianState start{VectorXd::Zero(4), VectorXd::Zero(4)};
  start.q << 0, -std::min(support_a_.y(), support_b_.y()), 0, p_.arm_angle;
  start.v[3] = p_.arm_velocity;
  return start;
}

TripleContact::Arms TripleContact::arms_of(VectorIn q, const Vec2& in_body, const Vec2& in_arm) const {
  return {turned(q[2], in_body), turned(q[2] + q[3], in_arm)};
}

TripleContact::Arms TripleContact::contact_arms(VectorIn q, int i) const {
  if (i == 2) return arms_of(q, hinge_, tip_);
  return arms_of(q, i == 0 ? support_a_ : support_b_, Vec2::Zero());
}

void TripleContact::mass_matrix(VectorIn q, SparseMatrix& M) const {
  // The arm's centre moves at v + phi' k x (a + b) + psi' k x b.
  const auto [a, b] = arms_of(q, hinge_, centre_);
  Eigen::Matrix<double, 2, 4> J;
  J.col(0) = Vec2::UnitX();
  J.col(1) = Vec2::UnitY();
  J.col(2) = spun(a + b);
  J.col(3) = spun(b);
  Eigen::Matrix4d full = p_.arm_mass * J.transpose() * J;
  full(0, 0) += p_.body_mass;
  full(1, 1) += p_.body_mass;
  full(2, 2) += p_.body_inertia;
  full.bottomRightCorner<2, 2>().array() += p_.arm_inertia;
  set_full(full, M);
}

void TripleContact::force(double, VectorIn q, VectorIn v, VectorOut F) const {
  // Gravity, less the arm's mass times the centripetal acceleration -phi'^2 a - (phi' + psi')^2 b of its centre.
  const auto [a, b] = arms_of(q, hinge_, centre_);
  const double turning = v[2] + v[3];
  const Vec2 on_arm = p_.arm_mass * (v[2] * v[2] * a + turning * turning * b - p_.gravity * Vec2::UnitY());
  F << on_arm.x(), on_arm.y() - p_.body_mass * p_.gravity, spun(a + b).dot(on_arm), spun(b).dot(on_arm);
}

double TripleContact::potential_energy(double, VectorIn q) const {
  const auto [a, b] = arms_of(q, hinge_, centre_);
  return p_.gravity * (p_.body_mass * q[1] + p_.arm_mass * (q[1] + a.y() + b.y()));
}

void TripleContact::gaps(double, VectorIn q, VectorOut g) const {
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = contact_arms(q, i);
    g[i] = q[1] + a.y() + b.y();
  }
}

void TripleContact::contact_rows(double, VectorIn q, int i, ContactRows& rows) const {
  const auto [a, b] = contact_arms(q, i);
  const Vec2 phi = spun(a + b), psi = spun(b);
  if (i == 2)
    set_rows(contact_dim(i), {0, 1, 2, 3}, {0.0, 1.0, phi.y(), psi.y()}, {1.0, 0.0, phi.x(), psi.x()}, rows);
  else
    set_rows(contact_dim(i), {0, 1, 2}, {0.0, 1.0, phi.y()}, {1.0, 0.0, phi.x()}, rows);
}

std::array<double, 3> TripleContact::contact_bias(double, VectorIn q, VectorIn v, int i) const {
  const auto [a, b] = contact_arms(q, i);
  const double turning = v[2] + v[3];
  const Vec2 bias = -v[2] * v[2] * a - turning * turning * b;
  return {bias.y(), bias.x(), 0};
}

std::vector<double> TripleContact::body_energies(VectorIn q, VectorIn v) const {
  const auto [a, b] = arms_of(q, hinge_, centre_);
  const double turning = v[2] + v[3];
  const Vec2 velocity = v.head<2>(), of_arm = velocity + v[2] * spun(a) + turning * spun(b);
  return {0.5 * (p_.body_mass * velocity.squaredNorm() + p_.body_inertia * v[2] * v[2]),
          0.5 * (p_.arm_mass * of_arm.squaredNorm() + p_.arm_inertia * turning * turning)};
}

}  // namespace carom
