// Two boxes: separating axes in closed form, then the manifold of the two faces that look at each other. Where only a
// corner or a crossing of edges is near enough, which is seen at once, the faces are not clipped.
#include <algorithm>
#include <array>
#include <cmath>

#include "contact/feature_key.h"
#include "contact/pair_context.h"

namespace carom {

namespace {

constexpr double kTie = 1e-11;      // of the size: of equal axes the first stays
constexpr double kParallel = 1e-8;  // edges at smaller angles are parallel
constexpr double kCoincide = 1e-7;  // of the smaller box
constexpr double kNoise = 1e-9;     // of the smaller box

struct Axis {
  double distance = -std::numeric_limits<double>::infinity();
  int kind = 0;     // 0..2 faces of a, 3..5 faces of b, edges i of a and j of b as 6 + 3 i + j
  double side = 1;  // of a face axis: sign that turns it from b to a
  Vec3 normal;      // of an edge pair: unit, from b to a, frame of b
};

// Axes in the frame of b: R holds the axes of a as columns, t the centre of a.
class BoxPair {
 public:
  BoxPair(const Vec3& half_a, const Vec3& half_b, const RelativeFrame& a_in_b)
      : a_(half_a), b_(half_b), R_(a_in_b.rotation), t_(a_in_b.shift), absolute_(R_.cwiseAbs()) {}

  // False when some axis shows a gap above the limit.
  bool search_faces(double limit, double tie) {
    const Vec3 gap_b = t_.cwiseAbs() - b_ - absolute_ * a_;
    if (gap_b.maxCoeff() > limit) return false;
    const Vec3 in_a = R_.transpose() * t_;
    const Vec3 gap_a = in_a.cwiseAbs() - a_ - absolute_.transpose() * b_;
    if (gap_a.maxCoeff() > limit) return false;
    const auto take = [&](double distance, int kind, double along) {
      best_.distance = distance;
      best_.kind = kind;
      best_.side = along < 0 ? -1.0 : 1.0;
    };
    take(gap_a[0], 0, in_a[0]);
    for (int i = 1; i < 3; ++i)
      if (gap_a[i] > best_.distance + tie) take(gap_a[i], i, in_a[i]);
    for (int i = 0; i < 3; ++i)
      if (gap_b[i] > best_.distance + tie) take(gap_b[i], 3 + i, t_[i]);
    return true;
  }

  // Axes a_i x unit_j; extents along the unnormalized axis are sums of products of the rotation's entries.
  bool search_edges(double limit, double tie) {
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      // a_i x unit_j has components r_(j+2) along j+1 and -r_(j+1) along j+2
      const Vec3 r = R_.col(i), s = absolute_.col(i), squares = r.cwiseAbs2();
      const Vec3 own = a_[i1] * absolute_.col(i2) + a_[i2] * absolute_.col(i1);
      const Vec3 between(t_.y() * r.z() - t_.z() * r.y(), t_.z() * r.x() - t_.x() * r.z(),
                         t_.x() * r.y() - t_.y() * r.x());
      const Vec3 other(b_.y() * s.z() + b_.z() * s.y(), b_.z() * s.x() + b_.x() * s.z(),
                       b_.x() * s.y() + b_.y() * s.x());
      const Vec3 raw = between.cwiseAbs() - own - other;
      const Vec3 squared(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y());
      for (int j = 0; j < 3; ++j) {
        // raw / length > best + tie, tried without the root first
        const double beat = best_.distance + tie;
        if (raw[j] < 0 && (beat >= 0 || raw[j] * raw[j] >= beat * beat * squared[j])) continue;
        if (squared[j] < kParallel * kParallel) continue;
        const double length = std::sqrt(squared[j]), distance = raw[j] / length;
        if (distance > limit) return false;
        if (!(distance > beat)) continue;
        const double scale = (between[j] < 0 ? -1 : 1) / length;
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        best_.distance = distance;
        best_.kind = 6 + 3 * i + j;
        best_.normal[j] = 0;
        best_.normal[j1] = scale * r[j2];
        best_.normal[j2] = -scale * r[j1];
      }
    }
    return true;
  }

  const Axis& best() const { return best_; }
  Vec3 normal() const {
    if (best_.kind < 3) return best_.side * R_.col(best_.kind);
    return best_.kind < 6 ? Vec3(best_.side * Vec3::Unit(best_.kind - 3)) : best_.normal;
  }

