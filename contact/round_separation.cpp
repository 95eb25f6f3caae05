#include "contact/round_separation.h"

#include <algorithm>
#include <cmath>

#include "contact/circle_search.h"

namespace carom {

namespace {

constexpr double kTie = 1e-11;      // of the size: of equal directions the first stays
constexpr double kReliable = 1e-7;  // of the size: nearer points show no direction
constexpr double kParallel = 1e-8;  // directions at smaller angles are parallel

// Nearest to `x` on the segment as a convex function of the place: where its slope vanishes. `slope(t)` grows.
template <class Slope>
double least_place(Slope&& slope) {
  double low = 0, high = 1, at_low = slope(0.0), at_high = slope(1.0);
  if (at_low >= 0) return 0;
  if (at_high <= 0) return 1;
  double t = 0.5;
  // Every third step halves, so that kinks and flat stretches cost no more than 3 x 53.
  for (int round = 0; round < 160 && high - low > 1e-16; ++round) {
    t = round % 3 == 2 ? 0.5 * (low + high) : low - at_low * (high - low) / (at_high - at_low);
    if (!(t > low && t < high)) break;
    const double at = slope(t);
    if (at == 0) break;
    if (at < 0)
      low = t, at_low = at, at_high *= 0.5;
    else
      high = t, at_high = at, at_low *= 0.5;
  }
  return t;
}

// Directions on the circle of side normals that are across e: side_cos (e_xy . u) + side_sin e_z = 0, at most two.
template <class Found>
void for_side_normals_across(const RoundSolid& round, const Vec3& e, double level, Found&& found) {
  // side_cos rho cos(angle from e_xy) + side_sin e_z = level
  const double rho = std::hypot(e.x(), e.y());
  if (!(rho > kParallel)) return;
  const double c = (level - round.side_sin * e.z()) / (round.side_cos * rho);
  if (std::abs(c) > 1) return;
  const double s = std::sqrt(1 - c * c);
  const Vec2 along(e.x() / rho, e.y() / rho), across(-along.y(), along.x());
  found(Vec2(c * along + s * across));
  found(Vec2(c * along - s * across));
}

Vec3 side_normal(const RoundSolid& round, const Vec2& u) {
  return {round.side_cos * u.x(), round.side_cos * u.y(), round.side_sin};
}

// Keeps the best direction; stops paying attention once one shows a gap beyond the limit.
class Best {
 public:
  Best(double limit, double tie) : limit_(limit), tie_(tie) {}
  void offer(double distance, const Vec3& direction) {
    if (!(distance > best_.distance + (any_ ? tie_ : 0))) return;
    any_ = true;
    best_.distance = distance;
    best_.direction = direction;
  }
  // Could a direction with at most this gap be better?
  bool open(double bound) const { return bound > best_.distance + tie_; }
  bool beyond() const { return best_.distance > limit_; }
  double distance() const { return best_.distance; }
  RoundSeparation result() const {
    RoundSeparation r = best_;
    r.beyond = beyond() || !any_;
    return r;
  }

 private:
  double limit_, tie_;
  bool any_ = false;
  RoundSeparation best_;
};

class CoreSearch {
 public:
  CoreSearch(const RoundSolid& round, const PlacedCore& core, double limit)
      : round_(round), core_(core), size_(round.size() + core.size), best_(limit, kTie * size_) {}

  RoundSeparation run() {
    search_faces();
    if (!best_.beyond()) search_side();
    if (best_.beyond()) return best_.result();
    if (search_apart(kReliable * size_)) return best_.result();
    search_rims();
    return best_.result();
  }

 private:
  void try_direction(const Vec3& d, double bound) {
    if (best_.open(bound)) best_.offer(core_.lowest(d) - round_.height(d), d);
  }

  void search_faces() {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    try_direction(-Vec3::UnitZ(), kAny);
    if (!round_.cone) try_direction(Vec3::UnitZ(), kAny);
    for (const FacePlane& plane : core_.plane) best_.offer(-plane.offset - round_.height(-plane.normal), -plane.normal);
    const Vec3 towards = core_.centre - Vec3(0, 0, 0.5 * (round_.low + round_.high));
    if (towards.squaredNorm() > 0) try_direction(towards.normalized(), kAny);
  }

