// Solids against half-spaces and planes: one contact per corner, or per point of a rim, that is near enough.
#include <cmath>

#include "contact/pair_context.h"
#include "contact/round_solid.h"

namespace carom {

namespace {

// The surface that a shape with centre `centre` meets: the half-space's, or the plane's near side.
Vec3 facing_normal(const Shape& wall, const Pose& pose, const Vec3& centre) {
  const Vec3 normal = pose.rotation * Vec3::UnitZ();
  const bool behind = wall.kind == ShapeKind::Plane && normal.dot(centre - pose.position) < 0;
  return behind ? Vec3(-normal) : normal;
}

// A corner at `arm` from the solid's position, rounded by `radius`.
struct WallContact {
  const PairContext& pair;
  First first;
  Vec3 normal;
  Vec3 position;  // of the solid
  double height;  // of that position over the wall; taken first, so that a far origin costs no digits

  void try_corner(const Vec3& arm, double radius, std::uint32_t feature) const {
    const double gap = height + normal.dot(arm) - radius;
    if (!(gap <= pair.margin)) return;
    pair.push(first, position + arm - (radius + 0.5 * gap) * normal, normal, gap, feature);
  }
};

}  // namespace

namespace {

// Points of the rims, each from its lowest on, and the apex; numbered as for meshes and height fields.
void try_rims(const WallContact& contact, const RoundSolid& solid, const Pose& pose) {
  const auto directions = rim_directions(pose.rotation.conjugate() * -contact.normal);
  for (int rim = 0; rim < solid.rims(); ++rim) {
    for (std::uint32_t k = 0; k < kRimPoints; ++k) {
      const Vec3 arm(solid.radius * directions[k].x(), solid.radius * directions[k].y(), solid.rim_height(rim));
      contact.try_corner(pose.rotation * arm, 0, static_cast<std::uint32_t>(rim) * kRimPoints + k);
    }
  }
  if (solid.cone) contact.try_corner(pose.rotation * Vec3(0, 0, solid.high), 0, kRimPoints);
}

}  // namespace

void collide_wall(const PairContext& pair, First first, const Shape& solid, const Pose& pose, const Shape& wall,
                  const Pose& wall_pose) {
  const bool off_centre = solid.kind == ShapeKind::Hull;
  const Vec3 centre = off_centre ? pose.to_world(solid.bounding_centre()) : pose.position;
  const Vec3 normal = facing_normal(wall, wall_pose, centre);
  const WallContact contact{pair, first, normal, pose.position, normal.dot(pose.position - wall_pose.position)};
  if (solid.kind == ShapeKind::Sphere) return contact.try_corner(Vec3::Zero(), solid.radius, 0);
  // Nothing of a solid is lower than its bounding ball.
  const double lowest = normal.dot(centre - wall_pose.position) - solid.bounding_radius();
  if (!(lowest <= pair.margin)) return;

  if (solid.kind == ShapeKind::Cylinder || solid.kind == ShapeKind::Cone)
    return try_rims(contact, RoundSolid(solid), pose);
  CoreStorage storage;
  const ConvexCore core = core_of(solid, storage);
  const Vec3 local = pose.rotation.conjugate() * normal;
  const double enough = pair.margin + core.radius - contact.height + 1e-12 * solid.bounding_radius();
  for (std::uint32_t v = 0; v < core.vertices.size(); ++v)
    if (local.dot(core.vertices[v]) <= enough) contact.try_corner(pose.rotation * core.vertices[v], core.radius, v);
}

}  // namespace carom
