// Corners of a body, centres of spheres and ends of capsules among them, against triangles.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/feature_key.h"
#include "contact/triangle_contacts.h"

namespace carom {

namespace {

constexpr double kTiny = 1e-10;  // of the body's size: lengths that mean nothing
// Under a valley a corner is near neither side's inside; sides whose nearest points are no farther than this, against
// the nearest of all, hold it together.
constexpr double kValley = 1.5;
constexpr std::size_t kMaxSlots = 64;  // contacts of one corner

// One way in which a corner meets the surface.
struct Meeting {
  Vec3 at;        // the corner
  Vec3 normal;    // unit
  double height;  // along it, negative under the surface
  double reach;   // distance to the nearest point of the triangle
  Vec3 foot;      // that point
  const PatchTriangle* triangle;
  bool oblique;  // under the plane of the triangle, beside it, at a valley
  bool under() const { return height < 0; }
};

class CornerSearch {
 public:
  CornerSearch(GroundScratch& s, std::vector<Meeting>& meetings)
      : s_(s), body_(s.body), tiny_(kTiny * s.body.size), limit_(s.margin + s.body.radius), meetings_(meetings) {}

  void run() {
    const std::uint32_t count = body_.corner_count();
    for (std::uint32_t c = 0; c < count; ++c) {
      meetings_.clear();
      for (const PatchTriangle& t : s_.triangles)
        if (!t.apart) meet(body_.corner(c, t), t);
      const auto under = [&] {
        return std::any_of(meetings_.begin(), meetings_.end(), [](const Meeting& m) { return m.under(); });
      };
      if (under()) settle_under();
      if (s_.terrain != nullptr && !under()) look_above(c);
      push(c);
    }
  }

 private:
  void meet(const Vec3& x, const PatchTriangle& t) {
    const double height = t.height(x);
    if (height > limit_) return;
    // Distances beyond the three sides. Flat neighbours leave no room between the spaces over them.
    bool over = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const double beyond = t.side[k].dot(x - t.corner[k]);
      const double slack = tiny_ + (t.bend[k] == EdgeBend::Flat ? 2 * kFlatBend * std::abs(height) : 0.0);
      over = over && beyond <= slack;
    }
    if (over) {
      meetings_.push_back({x, t.normal, height, std::abs(height), x - height * t.normal, &t, false});
      return;
    }
    meet_outline(x, t, height);
  }

  // The nearest point lies on an edge or a vertex of the triangle.
  void meet_outline(const Vec3& x, const PatchTriangle& t, double height) {
    const Vec3 foot = t.nearest(x), offset = x - foot;
    const double distance = offset.norm();
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& from = t.corner[k];
      const double length = (t.corner[t.next(k)] - from).norm(), along = t.along[k].dot(foot - from);
      const bool on_edge = t.side[k].dot(foot - from) >= -tiny_, at_start = along <= tiny_;
      if (!on_edge) continue;
      if (height < 0 && t.bend[k] == EdgeBend::Concave && t.side[k].dot(x - from) > 0) {
        meetings_.push_back({x, t.normal, height, distance, foot, &t, true});
        return;
      }
      if (distance <= tiny_ || distance > limit_) continue;
      if (at_start) {
        if (sticks_out(t.vertex[k], t.number, offset) && leaves_corner(x, offset / distance))
          meetings_.push_back({x, offset / distance, distance, distance, foot, &t, false});
      } else if (along < length - tiny_ && t.ridge(k) && t.own[k]) {
        // Between the normals of the two sides: on the outer side of both triangles.
        const Vec3 other_side = -t.along[k].cross(t.across[k]);
        if (offset.dot(t.side[k]) >= 0 && offset.dot(other_side) >= 0 && leaves_corner(x, offset / distance))
          meetings_.push_back({x, offset / distance, distance, distance, foot, &t, false});
      }
    }
  }

  // Whether a direction from a vertex leaves all of the triangles around it, and `from` is the first of them.
  bool sticks_out(std::uint32_t vertex, std::uint32_t from, const Vec3& direction) const {
    if (s_.terrain != nullptr && direction.z() < 0) return false;
    const double slack = tiny_ * direction.norm();
    for (const PatchTriangle& t : s_.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        if (t.vertex[k] != vertex) continue;
        if (t.number < from && !t.apart) return false;
        for (const std::size_t other : {t.next(k), t.next(t.next(k))})
          if (direction.dot(t.corner[other] - t.corner[k]) > slack) return false;
        if (!t.apart && t.on_border(k) && direction.dot(t.normal) < 0) return false;
      }
    return true;
  }

  // A corner of a polyhedron meets an edge only in directions in which nothing of the body is lower.
  bool leaves_corner(const Vec3& x, const Vec3& normal) const {
    if (!body_.round && body_.vertices.size() == 1) return true;
    return normal.dot(x) <= body_.lowest(normal) + tiny_;
  }