  // d on the circle of side normals: a corner at its azimuth, an edge across d.
  void search_side() {
    const double own = round_.side_cos * round_.radius + round_.side_sin * round_.low;
    const auto try_normal = [&](const Vec2& u, const Vec3& corner) {
      const Vec3 d = side_normal(round_, u);
      try_direction(d, d.dot(corner) - own);
    };
    for (const Vec3& v : core_.vertex) {
      const double rho = std::hypot(v.x(), v.y());
      try_normal(rho > 0 ? Vec2(v.head<2>() / rho) : Vec2(1, 0), v);
    }
    for (const PolyhedronEdge& edge : core_.edges) {
      const Vec3& from = core_.vertex[edge.start];
      for_side_normals_across(round_, core_.vertex[edge.end] - from, 0, [&](const Vec2& u) { try_normal(u, from); });
    }
  }

  // True when the solids are seen to be apart by more than `least`.
  bool search_apart(double least) {
    double nearest = std::numeric_limits<double>::infinity();
    Vec3 normal = Vec3::UnitZ();
    const auto offer = [&](const Vec3& x) {
      const SurfacePoint s = round_.surface(x);
      if (s.distance < nearest) nearest = s.distance, normal = s.normal;
      return s;
    };
    for (const Vec3& v : core_.vertex) offer(v);
    for (const PolyhedronEdge& edge : core_.edges) {
      if (!(nearest > best_.distance() + kTie * size_)) break;  // proven
      if (nearest < 0) return best_.distance() > least;         // they overlap
      const Vec3 &from = core_.vertex[edge.start], along = core_.vertex[edge.end] - from;
      // The distance is convex along the edge, and falls by no more than the way.
      const double length = along.norm();
      if (round_.surface(from + 0.5 * along).distance - 0.5 * length >= nearest) continue;
      offer(from + least_place([&](double t) { return round_.surface(from + t * along).normal.dot(along); }) * along);
    }
    if (nearest > least) best_.offer(core_.lowest(normal) - round_.height(normal), normal);
    return best_.distance() > least;
  }

  // Across the rim and an edge: summits of the distance from the line of the edge, seen from the rim.
  void search_rims() {
    for (int rim = 0; rim < round_.rims(); ++rim) {
      const Vec3 centre(0, 0, round_.rim_height(rim));
      for (const PolyhedronEdge& edge : core_.edges)
        if (faces_rim(edge, rim)) search_rim(centre, edge);
    }
  }

  // Directions that meet the rim are below the side's normal at the base and above it at the top; those that meet an
  // edge lie between the normals of its faces.
  bool faces_rim(const PolyhedronEdge& edge, int rim) const {
    if (edge.left == kNoFace) return true;
    const double left = -core_.plane[edge.left].normal.z(), right = -core_.plane[edge.right].normal.z();
    return rim == 0 ? std::min(left, right) <= round_.side_sin + kParallel : std::max(left, right) >= -kParallel;
  }

  void search_rim(const Vec3& centre, const PolyhedronEdge& edge) {
    const Vec3& from = core_.vertex[edge.start];
    const Vec3 e = (core_.vertex[edge.end] - from).normalized();
    Vec3 to_line = from - centre;
    to_line -= to_line.dot(e) * e;  // from the centre of the rim to the line
    const double off = to_line.norm();
    // The rim is off the line by at least the difference; the solids overlap, or touch.
    if (!best_.open(round_.radius - off + kReliable * size_)) return;
    // half the slope of -|w|^2 with w = to_line - r P u, P the projection across e
    const auto slope = [&](const Vec2& u) {
      const Vec3 radial(u.x(), u.y(), 0), tangent(-u.y(), u.x(), 0);
      return (to_line - round_.radius * (radial - radial.dot(e) * e)).dot(tangent);
    };
    const double flat = std::hypot(to_line.x(), to_line.y());
    const Vec2 first = flat > 0 ? Vec2(to_line.head<2>() / flat) : Vec2(1, 0);
    for_each_summit(first, slope, [&](const Vec2& u) {
      const Vec3 tangent(-u.y(), u.x(), 0), cross = tangent.cross(e);
      const double length = cross.norm();
      if (length < kParallel) return;
      const Vec3 d = cross / length, p = centre + round_.radius * Vec3(u.x(), u.y(), 0);
      try_direction(d, d.dot(from - p));
      try_direction(-d, -d.dot(from - p));
    });
  }

