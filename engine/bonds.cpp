#include "engine/bonds.h"

#include <algorithm>

#include "engine/step_context.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::pair<std::uint32_t, std::uint32_t> pair_of(const Bond& bond) { return {bond.collider_a, bond.collider_b}; }
std::pair<std::uint32_t, std::uint32_t> pair_of(const ContactKey& key) { return {key.a, key.b}; }

// Relative velocity of the contact points of contact i, world.
Vec3 relative_velocity(const StepContext& c, std::size_t i, const BodyState& velocities) {
  const auto a = at(c.active.bodies[i][0]), b = at(c.active.bodies[i][1]);
  const Vec3 wa = c.mid.rotation[a] * velocities.spin[a], wb = c.mid.rotation[b] * velocities.spin[b];
  return velocities.velocity[a] + wa.cross(c.active.arm_a[i]) - velocities.velocity[b] - wb.cross(c.active.arm_b[i]);
}

int first_disc(const StepContext& c) { return c.found.size() + c.joint_blocks; }

}  // namespace

void hold_bonds(const Model& model, StepContext& c) {
  ActiveBonds& bonds = c.bonds;
  bonds.point.clear();
  bonds.bond.clear();
  if (bonds.broken_count == static_cast<int>(model.bonds.size())) return;
  // Contacts found and bonds are both sorted by colliders: one walk merges them.
  ContactSet& merged = bonds.merged;
  merged.clear();
  std::size_t i = 0;
  const auto keep_found = [&] {
    merged.push(c.found.key[i], c.found.point[i], c.found.normal[i], c.found.gap[i]);
    bonds.point.push_back(-1);
    bonds.bond.push_back(-1);
    ++i;
  };
  for (std::size_t b = 0; b < model.bonds.size(); ++b) {
    if (bonds.broken[b] != 0) continue;
    const Bond& bond = model.bonds[b];
    while (i < c.found.key.size() && pair_of(c.found.key[i]) < pair_of(bond)) keep_found();
    while (i < c.found.key.size() && pair_of(c.found.key[i]) == pair_of(bond)) ++i;
    const Pose pose_a = pose_of(c.mid, bond.bodies[0]), pose_b = pose_of(c.mid, bond.bodies[1]);
    const Vec3 normal = pose_b.rotation * bond.normal_b;
    for (std::size_t k = 0; k < bond.points.size(); ++k) {
      const Vec3 on_a = pose_a.to_world(bond.points[k].on_a), on_b = pose_b.to_world(bond.points[k].on_b);
      merged.push({bond.collider_a, bond.collider_b, static_cast<std::uint32_t>(k)}, 0.5 * (on_a + on_b), normal,
                  normal.dot(on_a - on_b));
      bonds.point.push_back(static_cast<int>(bond.first_point + k));
      bonds.bond.push_back(static_cast<int>(b));
    }
  }
  while (i < c.found.key.size()) keep_found();
  std::swap(c.found, merged);
}

void match_bonds(const Model& model, bool planar, double h, StepContext& c) {
  ActiveBonds& bonds = c.bonds;
  bonds.disc.clear();
  bonds.contact_of_disc.clear();
  bonds.radius.clear();
  c.disc_blocks = 0;
  c.apex.resize(0);
  if (bonds.bond.empty()) return;

  Cones& cones = c.problem.cones;
  bonds.disc.assign(bonds.bond.size(), -1);
  for (std::size_t i = 0; i < bonds.bond.size(); ++i) {
    if (bonds.bond[i] < 0) continue;
    const Bond& bond = model.bonds[at(bonds.bond[i])];
    const double area = bond.points[at(bonds.point[i]) - bond.first_point].area;
    const double d = (bond.cohesion - c.law[i].friction * bond.tensile) * area * h;
    if (!(d > 0)) continue;
    bonds.disc[i] = static_cast<int>(bonds.radius.size());
    bonds.contact_of_disc.push_back(static_cast<int>(i));
    bonds.radius.push_back(d);
  }
  c.disc_blocks = static_cast<int>(bonds.radius.size());
  if (c.disc_blocks > 0 && c.role.empty()) c.role.resize(c.law.size(), BlockRole::Contact);
  for (int disc = 0; disc < c.disc_blocks; ++disc) {
    cones.add({ConeKind::Coulomb, planar ? 2 : 3, 1});
    c.role.push_back(BlockRole::Finite);
    c.law.push_back({});
    c.support.push_back(0);  // struck by nothing
  }
  c.apex.assign(cones.rows(), 0.0);
  for (std::size_t i = 0; i < bonds.bond.size(); ++i) {
    if (bonds.bond[i] < 0) continue;
    const Bond& bond = model.bonds[at(bonds.bond[i])];
    c.apex[cones.offset(static_cast<int>(i))] =
        bond.tensile * bond.points[at(bonds.point[i]) - bond.first_point].area * h;
  }
}

