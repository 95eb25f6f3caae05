#include "contact/manifold.h"

#include <algorithm>
#include <cmath>

#include "contact/feature_key.h"

namespace carom {

namespace {

// Faces steeper than this against the normal are replaced by their lowest edge or vertex: heights over them mean
// nothing.
constexpr double kSteep = 0.1;

// A polygon seen along the normal.
struct Outline {
  int count = 0, edges = 0;
  std::array<Vec2, kMaxCorners> corner;
  std::array<Vec2, kMaxCorners> along;        // edge k, turned so that the inside is on its left
  std::array<double, kMaxCorners> tolerance;  // of edge k: products with `along` below this are on its line
  std::array<double, kMaxCorners> gap;        // of the two features at each corner
  std::array<bool, kMaxCorners> near, over;   // gap within the limit; and over the other feature

  void project(const FeaturePolygon& polygon, const Vec3& u, const Vec3& v, double turn, double distance) {
    count = polygon.count;
    edges = count >= 3 ? count : count - 1;
    const auto n = static_cast<std::size_t>(count);
    for (std::size_t k = 0; k < n; ++k) corner[k] = Vec2(u.dot(polygon.corner[k]), v.dot(polygon.corner[k]));
    for (std::size_t k = 0; k < static_cast<std::size_t>(edges); ++k) {
      along[k] = turn * (corner[k + 1 < n ? k + 1 : 0] - corner[k]);
      // The sum of both parts is the length within a factor 1.42, which a tolerance need not know better.
      tolerance[k] = distance * (std::abs(along[k].x()) + std::abs(along[k].y()));
    }
  }
  std::size_t next(std::size_t k) const { return k + 1 < static_cast<std::size_t>(count) ? k + 1 : 0; }
  // Distance of a point from the line of edge k, times its length; positive outside.
  double outside(std::size_t k, const Vec2& x) const {
    const Vec2 d = x - corner[k];
    return along[k].y() * d.x() - along[k].x() * d.y();
  }
};

// Distances of the corners of one outline from the edges of the other, for those corners that may matter.
struct Distances {
  std::array<double, kMaxCorners * kMaxCorners> value;
  std::size_t stride = 0;

  double operator()(std::size_t corner, std::size_t edge) const { return value[corner * stride + edge]; }
  void fill(const Outline& corners, const Outline& edges) {
    stride = static_cast<std::size_t>(edges.edges);
    const auto count = static_cast<std::size_t>(corners.count);
    for (std::size_t i = 0; i < count; ++i) {
      // A corner matters when it, or a neighbour to which it has an edge, is near.
      if (!corners.near[i] && !corners.near[corners.next(i)] && !corners.near[i > 0 ? i - 1 : count - 1]) continue;
      for (std::size_t j = 0; j < stride; ++j) value[i * stride + j] = edges.outside(j, corners.corner[i]);
    }
  }
};

bool stands_over(const Outline& corners, std::size_t i, const Outline& other, const Distances& distance,
                 double tolerance) {
  if (other.count == 1) return (corners.corner[i] - other.corner[0]).squaredNorm() <= tolerance * tolerance;
  if (other.count == 2) {
    const double length2 = other.along[0].squaredNorm();
    const double along = std::abs(other.along[0].dot(2 * corners.corner[i] - other.corner[0] - other.corner[1]));
    return std::abs(distance(i, 0)) <= other.tolerance[0] && along <= length2 + 2 * other.tolerance[0];
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(other.edges); ++j)
    if (distance(i, j) > other.tolerance[j]) return false;
  return true;
}

// Height along n from x to an edge or a vertex: to its point nearest to x as seen along n.
double height_to(const FeaturePolygon& polygon, const Vec3& x, const Vec3& n) {
  if (polygon.count == 1) return n.dot(polygon.corner[0] - x);
  const Vec3 d = polygon.corner[1] - polygon.corner[0];
  const Vec3 flat = d - n.dot(d) * n;
  const double squared = flat.squaredNorm();
  const double t = squared > 0 ? std::clamp(flat.dot(x - polygon.corner[0]) / squared, 0.0, 1.0) : 0.0;
  return n.dot(polygon.corner[0] + t * d - x);
}

// Gaps at the corners of one feature; `sign` is +1 for the feature of b, from which heights along n are gaps.
void measure_gaps(const FeaturePolygon& own, const FeaturePolygon& other, const Vec3& n, double sign, double limit,
                  Outline& outline) {
  const double scale = other.count >= 3 ? sign / other.plane.normal.dot(n) : 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(own.count); ++k) {
    outline.gap[k] = other.count >= 3 ? scale * (other.plane.offset - other.plane.normal.dot(own.corner[k]))
                                      : sign * height_to(other, own.corner[k], n);
    outline.near[k] = outline.gap[k] <= limit;
  }
}

// Strictly on opposite sides.
bool straddles(double p, double q, double tolerance) {
  return (p > tolerance && q < -tolerance) || (p < -tolerance && q > tolerance);
}

}  // namespace

