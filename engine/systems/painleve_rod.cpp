#include "engine/systems/painleve_rod.h"

#include <algorithm>
#include <cmath>

namespace carom {

PainleveRod::PainleveRod(const PainleveRodParameters& p) : p_(p) {
  check_parameters(kName, p);
  if (p_.inertia == 0) p_.inertia = p.mass * p.length * p.length / 12;
}

std::string PainleveRod::coordinate_name(int i) const {
  constexpr const char* kNames[] = {"x", "y", "theta"};
  return kNames[i];
}

PairLaw PainleveRod::contact_law(int) const {
  return {p_.friction, p_.restitution, p_.tangential_restitution, p_.stiffness, p_.exponent};
}

Vec2 PainleveRod::end(double theta, int i) const {
  return (i == 0 ? -0.5 : 0.5) * p_.length * Vec2(std::cos(theta), std::sin(theta));
}

LagrangianState PainleveRod::initial_state() const {
  const Vec2 arm = end(p_.angle, 0);
  // v + theta' k x arm = (sliding speed, 0) at A
  const Vec2 velocity = Vec2(p_.sliding_speed, 0) - p_.angular_velocity * spun(arm);
  LagrangianState start{VectorXd(3), VectorXd(3)};
  start.q << -arm.x(), p_.gap + std::abs(arm.y()), p_.angle;
  start.v << velocity.x(), velocity.y(), p_.angular_velocity;
  return start;
}

void PainleveRod::mass_matrix(VectorIn, SparseMatrix& M) const { set_diagonal(Vec3(p_.mass, p_.mass, p_.inertia), M); }

void PainleveRod::force(double, VectorIn, VectorIn, VectorOut F) const { F = Vec3(0, -p_.mass * p_.gravity, 0); }

double PainleveRod::potential_energy(double, VectorIn q) const { return p_.mass * p_.gravity * q[1]; }

void PainleveRod::gaps(double, VectorIn q, VectorOut g) const {
  for (int i = 0; i < 2; ++i) g[i] = q[1] + end(q[2], i).y();
}

void PainleveRod::contact_rows(double, VectorIn q, int i, ContactRows& rows) const {
  const Vec2 turning = spun(end(q[2], i));
  set_rows(contact_dim(i), {0, 1, 2}, {0.0, 1.0, turning.y()}, {1.0, 0.0, turning.x()}, rows);
}

std::array<double, 3> PainleveRod::contact_bias(double, VectorIn q, VectorIn v, int i) const {
  const Vec2 bias = -v[2] * v[2] * end(q[2], i);
  return {bias.y(), bias.x(), 0};
}

std::vector<double> PainleveRod::body_energies(VectorIn, VectorIn v) const {
  return {0.5 * (p_.mass * v.head<2>().squaredNorm() + p_.inertia * v[2] * v[2])};
}

}  // namespace carom
