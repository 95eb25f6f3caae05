#include "contact/gjk.h"

#include <cmath>

namespace carom {

namespace {

constexpr int kMaxIterations = 100;

// A corner of the difference of the two cores, w = a - b.
struct Corner {
  Vec3 w = Vec3::Zero(), a = Vec3::Zero(), b = Vec3::Zero();
  std::uint32_t index_a = 0, index_b = 0;
};

// Up to four corners and the point of their hull nearest to the origin, as weights.
struct Simplex {
  std::array<Corner, 4> corner;
  std::array<double, 4> weight = {1, 0, 0, 0};
  int count = 0;

  Vec3 point() const {
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < count; ++i) v += weight[static_cast<std::size_t>(i)] * corner[static_cast<std::size_t>(i)].w;
    return v;
  }
  bool has(std::uint32_t index_a, std::uint32_t index_b) const {
    for (int i = 0; i < count; ++i) {
      const Corner& c = corner[static_cast<std::size_t>(i)];
      if (c.index_a == index_a && c.index_b == index_b) return true;
    }
    return false;
  }
};

// The nearest of all sub-simplices that contain the newest corner. Each is tried on its own: its nearest point counts
// when all its weights are positive. One that is degenerate is skipped, and the answer is then that of a part of it,
// which is an upper bound and as good when degenerate.
class Reduction {
 public:
  explicit Reduction(const Simplex& s) : s_(s) {}

  // False when the origin is inside the tetrahedron.
  bool reduce(Simplex& out) {
    const int last = s_.count - 1;
    try_point(last);
    for (int i = 0; i < last; ++i) try_edge(i, last);
    for (int i = 0; i < last; ++i)
      for (int j = i + 1; j < last; ++j) try_triangle(i, j, last);
    if (s_.count == 4 && inside()) return false;
    out.count = count_;
    for (std::size_t i = 0; i < 3; ++i) {
      out.corner[i] = corner(index_[i]);
      out.weight[i] = weight_[i];
    }
    return true;
  }

 private:
  const Corner& corner(int i) const { return s_.corner[static_cast<std::size_t>(i)]; }
  const Vec3& w(int i) const { return corner(i).w; }

  void offer(std::array<int, 3> index, std::array<double, 3> weight, int count) {
    Vec3 v = Vec3::Zero();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) v += weight[i] * w(index[i]);
    const double squared = v.squaredNorm();
    if (count_ > 0 && !(squared < best_)) return;
    best_ = squared;
    index_ = index;
    weight_ = weight;
    count_ = count;
  }
  void try_point(int i) { offer({i, 0, 0}, {1, 0, 0}, 1); }
  void try_edge(int i, int j) {
    const Vec3 d = w(j) - w(i);
    const double length2 = d.squaredNorm(), t = -w(i).dot(d);
    if (t > 0 && t < length2) offer({i, j, 0}, {1 - t / length2, t / length2, 0}, 2);
  }
  void try_triangle(int i, int j, int k) {
    // barycentric coordinates of the origin's projection, from areas along the normal
    const Vec3 p = w(j) - w(i), q = w(k) - w(i), n = p.cross(q);
    const double area2 = n.squaredNorm();
    if (!(area2 > 1e-30 * p.squaredNorm() * q.squaredNorm())) return;
    const Vec3 r = -w(i);
    const double v = n.dot(r.cross(q)), u = n.dot(p.cross(r));
    if (v > 0 && u > 0 && v + u < area2) offer({i, j, k}, {1 - (v + u) / area2, v / area2, u / area2}, 3);
  }
  bool inside() const {
    // The origin lies on the inner side of each face.
    static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    for (const auto& f : faces) {
      const Vec3 n = (w(f[1]) - w(f[0])).cross(w(f[2]) - w(f[0]));
      const double own = n.dot(w(f[3]) - w(f[0])), origin = -n.dot(w(f[0]));
      if (!(own * origin > 0)) return false;
    }
    return true;
  }

  const Simplex& s_;
  double best_ = 0;
  std::array<int, 3> index_{};
  std::array<double, 3> weight_{};
  int count_ = 0;
};

}  // namespace

Nearest nearest_points(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, const Vec3& towards,
                       double limit) {
  Nearest result;
  Simplex simplex, reduced;
  Vec3 v = towards;
  // Distances below this are rounding of the coordinates.
  const double rounding =
      1e-15 * (a.outer_radius + b.outer_radius + a_in_b.shift.norm() + a.centre.norm() + b.centre.norm());
  bool have_point = false;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double length = v.norm();
    if (!(length > 0)) return result;
    const Vec3 n = v / length;
    const LowestVertex low = lowest_vertex(a.vertices, a_in_b.direction_to_a(n)), high = lowest_vertex(b.vertices, -n);
    const Corner corner{a_in_b.point(a.vertices[low.index]) - b.vertices[high.index],
                        a_in_b.point(a.vertices[low.index]), b.vertices[high.index], low.index, high.index};
    // n . w <= distance <= |v|
    const double bound = n.dot(corner.w);
    if (iteration == 0 || bound > result.bound) {
      result.bound = bound;
      result.normal = n;
      result.lowest_a = low;
      result.highest_b = high;
    }
    if (result.bound > limit) {
      result.state = Nearest::State::Beyond;
      return result;
    }
    if (have_point && (length - bound <= rounding || simplex.has(low.index, high.index))) break;
    simplex.corner[static_cast<std::size_t>(simplex.count++)] = corner;
    if (!Reduction(simplex).reduce(reduced)) return result;
    const Vec3 next = reduced.point();
    // No progress is the end: rounding has the last word.
    if (have_point && !(next.squaredNorm() < v.squaredNorm())) {
      --simplex.count;
      break;
    }
    simplex = reduced;
    v = next;
    have_point = true;
    if (v.squaredNorm() <= rounding * rounding) return result;
  }
  result.state = Nearest::State::Apart;
  result.distance = v.norm();
  for (int i = 0; i < simplex.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.on_a += simplex.weight[k] * simplex.corner[k].a;
    result.on_b += simplex.weight[k] * simplex.corner[k].b;
  }
  return result;
}

}  // namespace carom
