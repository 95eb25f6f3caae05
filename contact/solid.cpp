// Volume, centroid and inertia of solids.
#include <numbers>

#include "contact/polyhedron.h"
#include "contact/shape.h"

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

}  // namespace

SolidProperties solid_properties(const Polyhedron& polyhedron) {
  // Relative to an inner point, so that a far origin costs no digits. A tetrahedron (0, p, q, s) has
  //     6 V = p . (q x s),   integral x = V/4 sum,   integral x x^T = V/20 (sum sum^T + p p^T + q q^T + s s^T)
  Vec3 inner = Vec3::Zero();
  for (const Vec3& v : polyhedron.vertices) inner += v / static_cast<double>(polyhedron.vertices.size());
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (std::size_t f = 0; f < polyhedron.planes.size(); ++f) {
    const auto loop = polyhedron.face_vertices[f];
    const Vec3 p = polyhedron.vertices[loop[0]] - inner;
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      const Vec3 q = polyhedron.vertices[loop[k]] - inner, s = polyhedron.vertices[loop[k + 1]] - inner;
      const double v = p.dot(q.cross(s)) / 6;
      const Vec3 sum = p + q + s;
      volume += v;
      first += 0.25 * v * sum;
      second += v / 20 * (sum * sum.transpose() + p * p.transpose() + q * q.transpose() + s * s.transpose());
    }
  }
  const Vec3 centroid = first / volume;
  const Mat3 central = second - volume * centroid * centroid.transpose();
  return {volume, inner + centroid, Mat3(central.trace() * Mat3::Identity() - central)};
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
