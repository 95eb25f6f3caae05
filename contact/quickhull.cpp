// Convex hulls by quickhull (Barber, Dobkin & Huhdanpaa 1996).
//
// A hull is the same whatever affine map is applied, so points are first moved onto a grid of 2^41 steps along each
// axis of their bounding box. There the side of a plane on which a point lies is the sign of an integer, computed
// without rounding: the triangles that come out are watertight and convex for certain, however degenerate the input.
// Triangles that lie in one plane within a tolerance are then merged into polygons.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "contact/polyhedron.h"

namespace carom {

namespace {

__extension__ typedef __int128 Wide;
using GridPoint = std::array<std::int64_t, 3>;

constexpr double kGridHalf = 0x1p40;
constexpr double kFlat = 1e-7;      // of the extent: thinner is flat
constexpr double kCoplanar = 1e-9;  // of the extent: nearer to a plane is in it
constexpr int kNone = -1;

struct Triangle {
  std::array<int, 3> vertex;    // counter-clockwise from outside
  std::array<int, 3> neighbor;  // across the edge from vertex k to k + 1
  std::vector<int> outside;     // points that see this triangle
  bool alive = true;
};

[[noreturn]] void reject(const std::string& problem, const std::string& value = {}) {
  throw InputError(Place{"", 0, 0, "hull"}, problem, value);
}

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3> points) : points_(points) {
    measure();
    start();
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      while (triangles_[t].alive && !triangles_[t].outside.empty()) grow(static_cast<int>(t));
    std::erase_if(order_, [&](int t) { return !triangles_[static_cast<std::size_t>(t)].alive; });
  }

  Polyhedron polygons() const;

 private:
  void measure();
  void start();
  void grow(int seed);
  void collect_horizon(int seed, int eye);
  int add_triangle(int a, int b, int c) {
    triangles_.push_back({{a, b, c}, {kNone, kNone, kNone}, {}, true});
    order_.push_back(static_cast<int>(triangles_.size()) - 1);
    return order_.back();
  }
  Triangle& at(int t) { return triangles_[static_cast<std::size_t>(t)]; }
  const Triangle& at(int t) const { return triangles_[static_cast<std::size_t>(t)]; }
  const Vec3& point(int v) const { return points_[static_cast<std::size_t>(v)]; }

  Wide volume(int a, int b, int c, int d) const;  // 6 times, > 0 when d is on the outer side of a, b, c
  bool sees(int eye, const Triangle& t) const { return volume(t.vertex[0], t.vertex[1], t.vertex[2], eye) > 0; }
  void assign(int p, std::span<const int> candidates);
  Vec3 area(const Triangle& t) const {
    return (point(t.vertex[1]) - point(t.vertex[0])).cross(point(t.vertex[2]) - point(t.vertex[0]));
  }

  std::vector<int> merge(double tolerance) const;  // cluster of each triangle in order_
  bool trace_loops(const std::vector<int>& cluster, IndexLists& loops) const;

  std::span<const Vec3> points_;
  double extent_ = 0;
  std::vector<GridPoint> grid_;
  std::vector<Triangle> triangles_;
  std::vector<int> order_;  // living triangles, oldest first
  // collect_horizon:
  std::vector<int> visible_;
  struct HorizonEdge {
    int from, to, outer;
  };
  std::vector<HorizonEdge> horizon_;
  std::vector<char> mark_;   // of triangles
  std::vector<int> new_at_;  // by vertex: the new triangle whose horizon edge starts there
};

void Quickhull::measure() {
  if (points_.size() < 4)
    reject("needs at least four points that are not in one plane", fmt::format("{} points", points_.size()));
  Vec3 low = points_[0], high = points_[0];
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vec3& p = points_[i];
    if (!p.allFinite())
      reject("every coordinate must be finite", fmt::format("point {}: [{}, {}, {}]", i, p.x(), p.y(), p.z()));
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 size = high - low;
  extent_ = size.maxCoeff();
  if (!std::isfinite(extent_)) reject("is too large for numbers", fmt::format("extent {}", extent_));
  const Vec3 middle = low + 0.5 * size;
  Vec3 scale;
  for (int k = 0; k < 3; ++k) scale[k] = size[k] > 0 ? 2 * kGridHalf / size[k] : 0.0;
  for (const Vec3& p : points_) {
    GridPoint g;
    for (int k = 0; k < 3; ++k)
      g[static_cast<std::size_t>(k)] = std::llround(std::clamp((p[k] - middle[k]) * scale[k], -kGridHalf, kGridHalf));
    grid_.push_back(g);
  }
}