 private:
  const Vec3 &a_, &b_;
  const Mat3& R_;
  const Vec3& t_;
  Mat3 absolute_;
  Axis best_;
};

// Number of the edge along an axis through the corner with these signs.
std::uint32_t edge_number(int axis, std::uint32_t corner) {
  static const auto table = [] {
    std::array<std::array<std::uint32_t, 8>, 3> numbers{};
    const Polyhedron& box = unit_box();
    for (std::uint32_t e = 0; e < box.edges.size(); ++e) {
      const std::uint32_t start = box.edges[e].start, end = box.edges[e].end;
      const std::size_t along = (start ^ end) == 1 ? 0 : (start ^ end) == 2 ? 1 : 2;
      numbers[along][start] = numbers[along][end] = e;
    }
    return numbers;
  }();
  return table[static_cast<std::size_t>(axis)][corner];
}

std::uint32_t corner_number(const Vec3& signs) {
  return (signs.x() > 0 ? 1u : 0u) | (signs.y() > 0 ? 2u : 0u) | (signs.z() > 0 ? 4u : 0u);
}

Vec3 signs_of(const Vec3& v) { return {v.x() < 0 ? -1.0 : 1.0, v.y() < 0 ? -1.0 : 1.0, v.z() < 0 ? -1.0 : 1.0}; }

// The lowest corner of one box over a face of the other: all in the frame of that other, whose face looks along `axis`
// with sign `side`. True when no other corner of the overlap is within `reach` of it.
struct LowestCorner {
  Vec3 point;
  std::uint32_t number;
};
bool lone_corner(const Vec3& half, const Mat3& axes, const Vec3& centre, const Vec3& face_half, int axis, double side,
                 double reach, LowestCorner& out) {
  const Vec3 slope = side * axes.row(axis).transpose();  // height gained along each axis of the box
  const Vec3 signs = -signs_of(slope);
  out.point = centre + axes * signs.cwiseProduct(half);
  out.number = corner_number(signs);
  int steepest = 0;
  slope.cwiseAbs().maxCoeff(&steepest);  // the normal of the face that looks down
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto inside = [&](double x, double y) { return std::abs(x) < face_half[u] && std::abs(y) < face_half[v]; };
  if (!inside(out.point[u], out.point[v])) return false;
  for (int k = 0; k < 3; ++k) {
    if (k == steepest) continue;
    // along the edge from the corner to where it leaves the reach
    const double rise = std::abs(slope[k]);
    if (2 * half[k] * rise <= reach) return false;
    const double length = -signs[k] * reach / rise;
    if (!inside(out.point[u] + length * axes(u, k), out.point[v] + length * axes(v, k))) return false;
  }
  return true;
}

// Whether the other box's edge, running from the crossing into the face of this one, rises by `reach` before it leaves
// the face or ends. This box's frame; its edge runs along `axis`, `out` is the normal that points out of it,
// `direction` the other edge, on which the crossing is `before` from one end and `after` from the other.
bool edge_leaves(const Vec3& half, int axis, const Vec3& out, const Vec3& crossing, const Vec3& direction,
                 double before, double after, double reach) {
  const int j1 = (axis + 1) % 3, j2 = (axis + 2) % 3;
  const int face = std::abs(out[j1]) >= std::abs(out[j2]) ? j1 : j2, across = face == j1 ? j2 : j1;
  // into the face: away from the edge's side
  const double turn = direction[across] * out[across] < 0 ? 1 : -1;
  const double rise = std::abs(direction[face] / out[face]);
  if (!(rise > 0)) return false;
  const double length = reach / rise;
  return length < (turn > 0 ? after : before) && length * std::abs(direction[across]) < 2 * half[across] &&
         std::abs(crossing[axis] + turn * length * direction[axis]) < half[axis];
}

// The face that looks most along `direction` (frame of the box), seen from the frame where the box has axes R, centre
// t.
void box_face(const Vec3& half, const Vec3& direction, const Mat3& R, const Vec3& t, FeaturePolygon& out) {
  const Polyhedron& topology = unit_box();
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  const auto face = static_cast<std::uint32_t>(2 * axis + (direction[axis] > 0 ? 1 : 0));
  const auto loop = topology.face_vertices[face], edges = topology.face_edges[face];
  out.plane.normal = direction[axis] > 0 ? Vec3(R.col(axis)) : Vec3(-R.col(axis));
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  const Vec3 middle = t + half[axis] * out.plane.normal, u = half[i] * R.col(i), v = half[j] * R.col(j);
  out.count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3& sign = topology.vertices[loop[k]];
    out.add(middle + sign[i] * u + sign[j] * v, loop[k], edges[k]);
  }
  out.plane.offset = half[axis] + out.plane.normal.dot(t);
}

struct BoxContext {
  const PairContext& pair;
  const Vec3 &half_a, &half_b;
  const RelativeFrame& a_in_b;
  const Pose& frame;  // of b

