#include "contact/bounds.h"

#include <algorithm>
#include <cmath>

#include "contact/polyhedron.h"
#include "contact/triangle_mesh.h"

namespace carom {

namespace {

// Relative slack: what touches exactly at the distance is not lost to the rounding of sums and rotations.
constexpr double kSlack = 1.0 + 1e-12;
// Rounding of a point that is rotated and moved to `position`, per unit of the position.
constexpr double kPlaceError = 1e-15;

LocalBox box_around(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return {0.5 * (low + high), 0.5 * (high - low)};
}

// Extent of a box with half extents `half` along a direction.
double reach_along(const Mat3& axes, const Vec3& half, const Vec3& direction) {
  return (axes.transpose() * direction).cwiseAbs().dot(half);
}

bool face_separates(const SolidBounds& box, const SolidBounds& other, double distance) {
  const Vec3 offset = box.axes.transpose() * (other.centre - box.centre);
  const Vec3 reach = (box.axes.transpose() * other.axes).cwiseAbs() * other.half;
  return ((offset.cwiseAbs() - (box.half + reach + Vec3::Constant(distance)) * kSlack).array() > 0).any();
}

}  // namespace

LocalBox local_box(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Box:
    case ShapeKind::Cylinder:
      return {Vec3::Zero(), shape.half_extents};
    case ShapeKind::Capsule:
      return {Vec3::Zero(), Vec3(shape.radius, shape.radius, shape.half_length() + shape.radius)};
    case ShapeKind::Cone:
      // base at -half_length/2, apex at 3 half_length/2
      return {Vec3(0, 0, 0.5 * shape.half_length()), shape.half_extents};
    case ShapeKind::Hull:
      return box_around(shape.polyhedron().vertices);
    case ShapeKind::Mesh: {
      // Bodies behind the surface are still pushed out of its thickness.
      const TriangleMesh& mesh = shape.triangle_mesh();
      return {0.5 * (mesh.bounds.low + mesh.bounds.high),
              0.5 * (mesh.bounds.high - mesh.bounds.low) + Vec3::Constant(mesh.thickness)};
    }
    default:
      return {shape.bounding_centre(), Vec3::Constant(shape.bounding_radius())};
  }
}

SolidBounds bounds_of(const Shape& shape, const Pose& pose) {
  const LocalBox box = local_box(shape);
  SolidBounds bounds;
  bounds.axes = pose.rotation.toRotationMatrix();
  bounds.half = box.half;
  bounds.centre = pose.position + bounds.axes * box.centre;
  bounds.extent = bounds.axes.cwiseAbs() * box.half;
  if (shape.kind == ShapeKind::Hull) {
    // Tighter than the box's own: the vertices as they lie.
    bounds.extent.setZero();
    for (const Vec3& vertex : shape.polyhedron().vertices)
      bounds.extent = bounds.extent.cwiseMax((bounds.axes * (vertex - box.centre)).cwiseAbs());
  }
  bounds.radius = std::min(box.half.norm(), shape.bounding_radius() + (box.centre - shape.bounding_centre()).norm());

  const double error = kPlaceError * bounds.centre.cwiseAbs().maxCoeff();
  bounds.half.array() += error;
  bounds.extent = bounds.extent * kSlack + Vec3::Constant(error);
  bounds.radius = bounds.radius * kSlack + error;
  return bounds;
}

bool apart(const SolidBounds& a, const SolidBounds& b, double distance) {
  return face_separates(a, b, distance) || face_separates(b, a, distance);
}

bool apart(const SolidBounds& box, const Vec3& point, double distance) {
  const Vec3 local = box.axes.transpose() * (point - box.centre);
  const Vec3 outside = (local.cwiseAbs() - box.half * kSlack).cwiseMax(0.0);
  return outside.squaredNorm() > distance * distance * kSlack;
}

double lowest_over(const SolidBounds& box, const Vec3& normal, const Vec3& point) {
  return normal.dot(box.centre - point) - reach_along(box.axes, box.half, normal) * kSlack;
}

}  // namespace carom