Wide Quickhull::volume(int a, int b, int c, int d) const {
  const auto difference = [&](int v) {
    GridPoint g = grid_[static_cast<std::size_t>(v)];
    for (std::size_t k = 0; k < 3; ++k) g[k] -= grid_[static_cast<std::size_t>(a)][k];
    return g;
  };
  // Differences have 42 bits with their sign, so that the whole stays below 2^126.
  const GridPoint p = difference(b), q = difference(c), r = difference(d);
  const Wide x = Wide{p[1]} * q[2] - Wide{p[2]} * q[1];
  const Wide y = Wide{p[2]} * q[0] - Wide{p[0]} * q[2];
  const Wide z = Wide{p[0]} * q[1] - Wide{p[1]} * q[0];
  return x * r[0] + y * r[1] + z * r[2];
}

// The largest simplex that a few scans find: the longest axis, the point farthest from that line, then from the plane.
void Quickhull::start() {
  const int count = static_cast<int>(points_.size());
  Vec3 low = points_[0], high = points_[0];
  for (const Vec3& p : points_) low = low.cwiseMin(p), high = high.cwiseMax(p);
  int axis = 0;
  (high - low).maxCoeff(&axis);
  int a = 0, b = 0, c = 0, d = 0;
  for (int i = 1; i < count; ++i) {
    if (point(i)[axis] < point(a)[axis]) a = i;
    if (point(i)[axis] > point(b)[axis]) b = i;
  }
  if (!(extent_ > 0)) reject("all points are the same");
  const Vec3 line = (point(b) - point(a)).normalized();
  double from_line = 0;
  for (int i = 0; i < count; ++i) {
    const double distance = line.cross(point(i) - point(a)).norm();
    if (distance > from_line) from_line = distance, c = i;
  }
  if (from_line <= kFlat * extent_) reject("all points lie on one line", fmt::format("width {:.3g} m", from_line));
  const Vec3 normal = line.cross(point(c) - point(a)).normalized();
  double from_plane = 0;
  for (int i = 0; i < count; ++i) {
    const double distance = std::abs(normal.dot(point(i) - point(a)));
    if (distance > from_plane) from_plane = distance, d = i;
  }
  if (from_plane <= kFlat * extent_)
    reject("is flat: all points lie in one plane", fmt::format("thickness {:.3g} m", from_plane));

  const Wide six_volumes = volume(a, b, c, d);
  if (six_volumes == 0) reject("is flat: all points lie in one plane", fmt::format("thickness {:.3g} m", from_plane));
  if (six_volumes > 0) std::swap(b, c);  // d must be on the inner side of (a, b, c)
  const int base = add_triangle(a, b, c), ab = add_triangle(b, a, d), bc = add_triangle(c, b, d),
            ca = add_triangle(a, c, d);
  at(base).neighbor = {ab, bc, ca};
  at(ab).neighbor = {base, ca, bc};
  at(bc).neighbor = {base, ab, ca};
  at(ca).neighbor = {base, bc, ab};
  new_at_.assign(points_.size(), kNone);
  const std::array<int, 4> first = {base, ab, bc, ca};
  for (int i = 0; i < count; ++i)
    if (i != a && i != b && i != c && i != d) assign(i, first);
}

// A point goes to the first triangle that it sees; one that sees none is inside the hull so far, for good.
void Quickhull::assign(int p, std::span<const int> candidates) {
  for (const int t : candidates) {
    if (!sees(p, at(t))) continue;
    at(t).outside.push_back(p);
    return;
  }
}

void Quickhull::collect_horizon(int seed, int eye) {
  visible_.assign(1, seed);
  horizon_.clear();
  mark_.resize(triangles_.size(), 0);
  mark_[static_cast<std::size_t>(seed)] = 1;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    const Triangle& t = at(visible_[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      const int other = t.neighbor[k];
      if (mark_[static_cast<std::size_t>(other)] != 0) continue;
      if (sees(eye, at(other))) {
        mark_[static_cast<std::size_t>(other)] = 1;
        visible_.push_back(other);
      } else {
        horizon_.push_back({t.vertex[k], t.vertex[(k + 1) % 3], other});
      }
    }
  }
}

// Takes the farthest point that sees the seed and replaces all it sees by a fan around it.
void Quickhull::grow(int seed) {
  const Vec3 normal = area(at(seed));
  const Vec3& origin = point(at(seed).vertex[0]);
  int eye = at(seed).outside[0];
  for (const int p : at(seed).outside)
    if (normal.dot(point(p) - origin) > normal.dot(point(eye) - origin)) eye = p;
  collect_horizon(seed, eye);

  std::vector<int> fan;
  for (const auto& [from, to, outer] : horizon_) {
    const int t = add_triangle(from, to, eye);
    fan.push_back(t);
    new_at_[static_cast<std::size_t>(from)] = t;
    at(t).neighbor[0] = outer;
    Triangle& beyond = at(outer);
    for (std::size_t k = 0; k < 3; ++k)
      if (beyond.vertex[k] == to && beyond.vertex[(k + 1) % 3] == from) beyond.neighbor[k] = t;
  }
  for (const int t : fan) {
    const int next = new_at_[static_cast<std::size_t>(at(t).vertex[1])];
    CAROM_CHECK(next != kNone, "the horizon is a closed loop");
    at(t).neighbor[1] = next;
    at(next).neighbor[2] = t;
  }
  for (const HorizonEdge& edge : horizon_) new_at_[static_cast<std::size_t>(edge.from)] = kNone;
  for (const int t : visible_) {
    at(t).alive = false;
    const std::vector<int> orphans = std::move(at(t).outside);
    at(t).outside.clear();
    for (const int p : orphans)
      if (p != eye) assign(p, fan);
  }
}

