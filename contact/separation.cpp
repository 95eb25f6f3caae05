#include "contact/separation.h"

#include <algorithm>
#include <cmath>

#include "contact/gjk.h"

namespace carom {

namespace {

using Kind = Separation::Kind;

// An axis of a later kind must beat an earlier one by this share of the size: of equals the first stays, and rounding
// decides nothing.
constexpr double kTie = 1e-11;
// Nearer than this share of the size, the direction that the nearest points show is mostly rounding.
constexpr double kReliable = 1e-7;
// Directions this near to a face's normal are tried as that.
constexpr double kAligned = 1e-5;
// Edges of unit direction whose cross product is shorter than this are parallel: their axis is rounding, and the faces
// beside them show the same gap.
constexpr double kParallel = 1e-8;
// Signs of triple products of unit vectors below this are open; both are accepted.
constexpr double kSign = 1e-12;

// Edges that may hold the best axis, in the frame of b.
struct Arc {
  Vec3 direction;    // unit
  Vec3 left, right;  // normals of the two faces
  Vec3 start;
  std::uint32_t edge;
  bool bare;  // of a segment: every normal across it counts
};

struct FaceHeights {
  std::vector<double> centre;       // of the other core's centre over each face
  std::vector<std::uint32_t> open;  // faces that may matter
  std::uint32_t best = 0;           // the one that shows the largest gap
};

struct Scratch {
  FaceHeights faces_a, faces_b;
  std::vector<Arc> arcs_a, arcs_b;
};

class Search {
 public:
  Search(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, double limit, Scratch& scratch)
      : a_(a),
        b_(b),
        frame_(a_in_b),
        limit_(limit),
        scratch_(scratch),
        size_(a.outer_radius + b.outer_radius),
        tie_(kTie * size_) {
    centre_of_a_ = frame_.point(a.centre);
  }

  Separation run() {
    const bool rounded = a_.radius > 0 || b_.radius > 0;
    if (rounded && search_apart(kReliable * size_)) {
      snap_to_face();
      return best_;
    }
    search_faces_of_a();
    if (best_.distance > limit_) return beyond();
    search_faces_of_b();
    if (best_.distance > limit_) return beyond();
    locate_face();
    if (best_.distance > 0 && on_face()) return best_;
    search_edges();
    if (best_.kind == Kind::Beyond) part_on_one_line();
    if (best_.distance > limit_) return beyond();
    if (best_.distance > 0 && best_.kind == Kind::Edges && edges_cross()) return best_;
    if (best_.distance > -tie_) search_apart(tie_);
    return best_;
  }

 private:
  Separation beyond() const { return {}; }

  void take(Kind kind, double distance, const Vec3& normal, std::uint32_t feature_a, std::uint32_t feature_b) {
    best_.kind = kind;
    best_.distance = distance;
    best_.normal = normal;
    best_.feature_a = feature_a;
    best_.feature_b = feature_b;
  }

  // Along a unit normal the other core's lowest point is not above its centre less its inner radius: most faces need
  // not be tried.
  void search_faces_of_a() {
    const auto evaluate = [&](std::uint32_t f) {
      const Vec3 normal = frame_.rotation * a_.planes[f].normal;
      // n . (x_b - shift) - offset in the frame of a
      const double distance = lowest_height(b_, normal) - normal.dot(frame_.shift) - a_.planes[f].offset;
      if (distance > best_.distance) take(Kind::FaceA, distance, -normal, f, 0);
      return distance;
    };
    search_faces(a_, frame_.to_a(b_.centre), b_.inner_radius, scratch_.faces_a, evaluate);
  }

  void search_faces_of_b() {
    const auto evaluate = [&](std::uint32_t f) {
      const Vec3& normal = b_.planes[f].normal;
      const double distance =
          lowest_height(a_, frame_.direction_to_a(normal)) + normal.dot(frame_.shift) - b_.planes[f].offset;
      if (distance > best_.distance + tie_) take(Kind::FaceB, distance, normal, 0, f);
      return distance;
    };
    search_faces(b_, centre_of_a_, a_.inner_radius, scratch_.faces_b, evaluate);
  }

