#include <cmath>

#include "engine/phases.h"

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
  if (law.friction == 0) return {ConeKind::Orthant, 1, 0};
  return {ConeKind::Coulomb, planar ? 2 : 3, law.friction};
}

}  // namespace

void detect_contacts(const Model& model, const StepOptions& options, std::span<const Pose> collider_pose,
                     ContactDetector& detector, ContactSet& found) {
  detector.detect(model.colliders, collider_pose, options.activation_margin, options.threads, found);
}

void match_contacts(const Model& model, const StepOptions& options, const BodyState& mid, const ContactSet& found,
                    const WarmStart& warm, double h, ActiveContacts& active, Cones& cones, Vector& r) {
  const auto count = static_cast<std::size_t>(found.size());
  active.resize(count);
  parallel_for(options.threads, found.size(), [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const ContactKey& key = found.key[i];
    const int a = model.colliders.body[key.a], b = model.colliders.body[key.b];
    const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
    active.bodies[i] = {a, b};
    active.movable[i] = {model.bodies.kind[ia] == BodyKind::Dynamic ? a : -1,
                         model.bodies.kind[ib] == BodyKind::Dynamic ? b : -1};
    active.law[i] = model.materials.law(model.collider_material[key.a], model.collider_material[key.b]);
    active.frame[i] = contact_frame(found.normal[i], options.planar);
    active.arm_a[i] = found.point[i] - mid.position[ia];
    active.arm_b[i] = found.point[i] - mid.position[ib];
  });

  cones.clear();
  for (const PairLaw& law : active.law) cones.add(cone_of(law, options.planar.has_value()));

  // Both key lists are sorted: one walk matches them. A contact that was not there starts from r = 0.
  const double scale = warm.h > 0 ? h / warm.h : 1.0;
  r.assign(cones.rows(), 0.0);
  std::size_t old = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (old < warm.key.size() && warm.key[old] < found.key[i]) ++old;
    if (old == warm.key.size()) break;
    if (warm.key[old] != found.key[i]) continue;
    const Vec3 local = scale * (active.frame[i] * warm.impulse[old]);
    const int k = static_cast<int>(i);
    r.segment(cones.offset(k), cones.dim(k)) = local.head(cones.dim(k));
  }
}

}  // namespace carom
