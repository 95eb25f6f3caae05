// Vertices and ridges of the ground against a body.
#include <algorithm>
#include <cmath>

#include "contact/feature_key.h"
#include "contact/triangle_contacts.h"

namespace carom {

namespace {

constexpr double kTie = 1e-10;      // of the body's size: an inner direction must beat the faces beside it by this
constexpr double kParallel = 1e-8;  // edges at smaller angles are parallel
constexpr double kAngle = 1e-9;     // sines of angles by which directions may leave an arc or a cone
constexpr double kReach = 1e-3;     // of the size: features of the body further off are not looked for
constexpr double kCoincide = 1e-7;  // of the size: corners and outlines this near coincide

bool within(const Bounds& box, const Vec3& x, double slack) {
  return (x.array() >= box.low.array() - slack).all() && (x.array() <= box.high.array() + slack).all();
}

// ---- Vertices. -------------------------------------------------------------------------------------------------

struct FanCorner {
  std::uint32_t vertex;
  std::uint32_t triangle;  // place in the patch
  std::uint32_t corner;
};

class VertexSearch {
 public:
  VertexSearch(GroundScratch& s, std::vector<FanCorner>& fans) : s_(s), body_(s.body), fans_(fans) {}

  void run() {
    const Bounds box = body_.bounds();
    fans_.clear();
    for (std::uint32_t i = 0; i < s_.triangles.size(); ++i) {
      const PatchTriangle& t = s_.triangles[i];
      if (t.apart) continue;
      for (std::uint32_t k = 0; k < 3; ++k)
        if (within(box, t.corner[k], s_.margin)) fans_.push_back({t.vertex[k], i, k});
    }
    std::sort(fans_.begin(), fans_.end(), [](const FanCorner& p, const FanCorner& q) {
      return p.vertex != q.vertex ? p.vertex < q.vertex : p.triangle < q.triangle;
    });
    for (std::size_t begin = 0; begin < fans_.size();) {
      std::size_t end = begin + 1;
      while (end < fans_.size() && fans_[end].vertex == fans_[begin].vertex) ++end;
      meet(std::span(fans_).subspan(begin, end - begin));
      begin = end;
    }
  }

 private:
  // Directions that no triangle around the vertex rises above: it sticks out.
  bool in_cone(std::span<const FanCorner> fan, const Vec3& n) const {
    if (s_.terrain != nullptr && n.z() < 0) return false;
    for (const FanCorner& f : fan) {
      const PatchTriangle& t = s_.triangles[f.triangle];
      for (const std::size_t other : {t.next(f.corner), t.next(t.next(f.corner))}) {
        const Vec3 d = t.corner[other] - t.corner[f.corner];
        const double rise = n.dot(d);
        if (rise > 0 && rise > kAngle * d.norm()) return false;
      }
      if (t.on_border(f.corner) && n.dot(t.normal) < -kAngle) return false;
    }
    return true;
  }

  void meet(std::span<const FanCorner> fan) {
    bool ridge = false;
    double faces = -std::numeric_limits<double>::infinity();  // the gap that the triangles' own normals show
    for (const FanCorner& f : fan) {
      const PatchTriangle& t = s_.triangles[f.triangle];
      ridge = ridge || t.ridge(f.corner) || t.ridge(t.next(t.next(f.corner)));
      faces = std::max(faces, t.gap);
    }
    if (!ridge) return;
    const Vec3& w = s_.triangles[fan[0].triangle].corner[fan[0].corner];
    const double beat = faces - body_.radius + kTie * body_.size;
    if (body_.planes.empty() || outside(w))
      meet_surface(fan, w, beat);
    else
      meet_faces(fan, w, beat);
  }

  bool outside(const Vec3& w) const {
    return std::any_of(body_.planes.begin(), body_.planes.end(),
                       [&](const FacePlane& p) { return p.normal.dot(w) > p.offset; });
  }

  // The nearest point of the body's surface, where its normal fits.
  void meet_surface(std::span<const FanCorner> fan, const Vec3& w, double beat) {
    const SurfacePoint s = surface_of(*body_.shape, body_.frame.to_a(w));
    if (!(s.distance <= s_.margin) || !(s.distance > beat)) return;
    const Vec3 n = -(body_.frame.rotation * s.normal);
    if (in_cone(fan, n)) push(fan[0].vertex, w, n, s.distance);
  }

  // Inside a polyhedron: the nearest of the faces whose normals fit.
  void meet_faces(std::span<const FanCorner> fan, const Vec3& w, double beat) {
    double best = beat;
    const FacePlane* face = nullptr;
    for (const FacePlane& p : body_.planes) {
      const double height = p.normal.dot(w) - p.offset;
      if (height > best && in_cone(fan, -p.normal)) best = height, face = &p;
    }
    if (face != nullptr) push(fan[0].vertex, w, -face->normal, best);
  }

