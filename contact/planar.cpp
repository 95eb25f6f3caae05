#include "contact/planar.h"

#include <algorithm>
#include <cmath>

#include "contact/feature_key.h"
#include "contact/pair_context.h"
#include "contact/silhouette.h"

namespace carom {

namespace {

constexpr double kTie = 1e-11;      // of the size: of equal axes the first stays
constexpr double kReliable = 1e-9;  // of the size: nearer points show no direction
constexpr double kCoincide = 1e-7;  // of the smaller silhouette
constexpr double kNoise = 1e-9;     // of the smaller silhouette
constexpr double kSteep = 0.1;      // edges that face less than this (cosine) are their nearer corner

double extent(const Silhouette& s) {
  double largest = 0;
  for (const Vec2& p : s.point) largest = std::max(largest, (p - s.point[0]).squaredNorm());
  return std::sqrt(largest) + s.radius;
}

// Outward unit normal of edge i, which runs counter-clockwise; zero where a segment or a point has none.
Vec2 edge_normal(const Silhouette& s, std::size_t i) {
  const Vec2 d = s.point[s.next(i)] - s.point[i];
  const double length = d.norm();
  return length > 0 ? Vec2(d.y() / length, -d.x() / length) : Vec2(Vec2::Zero());
}

// The silhouettes' separation: the largest gap that a direction shows.
struct Separation2 {
  double gap = -std::numeric_limits<double>::infinity();
  Vec2 normal = Vec2(1, 0);                       // unit, from b to a
  Vec2 on_a = Vec2::Zero(), on_b = Vec2::Zero();  // nearest, or deepest, points
};

class Search2 {
 public:
  Search2(const Silhouette& a, const Silhouette& b, double tie) : a_(a), b_(b), tie_(tie) {}

  Separation2 run(double reliable) {
    bool sure = a_.size() > 1 && try_edges(a_, b_, -1);
    if (b_.size() > 1) sure = try_edges(b_, a_, 1) || (sure && !from_b_);
    // Two points have no edges. Otherwise corner against corner matters only where the two are apart.
    const bool points = std::isinf(best_.gap);
    if (points || (best_.gap > -tie_ && !sure)) try_points(reliable);
    return best_;
  }

 private:
  // Edges of one against the corners of the other; true when the best of them is known to be nearest: its corner
  // stands over the edge. `sign` turns outward normals to point from b to a.
  bool try_edges(const Silhouette& own, const Silhouette& other, double sign) {
    bool over = false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Vec2 n = edge_normal(own, i);
      if (n.x() == 0 && n.y() == 0) continue;
      std::size_t lowest = 0;
      double height = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < other.size(); ++j) {
        const double h = n.dot(other.point[j] - own.point[i]);
        if (h < height) height = h, lowest = j;
      }
      if (!(height > best_.gap + (sign > 0 ? tie_ : 0))) continue;
      const Vec2 corner = other.point[lowest], foot = corner - height * n;
      const Vec2 &from = own.point[i], &to = own.point[own.next(i)];
      over = (foot - from).dot(to - from) >= 0 && (foot - to).dot(from - to) >= 0;
      from_b_ = sign > 0;
      best_ = {height, sign * n, sign > 0 ? corner : foot, sign > 0 ? foot : corner};
    }
    return over;
  }

  void offer(const Vec2& on_a, const Vec2& on_b) {
    const double squared = (on_a - on_b).squaredNorm();
    if (squared >= nearest2_) return;
    nearest2_ = squared;
    near_a_ = on_a;
    near_b_ = on_b;
  }
  static Vec2 nearest_on_edge(const Silhouette& s, std::size_t i, const Vec2& x) {
    const Vec2 &p = s.point[i], d = s.point[s.next(i)] - p;
    const double squared = d.squaredNorm();
    return squared > 0 ? Vec2(p + std::clamp(d.dot(x - p) / squared, 0.0, 1.0) * d) : p;
  }
  // Corners against edges, all of them.
  void try_points(double reliable) {
    for (const Vec2& x : a_.point)
      for (std::size_t j = 0; j < b_.size(); ++j) offer(x, nearest_on_edge(b_, j, x));
    for (const Vec2& x : b_.point)
      for (std::size_t i = 0; i < a_.size(); ++i) offer(nearest_on_edge(a_, i, x), x);
    const double distance = std::sqrt(nearest2_);
    if (std::isinf(best_.gap)) best_ = {distance, Vec2(1, 0), near_a_, near_b_};  // two points
    if (!(distance > reliable) || distance < best_.gap) return;
    best_ = {distance, (near_a_ - near_b_) / distance, near_a_, near_b_};
  }

