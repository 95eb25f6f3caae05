// A sphere against any solid, in closed form: the surface point of the solid that is nearest to the centre.
#include <cmath>

#include "contact/pair_context.h"
#include "contact/round_solid.h"

namespace carom {

namespace {

// Squared distances below this have lost their direction to underflow.
constexpr double kCoincidentSquared = 1e-280;

// From a point outside, or on the surface, whose nearest point is known.
bool point_outside(const Vec3& x, const Vec3& nearest, SurfacePoint& out) {
  const Vec3 offset = x - nearest;
  const double distance = offset.norm();
  if (!(distance > 0)) return false;
  out = {nearest, offset / distance, distance};
  return true;
}

SurfacePoint box_surface(const Vec3& half, const Vec3& x) {
  SurfacePoint out;
  Vec3 nearest = x.cwiseMax(-half).cwiseMin(half);
  if (point_outside(x, nearest, out)) return out;
  // Inside: out through the nearest face.
  int axis = 0;
  const Vec3 depth = half - x.cwiseAbs();
  for (int i = 1; i < 3; ++i) {
    if (depth[i] < depth[axis]) axis = i;
  }
  const double side = x[axis] < 0 ? -1.0 : 1.0;
  nearest[axis] = side * half[axis];
  return {nearest, side * Vec3::Unit(axis), -depth[axis]};
}

SurfacePoint capsule_surface(double radius, double half_length, const Vec3& x) {
  const Vec3 axis_point(0, 0, std::clamp(x.z(), -half_length, half_length));
  SurfacePoint out;
  // On the axis every direction across it is as near; +x is taken.
  if (!point_outside(x, axis_point, out)) out = {axis_point, Vec3::UnitX(), 0};
  return {axis_point + radius * out.normal, out.normal, out.distance - radius};
}

Vec3 nearest_on_segment(const Vec3& p, const Vec3& q, const Vec3& x) {
  const Vec3 d = q - p;
  return p + std::clamp(d.dot(x - p) / d.squaredNorm(), 0.0, 1.0) * d;
}

SurfacePoint hull_surface(const Polyhedron& hull, const Vec3& x) {
  std::size_t top = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < hull.planes.size(); ++f) {
    const double height = hull.planes[f].normal.dot(x) - hull.planes[f].offset;
    if (height > highest) highest = height, top = f;
  }
  if (highest <= 0) return {x - highest * hull.planes[top].normal, hull.planes[top].normal, highest};
  // Outside: the nearest point lies on a face that x is above of, over its inside or on one of its edges.
  double nearest2 = std::numeric_limits<double>::infinity();
  SurfacePoint out{x, hull.planes[top].normal, highest};
  for (std::size_t f = 0; f < hull.planes.size(); ++f) {
    const FacePlane& plane = hull.planes[f];
    const double height = plane.normal.dot(x) - plane.offset;
    if (!(height > 0) || height * height >= nearest2) continue;
    const auto loop = hull.face_vertices[f];
    bool over = true;
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vec3 &from = hull.vertices[loop[k]], &to = hull.vertices[loop[(k + 1) % loop.size()]];
      if ((to - from).cross(plane.normal).dot(x - from) <= 0) continue;
      over = false;
      const Vec3 q = nearest_on_segment(from, to, x);
      const double squared = (x - q).squaredNorm();
      if (squared < nearest2 && point_outside(x, q, out)) nearest2 = squared;
    }
    if (over) return {x - height * plane.normal, plane.normal, height};
  }
  return out;
}

}  // namespace

SurfacePoint surface_of(const Shape& solid, const Vec3& x) {
  switch (solid.kind) {
    case ShapeKind::Box:
      return box_surface(solid.half_extents, x);
    case ShapeKind::Capsule:
      return capsule_surface(solid.radius, solid.half_length(), x);
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      return RoundSolid(solid).surface(x);
    case ShapeKind::Hull:
      return hull_surface(solid.polyhedron(), x);
    default:
      CAROM_CHECK(false, "a solid other than a sphere");
      return {};
  }
}

void collide_spheres(const PairContext& pair, double radius_a, const Vec3& a, double radius_b, const Vec3& b) {
  const Vec3 offset = a - b;
  const double squared = offset.squaredNorm();
  const double reach = radius_a + radius_b;
  if (squared < kCoincidentSquared) {
    const Vec3 normal = Vec3::UnitZ();
    if (-reach <= pair.margin)
      pair.push(First::A, 0.5 * (a + b) + 0.5 * (radius_b - radius_a) * normal, normal, -reach);
    return;
  }
  // gap = |a - b| - (r_a + r_b); midway between a - r_a n and b + r_b n
  const double distance = std::sqrt(squared);
  const double gap = distance - reach;
  if (!(gap <= pair.margin)) return;
  const Vec3 normal = offset / distance;
  pair.push(First::A, 0.5 * (a + b) + 0.5 * (radius_b - radius_a) * normal, normal, gap);
}

void collide_sphere_solid(const PairContext& pair, First first, double radius, const Vec3& centre, const Shape& solid,
                          const Pose& pose) {
  const Vec3 local = pose.to_local(centre);
  if (!local.allFinite()) return;
  const SurfacePoint s = surface_of(solid, local);
  // gap = distance of the centre - r; midway between the solid's point and the sphere's
  const double gap = s.distance - radius;
  if (!(gap <= pair.margin)) return;
  pair.push(first, pose.to_world(s.point + 0.5 * gap * s.normal), pose.rotation * s.normal, gap);
}

}  // namespace carom