  // midway between the vertex and the body's surface
  void push(std::uint32_t vertex, const Vec3& w, const Vec3& n, double gap) {
    s_.add(corner_of_b(vertex), w + 0.5 * gap * n, n, gap);
  }

  GroundScratch& s_;
  const GroundBody& body_;
  std::vector<FanCorner>& fans_;
};

// ---- Ridges. ---------------------------------------------------------------------------------------------------

struct Ridge {
  Vec3 from, to, along;
  Vec3 left, right;  // normals of the two sides; left x right is along `along`
  std::uint32_t start, end, number;

  // A direction across the ridge that lies between the two normals.
  bool holds(const Vec3& n) const {
    return left.cross(n).dot(along) >= -kAngle && n.cross(right).dot(along) >= -kAngle && n.dot(left + right) > -kAngle;
  }
};

class RidgeSearch {
 public:
  explicit RidgeSearch(GroundScratch& s) : s_(s), body_(s.body), limit_(s.margin + s.body.radius) {}

  void run() {
    if (body_.shape->kind == ShapeKind::Sphere) return;  // its centre is a corner
    const Bounds box = body_.bounds();
    for (const PatchTriangle& t : s_.triangles) {
      if (t.apart) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!t.ridge(k) || !t.own[k]) continue;
        const Ridge ridge{t.corner[k], t.corner[t.next(k)], t.along[k],          t.normal,
                          t.across[k], t.vertex[k],         t.vertex[t.next(k)], t.edge[k]};
        const Bounds own{ridge.from.cwiseMin(ridge.to).array() - s_.margin,
                         ridge.from.cwiseMax(ridge.to).array() + s_.margin};
        if (!own.overlaps(box)) continue;
        // The largest gap that the normals of the two sides show; an inner direction must show a larger one.
        const double faces = std::max(t.gap, body_.lowest(ridge.right) - ridge.right.dot(ridge.from));
        if (faces > limit_) continue;
        if (body_.round)
          meet_round(ridge, faces + kTie * body_.size);
        else
          meet_edges(ridge, faces + kTie * body_.size);
      }
    }
  }