  const RoundSolid& round_;
  const PlacedCore& core_;
  double size_;
  Best best_;
};

// Two round solids: everything in the frame of the first, r; q is the other.
class RoundSearch {
 public:
  RoundSearch(const RoundSolid& r, const RoundSolid& q, const RelativeFrame& q_in_r, double limit)
      : r_(r), q_(q), to_r_(q_in_r), size_(r.size() + q.size()), best_(limit, kTie * size_) {
    to_q_.rotation = q_in_r.rotation.transpose();
    to_q_.shift = -(to_q_.rotation * q_in_r.shift);
  }

  RoundSeparation run() {
    const Vec3 axis = to_r_.rotation.col(2);
    offer(-Vec3::UnitZ());
    if (!r_.cone) offer(Vec3::UnitZ());
    offer(axis);
    if (!q_.cone) offer(-axis);
    const Vec3 towards = to_r_.point(Vec3(0, 0, 0.5 * (q_.low + q_.high))) - Vec3(0, 0, 0.5 * (r_.low + r_.high));
    if (towards.squaredNorm() > 0) offer(towards.normalized());
    if (best_.beyond()) return best_.result();
    search_side(r_, q_, to_r_, [&](const Vec3& d) { offer(d); });
    if (best_.beyond()) return best_.result();
    search_side(q_, r_, to_q_, [&](const Vec3& d) { offer(to_r_.rotation * -d); });
    if (best_.beyond()) return best_.result();
    if (search_apart(kReliable * size_)) return best_.result();
    for (int i = 0; i < r_.rims(); ++i)
      for (int j = 0; j < q_.rims(); ++j) {
        const auto offer_both = [&](const Vec3& d, double far) {
          if (best_.open(-far)) offer(d), offer(-d);
        };
        if (r_.radius <= q_.radius)
          search_rims(r_, i, q_, j, to_r_, offer_both);
        else
          search_rims(q_, j, r_, i, to_q_, [&](const Vec3& d, double far) { offer_both(to_r_.rotation * d, far); });
      }
    return best_.result();
  }

 private:
  double shown(const Vec3& d) const { return d.dot(to_r_.shift) - q_.height(to_r_.direction_to_a(-d)) - r_.height(d); }
  void offer(const Vec3& d) { best_.offer(shown(d), d); }

  // Normals of the side of one: summits of the gap over their circle, and where the side of the other faces them too.
  template <class Offer>
  static void search_side(const RoundSolid& own, const RoundSolid& other, const RelativeFrame& in_own, Offer&& take) {
    const Vec3 axis = in_own.rotation.col(2);
    for_side_normals_across(own, axis, -other.side_sin, [&](const Vec2& u) { take(side_normal(own, u)); });
    const Vec3 centre = in_own.point(Vec3(0, 0, 0.5 * (other.low + other.high)));
    const double flat = std::hypot(centre.x(), centre.y());
    const Vec2 first = flat > 0 ? Vec2(centre.head<2>() / flat) : Vec2(1, 0);
    take(side_normal(own, first));
    const auto slope = [&](const Vec2& u) {
      const Vec3 nearest = in_own.point(other.support(in_own.direction_to_a(-side_normal(own, u))));
      return nearest.y() * u.x() - nearest.x() * u.y();
    };
    for_each_summit(first, slope, [&](const Vec2& u) { take(side_normal(own, u)); });
  }