// Grows clusters from the largest triangles: a neighbour joins when it lies within the tolerance of the plane.
std::vector<int> Quickhull::merge(double tolerance) const {
  std::vector<int> by_area = order_;
  std::stable_sort(by_area.begin(), by_area.end(),
                   [&](int s, int t) { return area(at(s)).squaredNorm() > area(at(t)).squaredNorm(); });
  std::vector<int> cluster(triangles_.size(), kNone), queue;
  int count = 0;
  for (const int seed : by_area) {
    if (cluster[static_cast<std::size_t>(seed)] != kNone) continue;
    const Vec3 normal = area(at(seed)).normalized();
    const double offset = normal.dot(point(at(seed).vertex[0]));
    const auto joins = [&](const Triangle& t) {
      for (const int v : t.vertex)
        if (std::abs(normal.dot(point(v)) - offset) > tolerance) return false;
      const Vec3 own = area(t);
      return normal.dot(own) > 0 || own.norm() <= tolerance * extent_;
    };
    cluster[static_cast<std::size_t>(seed)] = count;
    queue.assign(1, seed);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const int other : at(queue[i]).neighbor) {
        int& mine = cluster[static_cast<std::size_t>(other)];
        if (mine != kNone || !joins(at(other))) continue;
        mine = count;
        queue.push_back(other);
      }
    }
    ++count;
  }
  return cluster;
}

// The boundary of each cluster, without vertices that are corners of fewer than three clusters. False when a boundary
// is not one loop of three corners at least.
bool Quickhull::trace_loops(const std::vector<int>& cluster, IndexLists& loops) const {
  const auto of = [&](int t) { return cluster[static_cast<std::size_t>(t)]; };
  std::vector<std::vector<std::pair<int, int>>> boundary;  // by cluster: from, to
  std::vector<std::vector<int>> clusters_at(points_.size());
  for (const int t : order_) {
    boundary.resize(std::max(boundary.size(), static_cast<std::size_t>(of(t)) + 1));
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = at(t).vertex[k], to = at(t).vertex[(k + 1) % 3];
      if (of(at(t).neighbor[k]) != of(t)) boundary[static_cast<std::size_t>(of(t))].emplace_back(from, to);
      auto& seen = clusters_at[static_cast<std::size_t>(from)];
      if (std::find(seen.begin(), seen.end(), of(t)) == seen.end()) seen.push_back(of(t));
    }
  }
  std::vector<int> next(points_.size(), kNone);
  loops = {};
  for (auto& edges : boundary) {
    if (edges.empty()) return false;
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      if (edges[i].first == edges[i + 1].first) return false;
    for (const auto& [from, to] : edges) next[static_cast<std::size_t>(from)] = to;
    const std::size_t before = loops.items.size();
    std::size_t steps = 0;
    int v = edges[0].first;
    do {
      if (clusters_at[static_cast<std::size_t>(v)].size() >= 3) loops.items.push_back(static_cast<std::uint32_t>(v));
      v = next[static_cast<std::size_t>(v)];
    } while (++steps < edges.size() && v != edges[0].first);
    if (steps != edges.size() || v != edges[0].first || loops.items.size() < before + 3) return false;
    loops.close();
  }
  return true;
}

Polyhedron Quickhull::polygons() const {
  IndexLists loops;
  if (!trace_loops(merge(kCoplanar * extent_), loops)) {
    // Nothing is merged: triangles are always loops.
    std::vector<int> each(triangles_.size(), kNone);
    for (std::size_t i = 0; i < order_.size(); ++i) each[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
    CAROM_CHECK(trace_loops(each, loops), "the triangles of a hull are loops");
  }
  // Corners keep the order of the points.
  std::vector<std::uint32_t> corners = loops.items;
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<Vec3> vertices;
  for (const std::uint32_t v : corners) vertices.push_back(points_[v]);
  for (std::uint32_t& v : loops.items)
    v = static_cast<std::uint32_t>(std::lower_bound(corners.begin(), corners.end(), v) - corners.begin());
  if (loops.items.size() / 2 > kMaxPolyhedronEdges)
    reject(fmt::format("has too many edges; at most {}", kMaxPolyhedronEdges),
           fmt::format("{}", loops.items.size() / 2));
  return assemble_polyhedron(std::move(vertices), loops);
}

}  // namespace

std::shared_ptr<const Polyhedron> convex_hull(std::span<const Vec3> points) {
  return std::make_shared<const Polyhedron>(Quickhull(points).polygons());
}

}  // namespace carom
