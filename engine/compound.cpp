#include "engine/compound.h"

namespace carom {

SolidProperties compound_properties(std::span<const ColliderSpec> colliders) {
  SolidProperties sum;
  Vec3 first = Vec3::Zero();
  for (const ColliderSpec& collider : colliders) {
    const SolidProperties solid = solid_properties(collider.shape);
    sum.volume += solid.volume;
    first += solid.volume * (collider.local.position + collider.local.rotation.normalized() * solid.centroid);
  }
  if (!(sum.volume > 0)) return sum;
  sum.centroid = first / sum.volume;
  // Each is moved from its own centroid to the common one (Steiner).
  for (const ColliderSpec& collider : colliders) {
    const SolidProperties solid = solid_properties(collider.shape);
    const Mat3 R = collider.local.rotation.normalized().toRotationMatrix();
    const Vec3 d = collider.local.position + R * solid.centroid - sum.centroid;
    sum.inertia +=
        R * solid.inertia * R.transpose() + solid.volume * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return sum;
}

Vec3 recentre(BodySpec& spec) {
  if (spec.kind != BodyKind::Dynamic || spec.inertia) return Vec3::Zero();
  const SolidProperties solid = compound_properties(spec.colliders);
  if (!(solid.volume > 0)) return Vec3::Zero();
  for (ColliderSpec& collider : spec.colliders) collider.local.position -= solid.centroid;
  const Vec3 moved = spec.pose.rotation.normalized() * solid.centroid;
  spec.pose.position += moved;
  spec.velocity += spec.angular_velocity.cross(moved);
  return moved;
}

}  // namespace carom