  template <class Evaluate>
  void search_faces(const ConvexCore& core, const Vec3& centre, double inner, FaceHeights& faces, Evaluate&& evaluate) {
    const auto count = static_cast<std::uint32_t>(core.planes.size());
    faces.centre.resize(count);
    faces.open.clear();
    if (count == 0) return;
    double* height = faces.centre.data();
    const double *nx = core.plane_columns, *ny = nx + count, *nz = ny + count, *offset = nz + count;
    const double x = centre.x(), y = centre.y(), z = centre.z();
    for (std::uint32_t f = 0; f < count; ++f) height[f] = nx[f] * x + ny[f] * y + nz[f] * z - offset[f];
    // The face that the centre is farthest from is most likely the best.
    std::uint32_t first = 0;
    for (std::uint32_t f = 1; f < count; ++f)
      if (height[f] > height[first]) first = f;
    faces.best = first;
    double own_best = evaluate(first);

    // Faces that may be better, or have an edge with an arc of normals that may be.
    const double spread = core.topology->largest_spread, least = best_.distance + inner;
    const double cut = least > 0 ? least / spread : least;
    for (std::uint32_t f = 0; f < count; ++f)
      if (height[f] > cut) faces.open.push_back(f);
    for (const std::uint32_t f : faces.open) {
      if (best_.distance > limit_) return;
      if (f == first || height[f] - inner <= best_.distance) continue;
      const double distance = evaluate(f);
      if (distance > own_best) own_best = distance, faces.best = f;
    }
  }

  // The nearest or deepest points of a face and a vertex: the vertex and its projection.
  void locate_face() {
    if (best_.kind == Kind::FaceA) {
      best_.feature_b = lowest_vertex(b_.vertices, -best_.normal).index;
      best_.on_b = b_.vertices[best_.feature_b];
      best_.on_a = best_.on_b + best_.distance * best_.normal;
    } else if (best_.kind == Kind::FaceB) {
      best_.feature_a = lowest_vertex(a_.vertices, frame_.direction_to_a(best_.normal)).index;
      best_.on_a = frame_.point(a_.vertices[best_.feature_a]);
      best_.on_b = best_.on_a - best_.distance * best_.normal;
    }
  }

  // Whether the vertex stands over the face: then no other pair of points is nearer.
  bool on_face() const {
    const bool of_a = best_.kind == Kind::FaceA;
    const ConvexCore& core = of_a ? a_ : b_;
    const std::uint32_t face = of_a ? best_.feature_a : best_.feature_b;
    const Vec3 foot = of_a ? frame_.to_a(best_.on_a) : best_.on_b;
    const Vec3& normal = core.planes[face].normal;
    const auto loop = core.topology->face_vertices[face];
    Vec3 from = core.vertices[loop.back()];
    for (const std::uint32_t v : loop) {
      const Vec3& to = core.vertices[v];
      if ((to - from).cross(normal).dot(foot - from) > 0) return false;
      from = to;
    }
    return true;
  }

  // Edges whose arc of normals could hold a gap above the best. On the arc between two face normals a point that stands
  // h1 and h2 over these faces is at most max(h1, h2) over the edge, divided by the cosine of half the angle when that
  // is positive. The other core's lowest point is neither above its centre less its inner radius nor above the vertex
  // `known`.
  void collect_arcs(const ConvexCore& core, const FaceHeights& faces, const Vec3& known, double other_inner, bool of_a,
                    std::vector<Arc>& arcs) const {
    const Polyhedron& topology = *core.topology;
    const std::vector<double>& centre = faces.centre;
    arcs.clear();
    const double least = best_.distance + other_inner;
    const auto reaches = [](double height, double spread, double bound) {
      return (height > 0 ? height * spread : height) > bound;
    };
    const auto over = [&](std::uint32_t f) { return core.planes[f].normal.dot(known) - core.planes[f].offset; };
    for (const std::uint32_t f : faces.open) {
      if (!reaches(centre[f], topology.largest_spread, least)) continue;
      const double over_face = over(f);
      for (const std::uint32_t e : topology.face_edges[f]) {
        const PolyhedronEdge& edge = topology.edges[e];
        const std::uint32_t other = edge.left == f ? edge.right : edge.left;
        // From one of its faces only: the higher, or of equals the first.
        if (centre[other] > centre[f] || (centre[other] == centre[f] && other < f)) continue;
        const double spread = topology.edge_spread[e];
        if (!reaches(centre[f], spread, least)) continue;
        if (reaches(over_face, spread, best_.distance) || reaches(over(other), spread, best_.distance))
          add_arc(core, e, of_a, arcs);
      }
    }
  }

