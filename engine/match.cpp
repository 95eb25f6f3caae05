#include <algorithm>
#include <cmath>

#include "engine/phases.h"
#include "engine/rolling.h"

namespace carom {

namespace {

// Rows n, t1, t2: an orthonormal frame that depends on n alone (Duff et al. 2017); in the plane t1 = k x n.
Mat3 contact_frame(const Vec3& n, const std::optional<Vec3>& planar) {
  Mat3 frame;
  frame.row(0) = n;
  if (planar) {
    frame.row(1) = planar->cross(n);
    frame.row(2) = *planar;
    return frame;
  }
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  frame.row(1) << 1.0 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  frame.row(2) << b, sign + n.y() * n.y() * a, -n.y();
  return frame;
}

Cone cone_of(const PairLaw& law, bool planar) {
  if (law.rolling_friction > 0) return {ConeKind::Rolling, planar ? 3 : 5, law.friction, law.rolling_friction};
  if (law.friction == 0) return {ConeKind::Orthant, 1, 0};
  return {ConeKind::Coulomb, planar ? 2 : 3, law.friction};
}

// Whether a joint keeps the bodies of two colliders from touching.
bool kept_apart(const Model& model, std::uint32_t collider_a, std::uint32_t collider_b) {
  const int a = model.colliders.body[collider_a], b = model.colliders.body[collider_b];
  const auto in_pair = [&](int body) {
    return static_cast<std::size_t>(body) < model.in_apart.size() &&
           model.in_apart[static_cast<std::size_t>(body)] != 0;
  };
  if (!in_pair(a) || !in_pair(b)) return false;
  return std::binary_search(model.apart.begin(), model.apart.end(), std::array{std::min(a, b), std::max(a, b)});
}

void leave_out_joined(const Model& model, ContactSet& found) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.key.size(); ++i) {
    if (kept_apart(model, found.key[i].a, found.key[i].b)) continue;
    found.key[kept] = found.key[i];
    found.point[kept] = found.point[i];
    found.normal[kept] = found.normal[i];
    found.gap[kept] = found.gap[i];
    ++kept;
  }
  found.resize(kept);
}

void find_islands(const Model& model, StepContext& c) {
  if (c.joint_blocks + c.disc_blocks == 0) return c.islands.find(c.active.movable, c.mid.size());
  const std::size_t contacts = c.active.movable.size(), joints = c.joints.blocks.size();
  c.pairs.resize(contacts + joints + static_cast<std::size_t>(c.disc_blocks));
  std::copy(c.active.movable.begin(), c.active.movable.end(), c.pairs.begin());
  for (std::size_t b = 0; b < c.joints.blocks.size(); ++b)
    c.pairs[contacts + b] = model.joints[static_cast<std::size_t>(c.joints.blocks[b].joint)].movable;
  for (std::size_t d = 0; d < c.bonds.contact_of_disc.size(); ++d)
    c.pairs[contacts + joints + d] = c.active.movable[static_cast<std::size_t>(c.bonds.contact_of_disc[d])];
  c.islands.find(c.pairs, c.mid.size());
}

}  // namespace

PairLaw pair_law(const Model& model, std::uint32_t collider_a, std::uint32_t collider_b) {
  if (!model.body_laws.empty()) {
    const int a = model.colliders.body[collider_a], b = model.colliders.body[collider_b];
    const std::array pair = {std::min(a, b), std::max(a, b)};
    const auto found = std::lower_bound(model.body_laws.begin(), model.body_laws.end(), pair,
                                        [](const Model::BodyPairLaw& law, const auto& p) { return law.bodies < p; });
    if (found != model.body_laws.end() && found->bodies == pair) return found->law;
  }
  return model.materials.law(model.collider_material[collider_a], model.collider_material[collider_b]);
}

void detect_contacts(const Model& model, const StepOptions& options, double margin, std::span<const Pose> collider_pose,
                     ContactDetector& detector, ContactSet& found) {
  detector.detect(model.colliders, collider_pose, margin, options.threads, found, options.planar);
  if (!model.apart.empty()) leave_out_joined(model, found);
}

void detect_contacts(const Model& model, const StepOptions& options, StepContext& c) {
  const double margin = options.activation_margin + options.touching * model.smallest_radius;
  detect_contacts(model, options, margin, c.collider_pose, c.detector, c.found);
  hold_bonds(model, c);
}

void match_contacts(const Model& model, const StepOptions& options, double h, StepContext& c) {
  const BodyState& mid = c.mid;
  const ContactSet& found = c.found;
  const WarmStart& warm = c.warm;
  ActiveContacts& active = c.active;
  Cones& cones = c.problem.cones;
  const auto count = static_cast<std::size_t>(found.size());
  active.resize(count);
  c.law.resize(count);
  c.support.resize(count);
  parallel_for(options.threads, found.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const ContactKey& key = found.key[i];
    const int a = model.colliders.body[key.a], b = model.colliders.body[key.b];
    const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
    active.bodies[i] = {a, b};
    active.movable[i] = {model.bodies.kind[ia] == BodyKind::Dynamic ? a : -1,
                         model.bodies.kind[ib] == BodyKind::Dynamic ? b : -1};
    c.support[i] = active.movable[i][0] < 0 || active.movable[i][1] < 0;
    c.law[i] = c.given_law.empty() ? pair_law(model, key.a, key.b) : c.given_law[i];
    if (!c.bonds.bond.empty() && c.bonds.bond[i] >= 0) c.law[i].restitution = 0;
    active.frame[i] = contact_frame(found.normal[i], options.planar);
    active.arm_a[i] = found.point[i] - mid.position[ia];
    active.arm_b[i] = found.point[i] - mid.position[ib];
    active.rolling_radius[i] = c.law[i].rolling_friction > 0 ? rolling_radius(model, c, i) : 0.0;
  });

  cones.clear();
  for (const PairLaw& law : c.law) cones.add(cone_of(law, options.planar.has_value()));
  match_joints(model, options, h, c);
  match_bonds(model, options.planar.has_value(), h, c);

  // Both key lists are sorted: one walk matches them. A contact that was not there starts from r = 0.
  const double scale = warm.h > 0 ? h / warm.h : 1.0;
  c.r.assign(cones.rows(), 0.0);
  std::size_t old = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (old < warm.key.size() && warm.key[old] < found.key[i]) ++old;
    if (old == warm.key.size()) break;
    if (warm.key[old] != found.key[i]) continue;
    const Vec3 local = scale * (active.frame[i] * warm.impulse[old]);
    const int k = static_cast<int>(i);
    const int points = 1 + cones[k].tangents();
    c.r.segment(cones.offset(k), points) = local.head(points);
    if (cones[k].kind == ConeKind::Rolling && !warm.moment.empty())
      rolling_impulse(active, i, cones[k].tangents(), scale * warm.moment[old], c.r.data() + cones.offset(k) + points);
  }
  warm_start_joints(model, scale, c);
  warm_start_bonds(scale, c);
  find_islands(model, c);
}

}  // namespace carom
