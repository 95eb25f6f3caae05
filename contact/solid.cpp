// Volume, centroid and inertia of solids.
#include <fmt/format.h>

#include <numbers>

#include "base/error.h"
#include "contact/polyhedron.h"
#include "contact/shape.h"
#include "contact/triangle_mesh.h"

namespace carom {

namespace {

using std::numbers::pi;

// A body of revolution about z, given volume times (Ixx = Iyy, Izz) per volume.
SolidProperties revolution(double volume, double across, double along) {
  return {volume, Vec3::Zero(), Mat3(Vec3(across, across, along).asDiagonal())};
}

SolidProperties sphere(double r) {
  const double volume = 4.0 / 3.0 * pi * r * r * r;
  // 2/5 m r^2 about every axis
  return {volume, Vec3::Zero(), 0.4 * volume * r * r * Mat3::Identity()};
}

SolidProperties box(const Vec3& half) {
  const Vec3 squared = half.cwiseAbs2();
  const double volume = 8.0 * half.prod();
  // m/3 (b^2 + c^2) with half extents
  const Vec3 diagonal =
      volume / 3.0 * Vec3(squared.y() + squared.z(), squared.z() + squared.x(), squared.x() + squared.y());
  return {volume, Vec3::Zero(), Mat3(diagonal.asDiagonal())};
}

SolidProperties cylinder(double r, double half) {
  const double m = 2 * pi * r * r * half;
  // m (r^2/4 + half^2/3) across, m r^2/2 along
  return revolution(m, m * (0.25 * r * r + half * half / 3), 0.5 * m * r * r);
}

SolidProperties capsule(double r, double half) {
  const SolidProperties tube = cylinder(r, half), ball = sphere(r);
  // Two half balls: their own centroids lie 3/8 r beyond the ends of the tube.
  const double across = ball.volume * (0.4 * r * r + half * half + 0.75 * half * r);
  return revolution(tube.volume + ball.volume, tube.inertia(0, 0) + across, tube.inertia(2, 2) + ball.inertia(2, 2));
}

SolidProperties cone(double r, double half) {
  const double height = 2 * half, m = pi * r * r * height / 3;
  // 3/20 m r^2 + 3/80 m h^2 across, 3/10 m r^2 along
  return revolution(m, m * (0.15 * r * r + 0.0375 * height * height), 0.3 * m * r * r);
}

// Integrals over the tetrahedra that triangles span with an inner point, so that a far origin costs no digits. A
// tetrahedron (0, p, q, s) has
//     6 V = p . (q x s),   integral x = V/4 sum,   integral x x^T = V/20 (sum sum^T + p p^T + q q^T + s s^T)
class SolidSum {
 public:
  explicit SolidSum(std::span<const Vec3> vertices) {
    for (const Vec3& v : vertices) inner_ += v / static_cast<double>(vertices.size());
  }
  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 p = a - inner_, q = b - inner_, s = c - inner_, sum = p + q + s;
    const double v = p.dot(q.cross(s)) / 6;
    volume_ += v;
    first_ += 0.25 * v * sum;
    second_ += v / 20 * (sum * sum.transpose() + p * p.transpose() + q * q.transpose() + s * s.transpose());
  }
  SolidProperties result() const {
    const Vec3 centroid = first_ / volume_;
    const Mat3 central = second_ - volume_ * centroid * centroid.transpose();
    return {volume_, inner_ + centroid, Mat3(central.trace() * Mat3::Identity() - central)};
  }

 private:
  Vec3 inner_ = Vec3::Zero();
  double volume_ = 0;
  Vec3 first_ = Vec3::Zero();
  Mat3 second_ = Mat3::Zero();
};

}  // namespace

SolidProperties solid_properties(const Polyhedron& polyhedron) {
  SolidSum sum(polyhedron.vertices);
  for (std::size_t f = 0; f < polyhedron.planes.size(); ++f) {
    const auto loop = polyhedron.face_vertices[f];
    for (std::size_t k = 1; k + 1 < loop.size(); ++k)
      sum.add(polyhedron.vertices[loop[0]], polyhedron.vertices[loop[k]], polyhedron.vertices[loop[k + 1]]);
  }
  return sum.result();
}

SolidProperties solid_properties(const TriangleMesh& mesh, const TrianglePlace& place) {
  for (const MeshEdge& edge : mesh.edges) {
    if (edge.bend != EdgeBend::Border) continue;
    const Vec3 &p = mesh.vertices[edge.start], &q = mesh.vertices[edge.end];
    throw InputError(place_of(edge.left, place),
                     "the surface is open: no other triangle has its edge; a solid needs a closed one",
                     fmt::format("[{}, {}, {}] to [{}, {}, {}]", p.x(), p.y(), p.z(), q.x(), q.y(), q.z()));
  }
  const std::string file = place_of(0, place).file;
  SolidSum sum(mesh.vertices);
  for (const auto& [a, b, c] : mesh.triangles) sum.add(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
  const SolidProperties solid = sum.result();
  const double size = (mesh.bounds.high - mesh.bounds.low).norm();
  if (solid.volume < -1e-12 * size * size * size)
    throw InputError({file, 0, 0, "mesh"}, "is inverted: its triangles look inwards",
                     fmt::format("volume {} m^3", solid.volume));
  if (!(solid.volume > 1e-12 * size * size * size))
    throw InputError({file, 0, 0, "mesh"}, "encloses no volume", fmt::format("{} m^3", solid.volume));
  return solid;
}

SolidProperties solid_properties(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Sphere:
      return sphere(shape.radius);
    case ShapeKind::Box:
      return box(shape.half_extents);
    case ShapeKind::Capsule:
      return capsule(shape.radius, shape.half_length());
    case ShapeKind::Cylinder:
    case ShapeKind::Disk:
      return cylinder(shape.radius, shape.half_length());
    case ShapeKind::Cone:
      return cone(shape.radius, shape.half_length());
    case ShapeKind::Hull:
    case ShapeKind::Polygon:
      return solid_properties(shape.polyhedron());
    default:
      return {};
  }
}

}  // namespace carom
