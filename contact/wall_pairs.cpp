// Solids against half-spaces and planes: one contact per corner, or per point of a rim, that is near enough.
#include <cmath>
#include <numbers>

#include "contact/pair_context.h"

namespace carom {

namespace {

// Below this angle between the axis of a cylinder and the wall's normal (rad), the lowest point of a rim is noise: the
// points of the rim are then fixed in the body.
constexpr double kUpright = 1e-6;

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

std::array<Vec2, kRimPoints> rim_directions(const Vec3& down) {
  const double across = std::hypot(down.x(), down.y());
  const Vec2 lowest = across > kUpright * down.norm() ? Vec2(down.head<2>() / across) : Vec2(1, 0);
  std::array<Vec2, kRimPoints> rim;
  for (std::size_t k = 0; k < kRimPoints; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kRimPoints;
    rim[k] = Vec2(std::cos(angle) * lowest.x() - std::sin(angle) * lowest.y(),
                  std::sin(angle) * lowest.x() + std::cos(angle) * lowest.y());
  }
  rim[0] = lowest;
  return rim;
}

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

  if (solid.kind == ShapeKind::Cylinder || solid.kind == ShapeKind::Cone) {
    const bool cone = solid.kind == ShapeKind::Cone;
    const double base = cone ? -0.5 * solid.half_length() : -solid.half_length();
    const double top = cone ? 1.5 * solid.half_length() : solid.half_length();
    const auto rim = rim_directions(pose.rotation.conjugate() * -normal);
    const auto try_rim = [&](double z, std::uint32_t feature) {
      for (std::uint32_t k = 0; k < kRimPoints; ++k)
        contact.try_corner(pose.rotation * Vec3(solid.radius * rim[k].x(), solid.radius * rim[k].y(), z), 0,
                           feature + k);
    };
    try_rim(base, 0);
    if (cone)
      contact.try_corner(pose.rotation * Vec3(0, 0, top), 0, kRimPoints);
    else
      try_rim(top, kRimPoints);
    return;
  }
  CoreStorage storage;
  const ConvexCore core = core_of(solid, storage);
  const Vec3 local = pose.rotation.conjugate() * normal;
  const double enough = pair.margin + core.radius - contact.height + 1e-12 * solid.bounding_radius();
  for (std::uint32_t v = 0; v < core.vertices.size(); ++v)
    if (local.dot(core.vertices[v]) <= enough) contact.try_corner(pose.rotation * core.vertices[v], core.radius, v);
}

}  // namespace carom