void warm_start_bonds(double scale, StepContext& c) {
  const ActiveBonds& bonds = c.bonds;
  for (int disc = 0; disc < c.disc_blocks; ++disc) {
    const std::size_t i = at(bonds.contact_of_disc[at(disc)]);
    const int offset = c.problem.cones.offset(first_disc(c) + disc), dim = c.problem.cones.dim(first_disc(c) + disc);
    const Vec3 local = scale * (c.active.frame[i] * bonds.disc_impulse[at(bonds.point[i])]);
    c.r[offset] = bonds.radius[at(disc)];
    for (int k = 1; k < dim; ++k) c.r[offset + k] = local[k];
  }
}

void assemble_bonds(StepContext& c) {
  if (c.disc_blocks == 0) return;
  const ActiveBonds& bonds = c.bonds;
  DelassusFactors& factors = *c.problem.W.factors;
  const Cones& cones = c.problem.cones;
  factors.compliance.resize(static_cast<std::size_t>(cones.rows()), 0.0);
  for (int disc = 0; disc < c.disc_blocks; ++disc) {
    const int block = first_disc(c) + disc, offset = cones.offset(block), dim = cones.dim(block);
    const std::size_t i = at(bonds.contact_of_disc[at(disc)]);
    factors.bodies[at(block)] = c.active.movable[i];
    const Vec3 q = c.active.frame[i] * relative_velocity(c, i, c.free);
    const Vec3 before = c.active.frame[i] * relative_velocity(c, i, c.mid);
    // u_n = w (r_n - d), w: a mobility for the scale
    double w = 0;
    for (int body : c.active.movable[i])
      if (body >= 0) w += factors.inverse_mass[at(body)].linear;
    factors.rows[at(offset)] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    factors.compliance[at(offset)] = w;
    c.problem.q[offset] = -w * bonds.radius[at(disc)];
    c.u_minus[offset] = 0;
    for (int k = 1; k < dim; ++k) {
      const Vec3 d = c.active.frame[i].row(k);
      factors.rows[at(offset + k)] = {d, c.active.arm_a[i].cross(d), d.cross(c.active.arm_b[i])};
      factors.compliance[at(offset + k)] = 0;
      c.problem.q[offset + k] = q[k];
      c.u_minus[offset + k] = before[k];
    }
  }
}

void apply_bonds(StepContext& c) {
  ActiveBonds& bonds = c.bonds;
  const Cones& cones = c.problem.cones;
  std::fill(bonds.disc_impulse.begin(), bonds.disc_impulse.end(), Vec3::Zero());
  for (int disc = 0; disc < c.disc_blocks; ++disc) {
    const int block = first_disc(c) + disc, offset = cones.offset(block), dim = cones.dim(block);
    const std::size_t i = at(bonds.contact_of_disc[at(disc)]);
    const Vec3 after = c.active.frame[i] * relative_velocity(c, i, c.next);
    Vec3 local = Vec3::Zero();
    c.u[offset] = 0;
    for (int k = 1; k < dim; ++k) {
      c.u[offset + k] = after[k];
      local[k] = c.r[offset + k];
    }
    bonds.disc_impulse[at(bonds.point[i])] = c.active.frame[i].transpose() * local;
    c.impulse_world[i] += bonds.disc_impulse[at(bonds.point[i])];
  }
}

void break_bonds(const Model& model, StepContext& c) {
  ActiveBonds& bonds = c.bonds;
  if (bonds.bond.empty()) return;
  for (std::size_t b = 0; b < model.bonds.size(); ++b) {
    if (bonds.broken[b] != 0) continue;
    const Bond& bond = model.bonds[b];
    const Pose pose_a = pose_of(c.next, bond.bodies[0]), pose_b = pose_of(c.next, bond.bodies[1]);
    const Vec3 normal = pose_b.rotation * bond.normal_b;
    double furthest = 0;
    for (const BondPoint& point : bond.points) {
      const Vec3 apart = pose_a.to_world(point.on_a) - pose_b.to_world(point.on_b);
      const double opening = normal.dot(apart);
      furthest = std::max({furthest, opening, (apart - opening * normal).norm()});
    }
    if (furthest < bond.critical) continue;
    bonds.broken[b] = 1;
    ++bonds.broken_count;
  }
}

}  // namespace carom