  void add_arc(const ConvexCore& core, std::uint32_t e, bool of_a, std::vector<Arc>& arcs) const {
    const PolyhedronEdge& edge = core.edges()[e];
    const bool bare = edge.left == kNoFace;
    Arc& arc = arcs.emplace_back();
    arc.edge = e;
    arc.bare = bare;
    if (of_a) {
      arc.direction = frame_.rotation * core.directions[e];
      arc.start = frame_.point(core.vertices[edge.start]);
      if (!bare) arc.left = frame_.rotation * core.planes[edge.left].normal;
      if (!bare) arc.right = frame_.rotation * core.planes[edge.right].normal;
    } else {
      arc.direction = core.directions[e];
      arc.start = core.vertices[edge.start];
      if (!bare) arc.left = core.planes[edge.left].normal;
      if (!bare) arc.right = core.planes[edge.right].normal;
    }
    if (bare) arc.left = arc.right = Vec3::Zero();
  }

  // Arcs of a and (mirrored) of b meet iff each edge crosses the other's arc from the same side:
  //     n = +e_a x e_b:  e_b . left_a <= 0 <= e_b . right_a  and  e_a . left_b <= 0 <= e_a . right_b
  //     n = -e_a x e_b:  all signs turned
  void search_edges() {
    if (a_.planes.empty()) {
      scratch_.arcs_a.clear();
      for (std::uint32_t e = 0; e < a_.edges().size(); ++e) add_arc(a_, e, true, scratch_.arcs_a);
    } else {
      const Vec3 normal = frame_.rotation * a_.planes[scratch_.faces_a.best].normal;
      const Vec3 lowest = frame_.to_a(b_.vertices[lowest_vertex(b_.vertices, normal).index]);
      collect_arcs(a_, scratch_.faces_a, lowest, b_.inner_radius, true, scratch_.arcs_a);
    }
    if (scratch_.arcs_a.empty()) return;
    if (b_.planes.empty()) {
      scratch_.arcs_b.clear();
      for (std::uint32_t e = 0; e < b_.edges().size(); ++e) add_arc(b_, e, false, scratch_.arcs_b);
    } else {
      const Vec3 normal = frame_.direction_to_a(b_.planes[scratch_.faces_b.best].normal);
      const Vec3 lowest = frame_.point(a_.vertices[lowest_vertex(a_.vertices, normal).index]);
      collect_arcs(b_, scratch_.faces_b, lowest, a_.inner_radius, false, scratch_.arcs_b);
    }
    // What the signs promise is checked by extreme vertices: an open sign may promise too much. Then each is checked.
    Separation found = best_;
    if (!search_arcs(false, found)) return;
    if (separation_along(a_, b_, frame_, found.normal) < found.distance - tie_) {
      found = best_;
      if (!search_arcs(true, found)) return;
    }
    best_ = found;
    edges_cross();
  }

  bool search_arcs(bool checked, Separation& found) const {
    bool any = false;
    double beat = found.distance + tie_;
    for (const Arc& p : scratch_.arcs_a) {
      for (const Arc& q : scratch_.arcs_b) {
        const double pl = q.direction.dot(p.left), pr = q.direction.dot(p.right);
        if (!p.bare && ((pl > kSign && pr > kSign) || (pl < -kSign && pr < -kSign))) continue;
        const double ql = p.direction.dot(q.left), qr = p.direction.dot(q.right);
        const bool plus = (p.bare || (pl <= kSign && pr >= -kSign)) && (q.bare || (ql <= kSign && qr >= -kSign));
        const bool minus = (p.bare || (pl >= -kSign && pr <= kSign)) && (q.bare || (ql >= -kSign && qr <= kSign));
        if (!plus && !minus) continue;
        const Vec3 cross = p.direction.cross(q.direction);
        const double length = cross.norm();
        if (length < kParallel) continue;
        const double along = cross.dot(p.start - q.start) / length;
        double distance = plus && minus ? std::abs(along) : plus ? along : -along;
        if (!(distance > beat)) continue;
        const Vec3 normal = (distance == along ? 1.0 : -1.0) / length * cross;
        if (checked) distance = separation_along(a_, b_, frame_, normal);
        if (!(distance > beat)) continue;
        any = true;
        beat = distance;
        found.kind = Kind::Edges;
        found.distance = distance;
        found.normal = normal;
        found.feature_a = p.edge;
        found.feature_b = q.edge;
      }
    }
    return any;
  }

