#include "contact/narrow_phase.h"

#include <cmath>

namespace carom {

namespace {

// Squared distances below this have lost their direction to underflow.
constexpr double kCoincidentSquared = 1e-280;

// Which of the pair the computation calls first; its normals point from the second to the first.
enum class First : std::uint8_t { A, B };

struct PairContext {
  ContactKey key;
  double margin;
  ContactSet& out;
};

void push(const PairContext& pair, First first, const Vec3& point, const Vec3& normal, double gap,
          std::uint32_t feature = 0) {
  pair.out.push({pair.key.a, pair.key.b, feature}, point, first == First::A ? normal : Vec3(-normal), gap);
}

void sphere_sphere(const PairContext& pair, double radius_a, const Vec3& a, double radius_b, const Vec3& b) {
  const Vec3 offset = a - b;
  const double squared = offset.squaredNorm();
  const double reach = radius_a + radius_b;
  if (squared < kCoincidentSquared) {
    if (-reach <= pair.margin) push(pair, First::A, 0.5 * (a + b), Vec3::UnitZ(), -reach);
    return;
  }
  // gap = |a - b| - (r_a + r_b); midway between a - r_a n and b + r_b n
  const double distance = std::sqrt(squared);
  const double gap = distance - reach;
  if (!(gap <= pair.margin)) return;
  const Vec3 normal = offset / distance;
  push(pair, First::A, 0.5 * (a + b) + 0.5 * (radius_b - radius_a) * normal, normal, gap);
}

// The surface that a shape with centre `centre` meets: the half-space's, or the plane's near side.
Vec3 facing_normal(const Shape& wall, const Pose& pose, const Vec3& centre) {
  const Vec3 normal = pose.rotation * Vec3::UnitZ();
  const bool behind = wall.kind == ShapeKind::Plane && normal.dot(centre - pose.position) < 0;
  return behind ? Vec3(-normal) : normal;
}

void sphere_wall(const PairContext& pair, First first, double radius, const Vec3& centre, const Shape& wall,
                 const Pose& wall_pose) {
  // gap = n . (c - p) - r; midway between c - r n and its projection
  const Vec3 normal = facing_normal(wall, wall_pose, centre);
  const double gap = normal.dot(centre - wall_pose.position) - radius;
  if (!(gap <= pair.margin)) return;
  push(pair, first, centre - (radius + 0.5 * gap) * normal, normal, gap);
}

void sphere_box(const PairContext& pair, First first, double radius, const Vec3& centre, const Vec3& half,
                const Pose& box_pose) {
  const Vec3 local = box_pose.to_local(centre);
  Vec3 nearest = local.cwiseMax(-half).cwiseMin(half);
  Vec3 normal = local - nearest;
  double distance = normal.norm();
  if (distance > 0) {
    normal /= distance;
  } else {
    // Inside: out through the nearest face.
    int axis = 0;
    const Vec3 depth = half - local.cwiseAbs();
    for (int i = 1; i < 3; ++i) {
      if (depth[i] < depth[axis]) axis = i;
    }
    const double side = local[axis] < 0 ? -1.0 : 1.0;
    normal = side * Vec3::Unit(axis);
    nearest[axis] = side * half[axis];
    distance = -depth[axis];
  }
  // gap = distance of the centre - r; midway between the box's point and the sphere's
  const double gap = distance - radius;
  if (!(gap <= pair.margin)) return;
  push(pair, first, box_pose.to_world(nearest + 0.5 * gap * normal), box_pose.rotation * normal, gap);
}

void box_wall(const PairContext& pair, First first, const Vec3& half, const Pose& box_pose, const Shape& wall,
              const Pose& wall_pose) {
  const Vec3 normal = facing_normal(wall, wall_pose, box_pose.position);
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    const Vec3 signs((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
    // Relative to the wall's point first, so that a far origin costs no digits.
    const Vec3 arm = box_pose.rotation * Vec3(signs.cwiseProduct(half));
    const double gap = normal.dot(box_pose.position - wall_pose.position) + normal.dot(arm);
    if (!(gap <= pair.margin)) continue;
    push(pair, first, box_pose.position + arm - 0.5 * gap * normal, normal, gap, corner);
  }
}

}  // namespace

void collide(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
             const Pose& pose_b, double margin, ContactSet& out) {
  if (a > b) return collide(b, shape_b, pose_b, a, shape_a, pose_a, margin, out);
  const PairContext pair{{a, b, 0}, margin, out};
  const Vec3& a_at = pose_a.position;
  const Vec3& b_at = pose_b.position;
  switch (shape_a.kind) {
    case ShapeKind::Sphere:
      switch (shape_b.kind) {
        case ShapeKind::Sphere:
          return sphere_sphere(pair, shape_a.radius, a_at, shape_b.radius, b_at);
        case ShapeKind::HalfSpace:
        case ShapeKind::Plane:
          return sphere_wall(pair, First::A, shape_a.radius, a_at, shape_b, pose_b);
        case ShapeKind::Box:
          return sphere_box(pair, First::A, shape_a.radius, a_at, shape_b.half_extents, pose_b);
      }
      return;
    case ShapeKind::HalfSpace:
    case ShapeKind::Plane:
      switch (shape_b.kind) {
        case ShapeKind::Sphere:
          return sphere_wall(pair, First::B, shape_b.radius, b_at, shape_a, pose_a);
        case ShapeKind::HalfSpace:
        case ShapeKind::Plane:
          return;
        case ShapeKind::Box:
          return box_wall(pair, First::B, shape_b.half_extents, pose_b, shape_a, pose_a);
      }
      return;
    case ShapeKind::Box:
      switch (shape_b.kind) {
        case ShapeKind::Sphere:
          return sphere_box(pair, First::B, shape_b.radius, b_at, shape_a.half_extents, pose_a);
        case ShapeKind::HalfSpace:
        case ShapeKind::Plane:
          return box_wall(pair, First::A, shape_a.half_extents, pose_a, shape_b, pose_b);
        case ShapeKind::Box:
          return;
      }
      return;
  }
}

bool can_collide(ShapeKind a, ShapeKind b) {
  const auto wall = [](ShapeKind kind) { return kind == ShapeKind::HalfSpace || kind == ShapeKind::Plane; };
  if (a == ShapeKind::Sphere || b == ShapeKind::Sphere) return true;
  return wall(a) != wall(b);
}

}  // namespace carom
