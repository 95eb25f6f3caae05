// A sphere against any solid, in closed form: the surface point of the solid that is nearest to the centre.
#include <cmath>

#include "contact/pair_context.h"

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

// Solids of revolution about z: the profile is a convex polygon in the half plane (rho, z), rho >= 0, given by the
// segments that are surface, each with its outward normal.
struct ProfileSegment {
  Vec2 from, to, normal;
};

SurfacePoint revolved_surface(std::span<const ProfileSegment> profile, const Vec3& x) {
  const double rho = std::hypot(x.x(), x.y());
  // On the axis every azimuth is as near; +x is taken.
  const Vec2 radial = rho > 0 ? Vec2(x.head<2>() / rho) : Vec2(1, 0);
  const Vec2 p(rho, x.z());
  const auto lift = [&](const Vec2& q) { return Vec3(q.x() * radial.x(), q.x() * radial.y(), q.y()); };

  double highest = -std::numeric_limits<double>::infinity(), nearest2 = std::numeric_limits<double>::infinity();
  const ProfileSegment* face = nullptr;
  Vec2 nearest = Vec2::Zero();
  for (const ProfileSegment& s : profile) {
    const double height = s.normal.dot(p - s.from);
    if (height > highest) highest = height, face = &s;
    const Vec2 d = s.to - s.from;
    const Vec2 q = s.from + std::clamp(d.dot(p - s.from) / d.squaredNorm(), 0.0, 1.0) * d;
    const double squared = (p - q).squaredNorm();
    if (squared < nearest2) nearest2 = squared, nearest = q;
  }
  SurfacePoint out;
  if (highest > 0 && point_outside(x, lift(nearest), out)) return out;
  return {lift(p - highest * face->normal), lift(face->normal), highest};
}

SurfacePoint cylinder_surface(double r, double half, const Vec3& x) {
  const ProfileSegment profile[] = {{Vec2(r, -half), Vec2(r, half), Vec2(1, 0)},
                                    {Vec2(0, half), Vec2(r, half), Vec2(0, 1)},
                                    {Vec2(0, -half), Vec2(r, -half), Vec2(0, -1)}};
  return revolved_surface(profile, x);
}

SurfacePoint cone_surface(double r, double half, const Vec3& x) {
  const double base = -0.5 * half, apex = 1.5 * half;
  const Vec2 slant = Vec2(2 * half, r).normalized();
  const ProfileSegment profile[] = {{Vec2(r, base), Vec2(0, apex), slant}, {Vec2(0, base), Vec2(r, base), Vec2(0, -1)}};
  return revolved_surface(profile, x);
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
      return cylinder_surface(solid.radius, solid.half_length(), x);
    case ShapeKind::Cone:
      return cone_surface(solid.radius, solid.half_length(), x);
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
    if (-reach <= pair.margin) pair.push(First::A, 0.5 * (a + b), Vec3::UnitZ(), -reach);
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