  const Silhouette &a_, &b_;
  double tie_;
  bool from_b_ = false;
  Separation2 best_;
  double nearest2_ = std::numeric_limits<double>::infinity();
  Vec2 near_a_ = Vec2::Zero(), near_b_ = Vec2::Zero();
};

// The edge or corner that faces the other: along the tangent from `low` to `high`, with heights along the normal there.
struct Facing {
  double low = 0, high = 0, at_low = 0, at_high = 0;
  std::uint32_t low_corner = 0, high_corner = 0;

  // direction: outward, towards the other; heights are measured along n.
  Facing(const Silhouette& s, const Vec2& direction, const Vec2& n, const Vec2& t) {
    std::size_t top = 0;
    for (std::size_t i = 1; i < s.size(); ++i)
      if (direction.dot(s.point[i]) > direction.dot(s.point[top])) top = i;
    std::size_t other = top;
    if (s.size() > 1) {
      const double after = edge_normal(s, top).dot(direction), before = edge_normal(s, s.previous(top)).dot(direction);
      if (std::max(after, before) > kSteep) other = after >= before ? s.next(top) : s.previous(top);
    }
    set(s, top, other, n, t);
  }
  double height(double at) const {
    const double length = high - low;
    return length > 0 ? at_low + std::clamp((at - low) / length, 0.0, 1.0) * (at_high - at_low) : at_low;
  }

 private:
  void set(const Silhouette& s, std::size_t p, std::size_t q, const Vec2& n, const Vec2& t) {
    if (t.dot(s.point[p]) > t.dot(s.point[q])) std::swap(p, q);
    low = t.dot(s.point[p]);
    high = t.dot(s.point[q]);
    at_low = n.dot(s.point[p]);
    at_high = n.dot(s.point[q]);
    low_corner = s.corner[p];
    high_corner = s.corner[q];
  }
};

struct PlanarPoint {
  decltype(ContactKey::feature) feature;
  double gap;
  Vec2 on_a, on_b;
};

// Ends of the stretch along the tangent on which both edges lie; of corners that coincide that of a names it.
int overlap_ends(const Facing& a, const Facing& b, const Vec2& n, const Vec2& t, double tolerance,
                 std::array<PlanarPoint, 2>& out) {
  const double low = std::max(a.low, b.low), high = std::min(a.high, b.high);
  if (low > high + tolerance) return 0;
  const auto end_at = [&](double at, std::uint64_t feature) {
    const double on_a = a.height(at), on_b = b.height(at);
    return PlanarPoint{static_cast<decltype(ContactKey::feature)>(feature), on_a - on_b, at * t + on_a * n,
                       at * t + on_b * n};
  };
  out[0] = end_at(low, a.low >= b.low - tolerance ? corner_of_a(a.low_corner) : corner_of_b(b.low_corner));
  if (high - low <= tolerance) return 1;
  out[1] = end_at(high, a.high <= b.high + tolerance ? corner_of_a(a.high_corner) : corner_of_b(b.high_corner));
  if (out[1].feature < out[0].feature) std::swap(out[0], out[1]);
  return 2;
}

