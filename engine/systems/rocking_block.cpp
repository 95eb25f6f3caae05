#include "engine/systems/rocking_block.h"

#include <fmt/format.h>

#include <cmath>

namespace carom {

namespace {

BaseMotion base_of(const RockingBlockParameters& p) {
  switch (p.base) {
    case BaseKind::Harmonic:
      return harmonic_base({p.base_amplitude, p.base_vertical_amplitude}, p.base_frequency, p.base_phase);
    case BaseKind::Table:
      return table_base(p.base_time, p.base_acceleration, p.base_vertical_acceleration);
    case BaseKind::Still:
      break;
  }
  return still_base();
}

}  // namespace

std::string_view name_of(BaseKind kind) {
  switch (kind) {
    case BaseKind::Still:
      return "still";
    case BaseKind::Harmonic:
      return "harmonic";
    case BaseKind::Table:
      return "table";
  }
  return "unknown";
}

RockingBlock::RockingBlock(const RockingBlockParameters& p) : RockingBlock(p, base_of(p)) {}

RockingBlock::RockingBlock(const RockingBlockParameters& p, BaseMotion base) : p_(p), base_(std::move(base)) {
  check_parameters(kName, p);
  restitution_ = spread(kName, "restitution", p.restitution, 4);
  stiffness_ = spread(kName, "stiffness", p.stiffness, 4);
}

std::string RockingBlock::coordinate_name(int i) const {
  constexpr const char* kNames[] = {"x", "y", "theta"};
  return kNames[i];
}

std::string RockingBlock::contact_name(int i) const { return std::string(1, static_cast<char>('A' + i)); }

PairLaw RockingBlock::contact_law(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return {p_.friction, restitution_.at(k), p_.tangential_restitution, stiffness_.at(k), p_.exponent};
}

Vec2 RockingBlock::corner(double theta, int i) const {
  const double x = (i == 1 || i == 2 ? 0.5 : -0.5) * p_.width, y = (i >= 2 ? 0.5 : -0.5) * p_.height;
  return turned(-theta, {x, y});
}

LagrangianState RockingBlock::initial_state() const {
  // The lowest corner; of two that are equally low, the one that a block leaning to the right stands on.
  int lowest = 1;
  for (int i : {2, 0, 3})
    if (corner(p_.angle, i).y() < corner(p_.angle, lowest).y()) lowest = i;
  const Vec2 arm = corner(p_.angle, lowest);
  const BaseSample base = base_.at(0);
  LagrangianState start{VectorXd(3), VectorXd(3)};
  start.q << base.displacement.x(), base.displacement.y() + p_.gap - arm.y(), p_.angle;
  // The corner moves with the base: v + theta' d(arm)/d(theta) = v_base
  const Vec2 velocity = base.velocity + p_.angular_velocity * spun(arm);
  start.v << velocity.x(), velocity.y(), p_.angular_velocity;
  return start;
}

void RockingBlock::mass_matrix(VectorIn, SparseMatrix& M) const { set_diagonal(Vec3(p_.mass, p_.mass, inertia()), M); }

void RockingBlock::force(double, VectorIn, VectorIn, VectorOut F) const { F = Vec3(0, -p_.mass * p_.gravity, 0); }

double RockingBlock::potential_energy(double, VectorIn q) const { return p_.mass * p_.gravity * q[1]; }

double RockingBlock::smooth_until(double t) const {
  return base_.smooth_until ? base_.smooth_until(t) : LagrangianSystem::smooth_until(t);
}

void RockingBlock::gaps(double t, VectorIn q, VectorOut g) const {
  const double floor = base_.at(t).displacement.y();
  for (int i = 0; i < 4; ++i) g[i] = q[1] + corner(q[2], i).y() - floor;
}

void RockingBlock::contact_rows(double t, VectorIn q, int i, ContactRows& rows) const {
  // A clockwise turn moves the corner at a by -k x a.
  const Vec2 arm = corner(q[2], i), turning = -spun(arm);
  set_rows(contact_dim(i), {0, 1, 2}, {0.0, 1.0, turning.y()}, {1.0, 0.0, turning.x()}, rows);
  const Vec2 drift = -base_.at(t).velocity;
  rows.drift = {drift.y(), drift.x(), 0};
}

std::array<double, 3> RockingBlock::contact_bias(double t, VectorIn q, VectorIn v, int i) const {
  const Vec2 bias = -v[2] * v[2] * corner(q[2], i) - base_.at(t).acceleration;
  return {bias.y(), bias.x(), 0};
}

std::vector<double> RockingBlock::body_energies(VectorIn, VectorIn v) const {
  return {0.5 * (p_.mass * v.head<2>().squaredNorm() + inertia() * v[2] * v[2])};
}

}  // namespace carom