 private:
  // The edge of the body whose product with the ridge shows the largest gap.
  void meet_edges(const Ridge& ridge, double beat) {
    const auto edges = body_.core.edges();
    std::uint32_t best = kNoFace;
    Vec3 normal;
    // A direction across the ridge is between the normals of an edge's two faces only where these look to different
    // sides along the ridge.
    thread_local std::vector<double> slope;
    slope.clear();
    for (const FacePlane& plane : body_.planes) slope.push_back(plane.normal.dot(ridge.along));
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const PolyhedronEdge& edge = edges[e];
      const bool bare = edge.left == kNoFace;
      if (!bare && ((slope[edge.left] > kAngle && slope[edge.right] > kAngle) ||
                    (slope[edge.left] < -kAngle && slope[edge.right] < -kAngle)))
        continue;
      const Vec3 u = body_.frame.rotation * body_.core.directions[e];
      const Vec3 cross = ridge.along.cross(u);
      const double length = cross.norm();
      if (length < kParallel) continue;
      const Vec3& on_edge = body_.vertices[edge.start];
      for (const double sign : {1.0, -1.0}) {
        const Vec3 n = sign / length * cross;
        const double gap = n.dot(on_edge - ridge.from);
        if (!(gap > beat) || gap > limit_ || !ridge.holds(n)) continue;
        if (!bare && !holds_edge(edge, u, -n)) continue;
        beat = gap;
        best = e;
        normal = n;
      }
    }
    if (best != kNoFace) push_manifold(ridge, best, normal, beat);
  }

  // -n lies between the normals of the body's two faces at the edge.
  bool holds_edge(const PolyhedronEdge& edge, const Vec3& u, const Vec3& m) const {
    const Vec3 &left = body_.planes[edge.left].normal, &right = body_.planes[edge.right].normal;
    return left.cross(m).dot(u) >= -kAngle && m.cross(right).dot(u) >= -kAngle && m.dot(left + right) > -kAngle;
  }

  // Where the ridge lies under the face, edge or vertex that looks at it.
  void push_manifold(const Ridge& ridge, std::uint32_t edge, const Vec3& normal, double distance) {
    thread_local FeaturePolygon own, ground;
    thread_local Manifold manifold;
    const double reach = std::clamp(limit_ - distance, 1e-9 * body_.size, kReach * body_.size);
    facing_feature(body_.core, body_.core.edges()[edge].start, body_.frame.direction_to_a(-normal), reach, body_.frame,
                   own);
    ground.count = 0;
    ground.add(ridge.from, ridge.start, ridge.number);
    ground.add(ridge.to, ridge.end, ridge.number);
    manifold.clear();
    const double tolerance = std::max(kCoincide * body_.size, 1e-3 * body_.radius);
    intersect_features(own, ground, normal, tolerance, limit_, manifold);
    for (const ManifoldPoint& p : std::span(manifold.point).first(static_cast<std::size_t>(manifold.count))) {
      if (p.gap < -tolerance && !real(p)) continue;
      const double gap = std::max(p.gap, distance) - body_.radius;
      const bool corner = p.feature >> 62 == 1;
      const std::uint64_t feature = corner ? p.feature | ridge.number : p.feature;
      s_.add(feature, 0.5 * (p.on_a + p.on_b) - 0.5 * body_.radius * normal, normal, gap, true);
    }
  }

  // Of an overlap one of the points lies in the other solid. Where none does, the ridge belongs to another side of a
  // mesh, or of a rock of the terrain beside which the body lies.
  bool real(const ManifoldPoint& p) const {
    const bool in_body = std::all_of(body_.planes.begin(), body_.planes.end(), [&](const FacePlane& plane) {
      return plane.normal.dot(p.on_b) <= plane.offset + kCoincide * body_.size;
    });
    if (in_body && !body_.planes.empty()) return true;
    if (s_.terrain == nullptr) return !outside_mesh(s_.triangles, p.on_a, 1e-10 * body_.size);
    const auto ground = s_.terrain->ground(p.on_a.x(), p.on_a.y());
    return ground && p.on_a.z() < ground->height;
  }

  // A round solid's signed distance is convex along the ridge: its least value, and how far it stays near that.
  void meet_round(const Ridge& ridge, double beat) {
    const Vec3 from = body_.frame.to_a(ridge.from), way = body_.frame.to_a(ridge.to) - from;
    const auto distance = [&](double t) { return surface_of(*body_.shape, from + t * way).distance; };
    double low = 0, high = 1;
    // Golden sections: 0.618^40 is 4e-9 of the ridge.
    constexpr double kGolden = 0.6180339887498949;
    double p = high - kGolden, q = low + kGolden, fp = distance(p), fq = distance(q);
    for (int i = 0; i < 40; ++i) {
      if (fp <= fq) {
        high = q, q = p, fq = fp;
        p = high - kGolden * (high - low), fp = distance(p);
      } else {
        low = p, p = q, fp = fq;
        q = low + kGolden * (high - low), fq = distance(q);
      }
    }
    const double best = 0.5 * (low + high), least = distance(best);
    if (least > s_.margin || !(least > beat)) return;
    const double enough = least + 1e-4 * body_.size;
    const double start = edge_of(distance, best, 0, enough), end = edge_of(distance, best, 1, enough);
    if ((end - start) * way.norm() > 0.1 * body_.size) {
      push_round(ridge, from, way, start, 0);
      push_round(ridge, from, way, end, 1);
    } else {
      push_round(ridge, from, way, best, 0);
    }
  }

  // The farthest point between `inner` and `outer` where a convex function is at most `enough`.
  template <class Function>
  static double edge_of(Function&& f, double inner, double outer, double enough) {
    if (f(outer) <= enough) return outer;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (inner + outer);
      (f(middle) <= enough ? inner : outer) = middle;
    }
    return inner;
  }

  // Inside a round solid the nearest surface changes from its side to an end at a kink of the distance: the normal is
  // then the mean of both sides' that is across the ridge.
  void push_round(const Ridge& ridge, const Vec3& from, const Vec3& way, double t, std::uint32_t which) {
    const Vec3 local = from + t * way, step = 1e-6 * way;
    const SurfacePoint s = surface_of(*body_.shape, local);
    if (!(s.distance <= s_.margin)) return;
    const Vec3 before = surface_of(*body_.shape, local - step).normal,
               after = surface_of(*body_.shape, local + step).normal;
    const double falls = -before.dot(way), rises = after.dot(way);
    Vec3 outward = s.normal;
    if (falls > 0 && rises > 0) outward = rises * before + falls * after;
    Vec3 n = -(body_.frame.rotation * outward.normalized());
    // Across the ridge, but for rounding; ends where it is not belong to the ridge's vertices.
    if (std::abs(n.dot(ridge.along)) > 1e-3) return;
    n = (n - n.dot(ridge.along) * ridge.along).normalized();
    if (ridge.holds(n))
      s_.add(edge_crossing(which, ridge.number), body_.frame.point(local) + 0.5 * s.distance * n, n, s.distance);
  }

  GroundScratch& s_;
  const GroundBody& body_;
  double limit_;
};

}  // namespace

void meet_ground_vertices(GroundScratch& scratch) {
  if (scratch.body.shape->kind == ShapeKind::Sphere) return;  // its centre is a corner
  thread_local std::vector<FanCorner> fans;
  VertexSearch(scratch, fans).run();
}

void meet_ridges(GroundScratch& scratch) { RidgeSearch(scratch).run(); }

}  // namespace carom