  // Nearest points of the two lines of edges, put on_a and on_b; true when both lie within their edges.
  bool edges_cross() {
    const PolyhedronEdge &ea = a_.edges()[best_.feature_a], &eb = b_.edges()[best_.feature_b];
    const Vec3 p = frame_.point(a_.vertices[ea.start]), u = frame_.point(a_.vertices[ea.end]) - p;
    const Vec3 q = b_.vertices[eb.start], v = b_.vertices[eb.end] - q;
    // n . (u x v) never vanishes for the edges that are taken
    const Vec3 cross = u.cross(v), between = q - p;
    const double squared = cross.squaredNorm();
    const double s = between.cross(v).dot(cross) / squared, t = between.cross(u).dot(cross) / squared;
    best_.on_a = p + std::clamp(s, 0.0, 1.0) * u;
    best_.on_b = q + std::clamp(t, 0.0, 1.0) * v;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
  }

  // Where GJK's direction is that of a face but for rounding, the face has it exactly: a capsule that lies on a box keeps
  // its normal in the noise.
  void snap_to_face() {
    if (best_.kind != Kind::Points) return;
    const Vec3 in_a = frame_.direction_to_a(-best_.normal);
    const auto try_face = [&](const ConvexCore& core, const Vec3& direction, Kind kind) {
      for (std::uint32_t f = 0; f < core.planes.size(); ++f) {
        const Vec3& n = core.planes[f].normal;
        if ((n - direction).squaredNorm() > kAligned * kAligned) continue;
        const Vec3 normal = kind == Kind::FaceA ? Vec3(frame_.rotation * -n) : n;
        const double distance = separation_along(a_, b_, frame_, normal);
        if (distance < best_.distance - tie_) return;
        if (kind == Kind::FaceA)
          take(kind, distance, normal, f, best_.feature_b);
        else
          take(kind, distance, normal, best_.feature_a, f);
        locate_face();
        return;
      }
    };
    try_face(a_, in_a, Kind::FaceA);
    if (best_.kind == Kind::Points) try_face(b_, best_.normal, Kind::FaceB);
  }

  // Two segments on one line, which overlap: they part as well in every direction across it.
  void part_on_one_line() {
    const Vec3 normal = b_.directions.empty() ? Vec3::UnitZ() : b_.directions[0].unitOrthogonal();
    take(Kind::Points, separation_along(a_, b_, frame_, normal), normal, 0, 0);
    best_.on_a = centre_of_a_;
    best_.on_b = b_.centre;
  }

  // True when the cores are proven to be more than `least` apart: best_ is then the answer.
  bool search_apart(double least) {
    Vec3 towards = best_.distance > 0 ? best_.normal : Vec3(centre_of_a_ - b_.centre);
    if (!(towards.squaredNorm() > 0)) towards = Vec3::UnitZ();
    const Nearest near = nearest_points(a_, b_, frame_, towards, limit_);
    if (near.state == Nearest::State::Beyond) {
      best_ = beyond();
      return true;
    }
    if (near.state == Nearest::State::Overlap || !(near.distance > least)) return false;
    if (!(near.bound > best_.distance + tie_)) return best_.distance > least;
    take(Kind::Points, near.bound, near.normal, near.lowest_a.index, near.highest_b.index);
    best_.on_a = near.on_a;
    best_.on_b = near.on_b;
    return true;
  }

  const ConvexCore &a_, &b_;
  const RelativeFrame& frame_;
  double limit_;
  Scratch& scratch_;
  double size_, tie_;
  Vec3 centre_of_a_;
  Separation best_;
};

}  // namespace

double separation_along(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, const Vec3& normal) {
  return lowest_height(a, a_in_b.direction_to_a(normal)) + normal.dot(a_in_b.shift) + lowest_height(b, -normal);
}

Separation separate(const ConvexCore& a, const ConvexCore& b, const RelativeFrame& a_in_b, double limit) {
  thread_local Scratch scratch;
  return Search(a, b, a_in_b, limit, scratch).run();
}

}  // namespace carom
