// The separation of two convex polyhedra by trying everything: all face normals and all products of edges when they
// overlap, all pairs of a vertex and a face and of two edges when they are apart. Plain loops, no pruning, no shared
// code with the narrow phase but the lists of faces and edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/convex_core.h"

namespace carom::oracle {

struct Point {
  double x, y, z;
};
inline Point operator-(const Point& p, const Point& q) { return {p.x - q.x, p.y - q.y, p.z - q.z}; }
inline Point operator+(const Point& p, const Point& q) { return {p.x + q.x, p.y + q.y, p.z + q.z}; }
inline Point operator*(double s, const Point& p) { return {s * p.x, s * p.y, s * p.z}; }
inline double dot(const Point& p, const Point& q) { return p.x * q.x + p.y * q.y + p.z * q.z; }
inline Point cross(const Point& p, const Point& q) {
  return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}
inline Point plain(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// A core placed in the world.
struct Solid {
  std::vector<Point> vertex;
  std::vector<Point> normal;  // of faces, by cross products of placed corners
  std::vector<std::vector<std::size_t>> face;
  std::vector<std::pair<std::size_t, std::size_t>> edge;

  Solid(const ConvexCore& core, const Pose& pose) {
    const Mat3 R = pose.rotation.toRotationMatrix();
    for (const Vec3& v : core.vertices) vertex.push_back(plain(R * v + pose.position));
    for (const PolyhedronEdge& e : core.edges()) edge.emplace_back(e.start, e.end);
    for (std::size_t f = 0; f < core.planes.size(); ++f) {
      const auto loop = core.topology->face_vertices[f];
      face.emplace_back(loop.begin(), loop.end());
      Point area{0, 0, 0};
      for (std::size_t k = 1; k + 1 < loop.size(); ++k)
        area = area + cross(vertex[loop[k]] - vertex[loop[0]], vertex[loop[k + 1]] - vertex[loop[0]]);
      normal.push_back(1 / std::sqrt(dot(area, area)) * area);
    }
  }
  double lowest(const Point& d) const {
    double least = dot(vertex[0], d);
    for (const Point& v : vertex) least = std::min(least, dot(v, d));
    return least;
  }
};

// The gap that the direction n (unit, from b to a) shows.
inline double along(const Solid& a, const Solid& b, const Point& n) { return a.lowest(n) + b.lowest(-1 * n); }

struct Best {
  double gap = -INFINITY;     // the largest that a candidate direction shows
  Point normal{0, 0, 0};      // that direction
  double second = -INFINITY;  // of directions more than a degree away

  void offer(double g, const Point& n) {
    if (g > gap) {
      if (dot(n, normal) < 0.9998) second = gap;
      gap = g, normal = n;
    } else if (dot(n, normal) < 0.9998) {
      second = std::max(second, g);
    }
  }
};

inline Best best_axis(const Solid& a, const Solid& b) {
  Best best;
  for (const Point& n : a.normal) best.offer(along(a, b, -1 * n), -1 * n);
  for (const Point& n : b.normal) best.offer(along(a, b, n), n);
  for (const auto& e : a.edge) {
    for (const auto& f : b.edge) {
      const Point u = a.vertex[e.second] - a.vertex[e.first], v = b.vertex[f.second] - b.vertex[f.first];
      const Point c = cross(u, v);
      const double squared = dot(c, c);
      if (squared <= 1e-16 * dot(u, u) * dot(v, v)) continue;
      // No other corner may lie beyond the edges' own gap: a cheap bound first.
      const double length = std::sqrt(squared), own = dot(c, a.vertex[e.first] - b.vertex[f.first]) / length;
      const Point n = (own < 0 ? -1 : 1) / length * c;
      if (std::abs(own) > best.second) best.offer(along(a, b, n), n);
      if (-std::abs(own) > best.second) best.offer(along(a, b, -1 * n), -1 * n);
    }
  }
  return best;
}

inline double segment_distance2(const Point& p, const Point& u, const Point& q, const Point& v) {
  // nearest points of p + s u and q + t v; the candidates are the crossing of the lines and the four ends
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
  const Point w = p - q;
  double best = INFINITY;
  const auto offer = [&](double s, double t) {
    const Point d = w + s * u - t * v;
    best = std::min(best, dot(d, d));
  };
  const auto clamped = [](double x) { return std::clamp(x, 0.0, 1.0); };
  const double determinant = uu * vv - uv * uv;
  if (determinant > 1e-14 * uu * vv) {
    const double s = (uv * dot(w, v) - vv * dot(w, u)) / determinant,
                 t = (uu * dot(w, v) - uv * dot(w, u)) / determinant;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) offer(s, t);
  }
  for (const double s : {0.0, 1.0}) offer(s, clamped(dot(w + s * u, v) / vv));
  for (const double t : {0.0, 1.0}) offer(clamped(-dot(w - t * v, u) / uu), t);
  return best;
}

inline double corner_face_distance2(const Solid& corners, const Solid& faces) {
  double best = INFINITY;
  for (std::size_t f = 0; f < faces.face.size(); ++f) {
    for (const Point& x : corners.vertex) {
      const double height = dot(faces.normal[f], x - faces.vertex[faces.face[f][0]]);
      if (height < 0 || height * height >= best) continue;
      bool over = true;
      for (std::size_t k = 0; k < faces.face[f].size() && over; ++k) {
        const Point& from = faces.vertex[faces.face[f][k]];
        const Point& to = faces.vertex[faces.face[f][(k + 1) % faces.face[f].size()]];
        over = dot(cross(to - from, faces.normal[f]), x - from) <= 0;
      }
      if (over) best = height * height;
    }
  }
  return best;
}

// Distance of two solids that are apart.
inline double distance(const Solid& a, const Solid& b) {
  double best = std::min(corner_face_distance2(a, b), corner_face_distance2(b, a));
  for (const auto& e : a.edge)
    for (const auto& f : b.edge)
      best = std::min(best, segment_distance2(a.vertex[e.first], a.vertex[e.second] - a.vertex[e.first],
                                              b.vertex[f.first], b.vertex[f.second] - b.vertex[f.first]));
  return std::sqrt(best);
}

}  // namespace carom::oracle