void intersect_features(const FeaturePolygon& a, const FeaturePolygon& b, const Vec3& n, double tolerance, double limit,
                        Manifold& out) {
  const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
  Outline pa, pb;
  // Seen along -n a face of b is counter-clockwise and one of a, which looks the other way, clockwise.
  pa.project(a, u, v, -1, tolerance);
  pb.project(b, u, v, 1, tolerance);
  measure_gaps(a, b, n, -1, limit, pa);
  measure_gaps(b, a, n, 1, limit, pb);
  Distances from_b, from_a;  // of corners of a, of corners of b
  from_b.fill(pa, pb);
  from_a.fill(pb, pa);
  const auto count_a = static_cast<std::size_t>(a.count), count_b = static_cast<std::size_t>(b.count);

  for (std::size_t i = 0; i < count_a; ++i) {
    pa.over[i] = pa.near[i] && stands_over(pa, i, pb, from_b, tolerance);
    if (pa.over[i]) out.add({corner_of_a(a.vertex[i]), pa.gap[i], a.corner[i], a.corner[i] - pa.gap[i] * n});
  }
  for (std::size_t j = 0; j < count_b; ++j) {
    if (!pb.near[j] || !stands_over(pb, j, pa, from_a, tolerance)) continue;
    bool coincides = false;
    for (std::size_t i = 0; i < count_a && !coincides; ++i)
      coincides = pa.over[i] && (pa.corner[i] - pb.corner[j]).squaredNorm() <= 16 * tolerance * tolerance;
    if (!coincides) out.add({corner_of_b(b.vertex[j]), pb.gap[j], b.corner[j] + pb.gap[j] * n, b.corner[j]});
  }
  // The gap at a crossing is between those at the ends of each of its edges.
  for (std::size_t i = 0; i < static_cast<std::size_t>(pa.edges); ++i) {
    const std::size_t i_next = pa.next(i);
    if (!pa.near[i] && !pa.near[i_next]) continue;
    for (std::size_t j = 0; j < static_cast<std::size_t>(pb.edges); ++j) {
      const std::size_t j_next = pb.next(j);
      if (!pb.near[j] && !pb.near[j_next]) continue;
      const double p = from_b(i, j), p_next = from_b(i_next, j);
      if (!straddles(p, p_next, pb.tolerance[j])) continue;
      const double q = from_a(j, i), q_next = from_a(j_next, i);
      if (!straddles(q, q_next, pa.tolerance[i])) continue;
      const Vec3 on_a = a.corner[i] + p / (p - p_next) * (a.corner[i_next] - a.corner[i]);
      const Vec3 on_b = b.corner[j] + q / (q - q_next) * (b.corner[j_next] - b.corner[j]);
      const double gap = n.dot(on_a - on_b);
      if (gap <= limit) out.add({edge_crossing(a.edge[i], b.edge[j]), gap, on_a, on_b});
    }
  }
}

void facing_feature(const ConvexCore& core, std::uint32_t extreme, const Vec3& direction, double reach,
                    const RelativeFrame& to_frame, FeaturePolygon& out) {
  const Polyhedron& topology = *core.topology;
  const double enough = direction.dot(core.vertices[extreme]) - reach;
  const auto within_reach = [&](std::uint32_t v) { return direction.dot(core.vertices[v]) >= enough; };
  out.count = 0;

  // Of the faces around the extreme vertex that with the most corners in reach, then the one that faces best.
  std::uint32_t face = kNoFace;
  int most = 0;
  double alignment = kSteep;
  for (const std::uint32_t f : topology.vertex_faces[extreme]) {
    const double cosine = core.planes[f].normal.dot(direction);
    if (cosine < kSteep) continue;
    int near = 0;
    for (const std::uint32_t v : topology.face_vertices[f]) near += within_reach(v) ? 1 : 0;
    if (near < most || (near == most && cosine <= alignment)) continue;
    face = f;
    most = near;
    alignment = cosine;
  }
  if (face != kNoFace) {
    const auto loop = topology.face_vertices[face], edges = topology.face_edges[face];
    const std::size_t size = loop.size(), kept = std::min<std::size_t>(size, kMaxCorners);
    const auto first = static_cast<std::size_t>(std::find(loop.begin(), loop.end(), extreme) - loop.begin());
    for (std::size_t k = 0; k < kept; ++k) {
      // All corners in their own order, or evenly spread ones that start with the extreme one.
      const std::size_t at = kept == size ? k : (first + k * size / kept) % size;
      out.add(to_frame.point(core.vertices[loop[at]]), loop[at], edges[at]);
    }
    out.plane.normal = to_frame.rotation * core.planes[face].normal;
    out.plane.offset = core.planes[face].offset + out.plane.normal.dot(to_frame.shift);
    return;
  }

  // An edge when its other end is in reach too.
  const auto edges = core.edges();
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    if (edges[e].start != extreme && edges[e].end != extreme) continue;
    if (!within_reach(edges[e].start) || !within_reach(edges[e].end)) continue;
    out.add(to_frame.point(core.vertices[edges[e].start]), edges[e].start, e);
    out.add(to_frame.point(core.vertices[edges[e].end]), edges[e].end, e);
    return;
  }
  out.add(to_frame.point(core.vertices[extreme]), extreme, 0);
}

}  // namespace carom
