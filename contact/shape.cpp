#include "contact/shape.h"

#include <cmath>

#include "contact/height_field.h"
#include "contact/polyhedron.h"
#include "contact/triangle_mesh.h"

namespace carom {

std::string_view name_of(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::Sphere:
      return "sphere";
    case ShapeKind::HalfSpace:
      return "half_space";
    case ShapeKind::Plane:
      return "plane";
    case ShapeKind::Box:
      return "box";
    case ShapeKind::Capsule:
      return "capsule";
    case ShapeKind::Cylinder:
      return "cylinder";
    case ShapeKind::Cone:
      return "cone";
    case ShapeKind::Hull:
      return "hull";
    case ShapeKind::Mesh:
      return "mesh";
    case ShapeKind::HeightField:
      return "height_field";
    case ShapeKind::Disk:
      return "disk";
    case ShapeKind::Polygon:
      return "polygon";
  }
  return "unknown";
}

Shape Shape::hull(std::shared_ptr<const Polyhedron> polyhedron) {
  CAROM_CHECK(polyhedron != nullptr, "a hull needs its polyhedron");
  return {ShapeKind::Hull, 0, Vec3::Zero(), std::move(polyhedron)};
}

Shape Shape::hull(std::span<const Vec3> points) { return hull(convex_hull(points)); }

Shape Shape::mesh(std::shared_ptr<const TriangleMesh> mesh) {
  CAROM_CHECK(mesh != nullptr, "a mesh needs its triangles");
  return {ShapeKind::Mesh, 0, Vec3::Zero(), std::move(mesh)};
}

Shape Shape::height_field(std::shared_ptr<const HeightField> field) {
  CAROM_CHECK(field != nullptr, "a height field needs its heights");
  return {ShapeKind::HeightField, 0, Vec3::Zero(), std::move(field)};
}

Vec3 Shape::bounding_centre() const {
  switch (kind) {
    case ShapeKind::Hull:
    case ShapeKind::Polygon:
      return polyhedron().centroid;
    case ShapeKind::Mesh:
      return 0.5 * (triangle_mesh().bounds.low + triangle_mesh().bounds.high);
    default:
      return Vec3::Zero();
  }
}

double Shape::bounding_radius() const {
  switch (kind) {
    case ShapeKind::Sphere:
    case ShapeKind::Disk:
      return radius;
    case ShapeKind::Polygon:
      return half_extents.x();
    case ShapeKind::Box:
      return half_extents.norm();
    case ShapeKind::Capsule:
      return half_length() + radius;
    case ShapeKind::Cylinder:
      return std::hypot(radius, half_length());
    case ShapeKind::Cone:
      return std::max(1.5 * half_length(), std::hypot(radius, 0.5 * half_length()));
    case ShapeKind::Hull:
      return polyhedron().outer_radius;
    case ShapeKind::Mesh:
      return 0.5 * (triangle_mesh().bounds.high - triangle_mesh().bounds.low).norm() + triangle_mesh().thickness;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

double Shape::inner_radius() const {
  switch (kind) {
    case ShapeKind::Sphere:
    case ShapeKind::Capsule:
    case ShapeKind::Disk:
      return radius;
    case ShapeKind::Polygon:
      return half_extents.y();
    case ShapeKind::Box:
      return half_extents.minCoeff();
    case ShapeKind::Cylinder:
      return std::min(radius, half_length());
    case ShapeKind::Cone: {
      // distance of the centroid from the base, and from the slanted side: (3/4 height) sin(half the apex angle)
      const double height = 2 * half_length();
      return std::min(0.25 * height, 0.75 * height * radius / std::hypot(radius, height));
    }
    case ShapeKind::Hull:
      return polyhedron().inner_radius;
    default:
      return 0;
  }
}

}  // namespace carom