  // Rims and apex of one against the whole other; summits of minus the distance.
  template <class Offer>
  static void search_nearest(const RoundSolid& own, const RoundSolid& other, const RelativeFrame& other_in_own,
                             Offer&& take) {
    const auto surface = [&](const Vec3& x) { return other.surface(other_in_own.to_a(x)); };
    const Vec3 centre = other_in_own.point(Vec3(0, 0, 0.5 * (other.low + other.high)));
    const double flat = std::hypot(centre.x(), centre.y());
    const Vec2 first = flat > 0 ? Vec2(centre.head<2>() / flat) : Vec2(1, 0);
    for (int rim = 0; rim < own.rims(); ++rim) {
      const auto place = [&](const Vec2& u) {
        return Vec3(own.radius * u.x(), own.radius * u.y(), own.rim_height(rim));
      };
      const auto normal = [&](const SurfacePoint& s) { return Vec3(other_in_own.rotation * s.normal); };
      const auto slope = [&](const Vec2& u) {
        const Vec3 n = normal(surface(place(u)));
        return n.x() * u.y() - n.y() * u.x();
      };
      const auto offer = [&](const Vec2& u) {
        const SurfacePoint s = surface(place(u));
        take(s.distance, Vec3(-normal(s)));
      };
      offer(first);
      for_each_summit(first, slope, offer);
    }
    if (own.cone) {
      const SurfacePoint s = surface(Vec3(0, 0, own.high));
      take(s.distance, Vec3(-(other_in_own.rotation * s.normal)));
    }
  }

  bool search_apart(double least) {
    double nearest = std::numeric_limits<double>::infinity();
    Vec3 direction = Vec3::UnitZ();
    const auto take = [&](double distance, const Vec3& d) {
      if (distance < nearest) nearest = distance, direction = d;
    };
    search_nearest(r_, q_, to_r_, take);
    search_nearest(q_, r_, to_q_, [&](double distance, const Vec3& d) { take(distance, to_r_.rotation * -d); });
    if (nearest > least) offer(direction);
    return best_.distance() > least;
  }

  // Rim i of one against rim j of the other, the larger: summits of minus the distance of a point of the smaller circle
  // from the larger one. take(d, distance)
  template <class Take>
  static void search_rims(const RoundSolid& own, int i, const RoundSolid& other, int j, const RelativeFrame& in_own,
                          Take&& take) {
    const Vec3 axis = in_own.rotation.col(2), centre = in_own.point(Vec3(0, 0, other.rim_height(j)));
    const auto place = [&](const Vec2& u) { return Vec3(own.radius * u.x(), own.radius * u.y(), own.rim_height(i)); };
    const auto radial = [&](const Vec3& p) {
      Vec3 arm = p - centre;
      arm -= arm.dot(axis) * axis;
      const double length = arm.norm();
      return length > 0 ? Vec3(arm / length) : Vec3(in_own.rotation.col(0));
    };
    const auto slope = [&](const Vec2& u) {
      const Vec3 p = place(u), w = centre + other.radius * radial(p) - p;
      return w.y() * u.x() - w.x() * u.y();
    };
    const double flat = std::hypot(centre.x(), centre.y());
    const Vec2 first = flat > 0 ? Vec2(centre.head<2>() / flat) : Vec2(1, 0);
    for_each_summit(first, slope, [&](const Vec2& u) {
      const Vec3 p = place(u), arm = radial(p), w = centre + other.radius * arm - p;
      const Vec3 cross = Vec3(-u.y(), u.x(), 0).cross(axis.cross(arm));
      const double length = cross.norm(), far = w.norm();
      take(length > kParallel ? Vec3(cross / length) : far > 0 ? Vec3(w / far) : Vec3(axis), far);
    });
  }

  const RoundSolid &r_, &q_;
  const RelativeFrame& to_r_;
  RelativeFrame to_q_;
  double size_;
  Best best_;
};

}  // namespace

void PlacedCore::place(const ConvexCore& core, const RelativeFrame& in_round) {
  vertex.clear();
  plane.clear();
  for (const Vec3& v : core.vertices) vertex.push_back(in_round.point(v));
  for (const FacePlane& p : core.planes) {
    const Vec3 normal = in_round.rotation * p.normal;
    plane.push_back({normal, p.offset + normal.dot(in_round.shift)});
  }
  edges = core.edges();
  centre = in_round.point(core.centre);
  size = core.outer_radius;
}

double PlacedCore::lowest(const Vec3& d) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& v : vertex) least = std::min(least, d.dot(v));
  return least;
}

RoundSeparation separate(const RoundSolid& round, const PlacedCore& core, double limit) {
  return CoreSearch(round, core, limit).run();
}

RoundSeparation separate(const RoundSolid& round, const RoundSolid& other, const RelativeFrame& in_round,
                         double limit) {
  return RoundSearch(round, other, in_round, limit).run();
}

}  // namespace carom
