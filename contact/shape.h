// The closed set of shapes. A shape knows its own frame only; a Pose places it.
#pragma once

#include <limits>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "base/types.h"

namespace carom {

struct Polyhedron;
struct TriangleMesh;
struct HeightField;

enum class ShapeKind : std::uint8_t {
  Sphere,       // radius about the local origin
  HalfSpace,    // solid is local z <= 0, outward normal is local +z; unbounded
  Plane,        // the sheet local z = 0, felt from both sides; unbounded
  Box,          // |x| <= half_extents, any orientation
  Capsule,      // points within radius of the segment |z| <= half_length on the local z axis
  Cylinder,     // |z| <= half_length, within radius of the local z axis
  Cone,         // axis local z; base at -half_length/2, apex at 3 half_length/2: the origin is the centroid
  Hull,         // convex polyhedron
  Mesh,         // triangles, felt from their front: see contact/triangle_mesh.h
  HeightField,  // terrain, solid below: see contact/height_field.h; unbounded
  Disk,         // planar runs: within radius of the local origin, in the plane local z = 0
  Polygon,      // planar runs: convex, vertices in the plane local z = 0
};
inline constexpr ShapeKind kLastShapeKind = ShapeKind::Polygon;

struct Shape {
  ShapeKind kind = ShapeKind::Sphere;
  double radius = 0;  // Sphere, Capsule, Cylinder, Cone (of the base), m
  // Box, m; Capsule, Cylinder, Cone: (radius, radius, half_length); Disk: (radius, radius, half the thickness);
  // Polygon: (radii about the centroid of the circle that holds it and of that which fits in, half the thickness)
  Vec3 half_extents = Vec3::Zero();
  std::shared_ptr<const void> data;  // Hull, Mesh, HeightField; Polygon, as a prism: shared, immutable

  static Shape sphere(double radius) { return {ShapeKind::Sphere, radius, Vec3::Zero(), {}}; }
  static Shape half_space() { return {ShapeKind::HalfSpace, 0, Vec3::Zero(), {}}; }
  static Shape plane() { return {ShapeKind::Plane, 0, Vec3::Zero(), {}}; }
  static Shape box(const Vec3& half_extents) { return {ShapeKind::Box, 0, half_extents, {}}; }
  static Shape capsule(double radius, double half_length) { return round(ShapeKind::Capsule, radius, half_length); }
  static Shape cylinder(double radius, double half_length) { return round(ShapeKind::Cylinder, radius, half_length); }
  // Height 2 half_length, from the base to the apex.
  static Shape cone(double radius, double half_length) { return round(ShapeKind::Cone, radius, half_length); }
  static Shape hull(std::shared_ptr<const Polyhedron> polyhedron);
  static Shape hull(std::span<const Vec3> points);  // of their convex hull; throws InputError when there is none
  static Shape mesh(std::shared_ptr<const TriangleMesh> mesh);
  static Shape height_field(std::shared_ptr<const HeightField> field);
  // Shapes of planar runs. The thickness (m) gives them a mass and a look; contacts do not see it.
  static Shape disk(double radius, double thickness = 1) { return round(ShapeKind::Disk, radius, 0.5 * thickness); }
  // Vertices in either order of turning. Throws InputError when fewer than three are corners, when they are not
  // convex, enclose no area or are not finite.
  static Shape polygon(std::span<const Vec2> vertices, double thickness = 1);

  double half_length() const { return half_extents.z(); }
  const Polyhedron& polyhedron() const {
    CAROM_ASSERT(kind == ShapeKind::Hull || kind == ShapeKind::Polygon, "the shape is a hull or a polygon");
    return *static_cast<const Polyhedron*>(data.get());
  }
  const TriangleMesh& triangle_mesh() const {
    CAROM_ASSERT(kind == ShapeKind::Mesh, "the shape is a mesh");
    return *static_cast<const TriangleMesh*>(data.get());
  }
  const HeightField& terrain() const {
    CAROM_ASSERT(kind == ShapeKind::HeightField, "the shape is a height field");
    return *static_cast<const HeightField*>(data.get());
  }

  bool bounded() const {
    return kind != ShapeKind::HalfSpace && kind != ShapeKind::Plane && kind != ShapeKind::HeightField;
  }
  // A shape of the plane: only planar runs know its contacts.
  bool flat() const { return kind == ShapeKind::Disk || kind == ShapeKind::Polygon; }
  // A surface without a mass of its own: bodies that wear one are fixed or kinematic.
  bool surface() const { return !bounded() || kind == ShapeKind::Mesh; }

  // A ball that holds the shape, in the local frame; an infinite one when unbounded. Of a flat shape the part in the
  // plane is held, whatever its thickness.
  Vec3 bounding_centre() const;
  double bounding_radius() const;
  // The largest ball that fits in, about the centroid; 0 for surfaces.
  double inner_radius() const;

 private:
  static Shape round(ShapeKind kind, double radius, double half_length) {
    return {kind, radius, Vec3(radius, radius, half_length), {}};
  }
};

std::string_view name_of(ShapeKind kind);  // "sphere", "half_space", "plane", "box", ...

// Mass properties of the solid at density 1, in the local frame. Surfaces have none (zero).
struct SolidProperties {
  double volume = 0;             // m^3
  Vec3 centroid = Vec3::Zero();  // m; the local origin for all but hulls and polygons
  Mat3 inertia = Mat3::Zero();   // about the centroid, m^5
};
SolidProperties solid_properties(const Shape& shape);

// The same for a polyhedron, by exact integrals over the tetrahedra that its faces span with an inner point.
SolidProperties solid_properties(const Polyhedron& polyhedron);

}  // namespace carom