  // Which of the meetings hold when some say that the corner is under the surface.
  void settle_under() {
    const auto drop_if = [&](auto&& condition) {
      meetings_.erase(std::remove_if(meetings_.begin(), meetings_.end(), condition), meetings_.end());
    };
    if (s_.terrain != nullptr) {
      drop_if([&](const Meeting& m) {
        if (!m.under()) return false;
        const auto ground = s_.terrain->ground(m.at.x(), m.at.y());
        return !ground || m.at.z() > ground->height;
      });
    } else {
      drop_if([&](const Meeting& m) { return m.under() && outside_mesh(s_.triangles, m.at, tiny_); });
    }
    std::sort(meetings_.begin(), meetings_.end(), [](const Meeting& p, const Meeting& q) {
      return p.reach != q.reach ? p.reach < q.reach : p.triangle->number < q.triangle->number;
    });
    // The nearest under the surface holds. Of the others those about as near whose foot it leaves in front of its
    // plane: beyond a valley. A ridge's far side has its foot behind, that of a rock beside the corner is far.
    std::size_t kept = 0;
    double nearest = -1;
    for (std::size_t i = 0; i < meetings_.size(); ++i) {
      const Meeting& m = meetings_[i];
      bool holds = true;
      if (m.under() && nearest >= 0) {
        holds = m.reach <= kValley * nearest + tiny_;
        for (std::size_t k = 0; k < kept && holds && !m.oblique; ++k)
          holds = !meetings_[k].under() || meetings_[k].triangle->height(m.foot) > 10 * tiny_;
      }
      if (m.under() && nearest < 0) nearest = m.reach;
      if (holds) meetings_[kept++] = meetings_[i];
    }
    meetings_.resize(kept);
  }

  // Solid below without end: a corner under the surface that is under no triangle's own space leaves through the one
  // straight above it.
  void look_above(std::uint32_t c) {
    for (const PatchTriangle& t : s_.triangles) {
      const Vec3 x = body_.corner(c, t);
      const auto ground = s_.terrain->ground(x.x(), x.y());
      if (!ground || ground->triangle != t.number || x.z() > ground->height) continue;
      const double height = t.height(x);
      meetings_.push_back({x, t.normal, height, std::abs(height), x - height * t.normal, &t, false});
      return;
    }
  }

  void push(std::uint32_t c) {
    std::sort(meetings_.begin(), meetings_.end(),
              [](const Meeting& p, const Meeting& q) { return p.triangle->number < q.triangle->number; });
    std::uint32_t slot = 0;
    for (std::size_t i = 0; i < meetings_.size() && slot < kMaxSlots; ++i) {
      const Meeting& m = meetings_[i];
      const double gap = m.height - body_.radius;
      if (!(gap <= s_.margin)) continue;
      bool repeated = false;
      for (std::size_t k = 0; k < i && !repeated; ++k)
        repeated =
            meetings_[k].normal.dot(m.normal) > 1 - 1e-11 && std::abs(meetings_[k].height - m.height) <= 10 * tiny_;
      if (repeated) continue;
      if (m.under()) s_.deepest = std::max(s_.deepest, -m.height);
      // midway between the body's point x - r n and the surface's
      s_.add(feature_key(0, c, slot++), m.at - (body_.radius + 0.5 * gap) * m.normal, m.normal, gap);
    }
  }

  GroundScratch& s_;
  const GroundBody& body_;
  double tiny_, limit_;
  std::vector<Meeting>& meetings_;
};

// How much of the space around a point of a triangle is its own: all of it inside, half of it on an edge, its angle at
// a corner.
double share_at(const PatchTriangle& t, const Vec3& foot, double tiny) {
  for (std::size_t k = 0; k < 3; ++k) {
    if ((foot - t.corner[k]).squaredNorm() > tiny * tiny) continue;
    const Vec3 u = t.corner[t.next(k)] - t.corner[k], v = t.corner[t.next(t.next(k))] - t.corner[k];
    return std::atan2(u.cross(v).norm(), u.dot(v));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 u = t.corner[t.next(k)] - t.corner[k];
    if (u.cross(t.normal).dot(foot - t.corner[k]) >= -tiny * u.norm()) return std::numbers::pi;
  }
  return 2 * std::numbers::pi;
}

}  // namespace

bool outside_mesh(std::span<const PatchTriangle> triangles, const Vec3& x, double tiny) {
  double nearest2 = std::numeric_limits<double>::infinity();
  Vec3 foot = Vec3::Zero();
  for (const PatchTriangle& t : triangles) {
    if (std::abs(t.height(x)) > std::sqrt(nearest2)) continue;
    const Vec3 q = t.nearest(x);
    const double squared = (x - q).squaredNorm();
    if (squared < nearest2) nearest2 = squared, foot = q;
  }
  Vec3 normal = Vec3::Zero();
  for (const PatchTriangle& t : triangles)
    if (std::abs(t.height(foot)) <= tiny && (t.nearest(foot) - foot).squaredNorm() <= tiny * tiny)
      normal += share_at(t, foot, tiny) * t.normal;
  return normal.dot(x - foot) > 0;
}

void meet_corners(GroundScratch& scratch) {
  thread_local std::vector<Meeting> meetings;
  CornerSearch(scratch, meetings).run();
}

}  // namespace carom