void collide_silhouettes(const PairContext& pair, const Silhouette& a, const Silhouette& b, const PlaneFrame& plane,
                         const Vec3& origin) {
  const double size_a = extent(a), size_b = extent(b), size = std::min(size_a, size_b);
  const double limit = pair.margin + a.radius + b.radius;
  const Separation2 s = Search2(a, b, kTie * (size_a + size_b)).run(kReliable * size);
  if (!(s.gap <= limit)) return;
  const Vec2 n = s.normal, t(-n.y(), n.x());
  const Vec3 normal = plane.lift(n);
  const auto push = [&](const PlanarPoint& p) {
    // midway between the surfaces: on_a - r_a n and on_b + r_b n; no gap is below the separation
    const Vec2 middle = 0.5 * (p.on_a + p.on_b) + 0.5 * (b.radius - a.radius) * n;
    pair.push(First::A, origin + plane.lift(middle), normal, std::max(p.gap, s.gap) - a.radius - b.radius, p.feature);
  };
  const double rounded = std::min(a.radius, b.radius);
  const double tolerance = std::max(kCoincide * size, 1e-3 * rounded);
  std::array<PlanarPoint, 2> ends;
  const int count = overlap_ends(Facing(a, -n, n, t), Facing(b, n, n, t), n, t, tolerance, ends);
  bool found = false;
  for (int k = 0; k < count; ++k) found = found || ends[static_cast<std::size_t>(k)].gap <= s.gap + kNoise * size;
  if (!found) return push({0, s.gap, s.on_a, s.on_b});
  for (int k = 0; k < count; ++k)
    if (ends[static_cast<std::size_t>(k)].gap <= limit) push(ends[static_cast<std::size_t>(k)]);
}

void collide_planar_wall(const PairContext& pair, First first, const Shape& solid, const Pose& pose, const Shape& wall,
                         const Pose& wall_pose, const PlaneFrame& plane) {
  if (!(pose.position - wall_pose.position).allFinite()) return;
  thread_local Silhouette s;
  silhouette_of(solid, pose, plane, pose.position, s);
  Vec2 n = plane.flat(wall_pose.rotation * Vec3::UnitZ()).normalized();
  double height = n.dot(plane.flat(pose.position - wall_pose.position));
  const double centre = height + n.dot(plane.flat(pose.rotation * solid.bounding_centre()));
  if (wall.kind == ShapeKind::Plane && centre < 0) n = -n, height = -height;
  std::size_t lowest = 0;
  for (std::size_t i = 1; i < s.size(); ++i)
    if (n.dot(s.point[i]) < n.dot(s.point[lowest])) lowest = i;
  std::size_t second = s.next(lowest);
  if (n.dot(s.point[s.previous(lowest)]) < n.dot(s.point[second])) second = s.previous(lowest);
  if (s.corner[second] < s.corner[lowest]) std::swap(lowest, second);
  const Vec3 normal = plane.lift(n);
  const auto try_corner = [&](std::size_t i) {
    const double gap = height + n.dot(s.point[i]) - s.radius;
    if (!(gap <= pair.margin)) return;
    const Vec3 corner = pose.position + plane.lift(s.point[i]);
    pair.push(first, corner - (s.radius + 0.5 * gap) * normal, normal, gap, s.corner[i]);
  };
  try_corner(lowest);
  if (second != lowest) try_corner(second);
}

}  // namespace

void collide_planar(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
                    const Pose& pose_b, const PlaneFrame& plane, double margin, ContactSet& out) {
  if (a > b) return collide_planar(b, shape_b, pose_b, a, shape_a, pose_a, plane, margin, out);
  const PairContext pair{{a, b, 0}, margin, out};
  if (!shape_a.bounded() && !shape_b.bounded()) return;
  if (!shape_b.bounded()) return collide_planar_wall(pair, First::A, shape_a, pose_a, shape_b, pose_b, plane);
  if (!shape_a.bounded()) return collide_planar_wall(pair, First::B, shape_b, pose_b, shape_a, pose_a, plane);
  if (!(pose_a.position - pose_b.position).allFinite()) return;
  thread_local Silhouette silhouette_a, silhouette_b;
  silhouette_of(shape_a, pose_a, plane, pose_b.position, silhouette_a);
  silhouette_of(shape_b, pose_b, plane, pose_b.position, silhouette_b);
  collide_silhouettes(pair, silhouette_a, silhouette_b, plane, pose_b.position);
}

}  // namespace carom