  bool lone_corner_of_b(const Axis& best, const Vec3& normal) const {
    LowestCorner corner;
    const Vec3 centre = -a_in_b.rotation.transpose() * a_in_b.shift;
    if (!lone_corner(half_b, a_in_b.rotation.transpose(), centre, half_a, best.kind, -best.side,
                     pair.margin - best.distance, corner))
      return false;
    push(a_in_b.point(corner.point) + 0.5 * best.distance * normal, normal, best.distance, corner_of_b(corner.number));
    return true;
  }
  bool lone_corner_of_a(const Axis& best, const Vec3& normal) const {
    LowestCorner corner;
    if (!lone_corner(half_a, a_in_b.rotation, a_in_b.shift, half_b, best.kind - 3, best.side,
                     pair.margin - best.distance, corner))
      return false;
    push(corner.point - 0.5 * best.distance * normal, normal, best.distance, corner_of_a(corner.number));
    return true;
  }
  bool lone_crossing(const Axis& best) const {
    const int i = (best.kind - 6) / 3, j = (best.kind - 6) % 3;
    const Vec3& n = best.normal;
    const Vec3 out_a = -a_in_b.direction_to_a(n), sign_a = signs_of(out_a), sign_b = signs_of(n);
    Vec3 on_a = sign_a.cwiseProduct(half_a), on_b = sign_b.cwiseProduct(half_b);
    on_a[i] = on_b[j] = 0;
    // nearest points of middle_a + s e_a and middle_b + t unit_j
    const Vec3 e = a_in_b.rotation.col(i), middle = a_in_b.point(on_a), between = on_b - middle;
    const double cosine = e[j], det = 1 - cosine * cosine;
    const double s = (between.dot(e) - between[j] * cosine) / det, t = (between.dot(e) * cosine - between[j]) / det;
    if (std::abs(s) >= half_a[i] || std::abs(t) >= half_b[j]) return false;
    const double reach = pair.margin - best.distance;
    on_a[i] = s;
    on_b[j] = t;
    const Vec3 along_b = a_in_b.rotation.row(j).transpose();  // unit_j in the frame of a
    if (!edge_leaves(half_b, j, n, on_b, e, half_a[i] + s, half_a[i] - s, reach) ||
        !edge_leaves(half_a, i, out_a, on_a, along_b, half_b[j] + t, half_b[j] - t, reach))
      return false;
    push(0.5 * (middle + s * e + on_b), n, best.distance,
         edge_crossing(edge_number(i, corner_number(sign_a)), edge_number(j, corner_number(sign_b))));
    return true;
  }
  void push(const Vec3& point, const Vec3& normal, double gap, std::uint64_t feature) const {
    pair.push(First::A, frame.to_world(point), frame.rotation * normal, gap, feature);
  }
};

}  // namespace

void collide_boxes(const PairContext& pair, const Shape& box_a, const Pose& pose_a, const Shape& box_b,
                   const Pose& pose_b) {
  const Vec3 &half_a = box_a.half_extents, &half_b = box_b.half_extents;
  const RelativeFrame a_in_b = RelativeFrame::of(pose_a, pose_b);
  if (!a_in_b.finite()) return;
  const double tie = kTie * (half_a.maxCoeff() + half_b.maxCoeff());
  BoxPair boxes(half_a, half_b, a_in_b);
  if (!boxes.search_faces(pair.margin, tie) || !boxes.search_edges(pair.margin, tie)) return;
  const Axis& best = boxes.best();
  const Vec3 normal = boxes.normal();
  const BoxContext context{pair, half_a, half_b, a_in_b, pose_b};
  if (best.kind < 3   ? context.lone_corner_of_b(best, normal)
      : best.kind < 6 ? context.lone_corner_of_a(best, normal)
                      : context.lone_crossing(best))
    return;

  thread_local FeaturePolygon polygon_a, polygon_b;
  box_face(half_a, a_in_b.direction_to_a(-normal), a_in_b.rotation, a_in_b.shift, polygon_a);
  box_face(half_b, normal, Mat3::Identity(), Vec3::Zero(), polygon_b);
  thread_local Manifold manifold;
  manifold.clear();
  const double size = std::min(half_a.maxCoeff(), half_b.maxCoeff());
  intersect_features(polygon_a, polygon_b, normal, kCoincide * size, pair.margin, manifold);

  // A point at the distance that the axis shows proves it. Without one the nearest features are a corner or an edge
  // against a corner, whose direction is none of the 15 axes.
  const auto points = std::span(manifold.point).first(static_cast<std::size_t>(manifold.count));
  const bool proven = std::any_of(points.begin(), points.end(),
                                  [&](const ManifoldPoint& p) { return p.gap <= best.distance + kNoise * size; });
  if (proven) return push_manifold(pair, manifold, normal, best.distance, 0, 0, pose_b);
  CoreStorage storage_a, storage_b;
  collide_cores(pair, core_of(box_a, storage_a), pose_a, core_of(box_b, storage_b), pose_b);
}

}  // namespace carom
