#include "engine/systems/double_pendulum.h"

#include <cmath>

namespace carom {

namespace {

Vec2 pair_of(std::string_view field, const std::vector<double>& list) {
  const std::vector<double> each = spread(DoublePendulum::kName, field, list, 2);
  return {each[0], each[1]};
}

Vec2 along(double angle) { return {std::sin(angle), -std::cos(angle)}; }

}  // namespace

DoublePendulum::DoublePendulum(const DoublePendulumParameters& p) : p_(p) {
  check_parameters(kName, p);
  mass_ = pair_of("mass", p.mass);
  length_ = pair_of("length", p.length);
  centre_ = pair_of("centre", p.centre).cwiseProduct(length_);
  inertia_ = pair_of("inertia", p.inertia);
  for (int k = 0; k < 2; ++k)
    if (centre_[k] == 0 && inertia_[k] == 0)
      reject_parameter(kName, "inertia", "must be > 0 where the centre of mass lies in the joint", "0");
  start_ = {pair_of("angle", p.angle), pair_of("angular_velocity", p.angular_velocity)};
  check_start(*this);
}

PairLaw DoublePendulum::contact_law(int) const {
  return {p_.friction, p_.restitution, p_.tangential_restitution, p_.stiffness, p_.exponent};
}

void DoublePendulum::mass_matrix(VectorIn q, SparseMatrix& M) const {
  const double coupling = mass_[1] * length_[0] * centre_[1] * std::cos(q[0] - q[1]);
  Mat2 full;
  full << inertia_[0] + mass_[0] * centre_[0] * centre_[0] + mass_[1] * length_[0] * length_[0], coupling,  //
      coupling, inertia_[1] + mass_[1] * centre_[1] * centre_[1];
  set_full(full, M);
}

void DoublePendulum::force(double, VectorIn q, VectorIn v, VectorOut F) const {
  const double coupling = mass_[1] * length_[0] * centre_[1] * std::sin(q[0] - q[1]);
  const double g = p_.gravity;
  F << -coupling * v[1] * v[1] - (mass_[0] * centre_[0] + mass_[1] * length_[0]) * g * std::sin(q[0]),
      coupling * v[0] * v[0] - mass_[1] * g * centre_[1] * std::sin(q[1]);
}

double DoublePendulum::potential_energy(double, VectorIn q) const {
  return -p_.gravity *
         ((mass_[0] * centre_[0] + mass_[1] * length_[0]) * std::cos(q[0]) + mass_[1] * centre_[1] * std::cos(q[1]));
}

void DoublePendulum::gaps(double, VectorIn q, VectorOut g) const {
  g[0] = p_.wall - length_[0] * std::sin(q[0]);
  g[1] = g[0] - length_[1] * std::sin(q[1]);
}

void DoublePendulum::contact_rows(double, VectorIn q, int i, ContactRows& rows) const {
  // n = (-1, 0), t = (0, -1); a point at angle theta moves at l theta' (cos, sin)
  const double x1 = length_[0] * std::cos(q[0]), y1 = length_[0] * std::sin(q[0]);
  const double x2 = length_[1] * std::cos(q[1]), y2 = length_[1] * std::sin(q[1]);
  if (i == 0)
    set_rows(contact_dim(i), {0}, {-x1}, {-y1}, rows);
  else
    set_rows(contact_dim(i), {0, 1}, {-x1, -x2}, {-y1, -y2}, rows);
}

std::array<double, 3> DoublePendulum::contact_bias(double, VectorIn q, VectorIn v, int i) const {
  // Centripetal: -l theta'^2 (sin, -cos)
  Vec2 bias = -length_[0] * v[0] * v[0] * along(q[0]);
  if (i == 1) bias -= length_[1] * v[1] * v[1] * along(q[1]);
  return {-bias.x(), -bias.y(), 0};
}

std::vector<double> DoublePendulum::body_energies(VectorIn q, VectorIn v) const {
  // spun(along(theta)) is the direction a link's end moves in.
  const Vec2 first = v[0] * centre_[0] * spun(along(q[0]));
  const Vec2 second = v[0] * length_[0] * spun(along(q[0])) + v[1] * centre_[1] * spun(along(q[1]));
  return {0.5 * (mass_[0] * first.squaredNorm() + inertia_[0] * v[0] * v[0]),
          0.5 * (mass_[1] * second.squaredNorm() + inertia_[1] * v[1] * v[1])};
}

}  // namespace carom
