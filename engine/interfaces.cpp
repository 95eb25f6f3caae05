#include "engine/interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"

namespace carom {

namespace {

Vec3 mean_of(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : points) sum += point;
  return sum / static_cast<double>(points.size());
}

// What one body presses on another with, summed over their contacts.
struct Resultant {
  Vec3 force = Vec3::Zero();    // on a, N
  double pressure = 0;          // N, normal
  Vec3 weighed = Vec3::Zero();  // N m: contact points times normal forces
};

bool grounded(const World& world, int body) {
  return world.properties().kind[static_cast<std::size_t>(body)] != BodyKind::Dynamic;
}

// Two directions that span the plane of n.
std::pair<Vec3, Vec3> plane_axes(const Vec3& n) {
  const Vec3 first = n.unitOrthogonal();
  return {first, n.cross(first)};
}

// The convex hull of points in the plane, counter-clockwise (Andrew's monotone chain).
std::vector<Vec2> hull_of(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  const auto turn = [](const Vec2& o, const Vec2& a, const Vec2& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
  };
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Vec2& point : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double area_of(const std::vector<Vec2>& hull) {
  double twice = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2 &a = hull[i], &b = hull[(i + 1) % hull.size()];
    twice += a.x() * b.y() - b.x() * a.y();
  }
  return 0.5 * twice;
}

// How far x is from the centre of the points, as a share of the way to their edge in that direction.
double share_of_way_to_edge(const std::vector<Vec3>& points, const Vec3& n, const Vec3& x) {
  const Vec3 centre = mean_of(points);
  const Vec3 way = (x - centre) - n * n.dot(x - centre);
  const double distance = way.norm();
  if (distance == 0) return 0;
  const auto [e1, e2] = plane_axes(n);
  std::vector<Vec2> flat;
  for (const Vec3& point : points) flat.emplace_back(e1.dot(point - centre), e2.dot(point - centre));
  const std::vector<Vec2> hull = hull_of(flat);
  const Vec2 direction = Vec2(e1.dot(way), e2.dot(way)) / distance;
  double edge = 0;  // where the ray from the centre leaves the hull
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2 &a = hull[i], side = hull[(i + 1) % hull.size()] - a;
    const double cross = direction.x() * side.y() - direction.y() * side.x();
    if (std::abs(cross) < 1e-300) continue;
    const double along = (a.x() * side.y() - a.y() * side.x()) / cross;
    const double on_side = (a.x() * direction.y() - a.y() * direction.x()) / cross;
    if (along > 0 && on_side >= -1e-9 && on_side <= 1 + 1e-9) edge = std::max(edge, along);
  }
  return edge > 0 ? distance / edge : 0.0;
}

}  // namespace

std::string_view name_of(InterfaceStatus status) {
  switch (status) {
    case InterfaceStatus::Closed:
      return "closed";
    case InterfaceStatus::Hinge:
      return "hinge";
    case InterfaceStatus::Sliding:
      return "sliding";
    case InterfaceStatus::Open:
      return "open";
  }
  return "unknown";
}

void InterfaceMonitor::begin(const World& world, const InterfaceOptions& options) {
  const auto demand = [](bool holds, const char* field, double value) {
    if (!holds) throw InputError({"", 0, 0, field}, "must be finite and not negative", fmt::format("{}", value));
  };
  for (const auto& [field, value] : {std::pair{"margin", options.margin},
                                     {"opening_tolerance", options.opening_tolerance},
                                     {"sliding_tolerance", options.sliding_tolerance},
                                     {"collapse_displacement", options.collapse_displacement}})
    demand(std::isfinite(value) && value >= 0, field, value);
  options_ = options;
  collapse_.reset();
  start_ = world.state().position;

  std::map<std::pair<int, int>, Interface> faces;
  world.touching(options.margin, records_);
  for (const ContactRecord& contact : records_) {
    Interface& face = faces[{contact.body_a, contact.body_b}];
    face.body_a = contact.body_a;
    face.body_b = contact.body_b;
    const Pose a = pose_of(world.state(), contact.body_a), b = pose_of(world.state(), contact.body_b);
    // Of several normals (bodies that touch at more than one face) the first one decides.
    if (face.points_b.empty()) face.normal_b = b.rotation.conjugate() * contact.normal;
    face.points_a.push_back(a.to_local(contact.point));
    face.points_b.push_back(b.to_local(contact.point));
  }
  interfaces_.clear();
  for (auto& [pair, face] : faces) {
    const auto [e1, e2] = plane_axes(face.normal_b);
    std::vector<Vec2> flat;
    for (const Vec3& point : face.points_b) flat.emplace_back(e1.dot(point), e2.dot(point));
    if (flat.size() >= 3) face.area = area_of(hull_of(flat));
    interfaces_.push_back(std::move(face));
  }

  if (options_.collapse_displacement == 0) {
    double smallest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < world.colliders().size(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (world.colliders().mobile[i] != 0) smallest = std::min(smallest, world.colliders().shape[i].bounding_radius());
    }
    options_.collapse_displacement = 0.5 * smallest;
  }
  for (Interface& face : interfaces_) follow(world, face);
}

// Opening, sliding and status from the two bodies' positions alone.
void InterfaceMonitor::follow(const World& world, Interface& face) const {
  const Pose a = pose_of(world.state(), face.body_a), b = pose_of(world.state(), face.body_b);
  const Vec3 normal = b.rotation * face.normal_b;
  Vec3 along = Vec3::Zero();
  face.opening = -std::numeric_limits<double>::infinity();
  face.closest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < face.points_a.size(); ++k) {
    const Vec3 d = a.to_world(face.points_a[k]) - b.to_world(face.points_b[k]);
    const double opening = normal.dot(d);
    face.opening = std::max(face.opening, opening);
    face.closest = std::min(face.closest, opening);
    along += d - opening * normal;
  }
  face.sliding = along.norm() / static_cast<double>(face.points_a.size());
  face.status = face.closest > options_.opening_tolerance   ? InterfaceStatus::Open
                : face.opening > options_.opening_tolerance ? InterfaceStatus::Hinge
                : face.sliding > options_.sliding_tolerance ? InterfaceStatus::Sliding
                                                            : InterfaceStatus::Closed;
}

void InterfaceMonitor::update(const World& world, double h) {
  world.contact_records(records_);
  base_reaction_.setZero();
  for (Interface& face : interfaces_) {
    face.normal_force = face.shear_force = face.eccentricity = 0;
    face.thrust_point = pose_of(world.state(), face.body_b).to_world(mean_of(face.points_b));
    follow(world, face);
  }
  // Contact records come by colliders, those of one pair of bodies need not be neighbours: gather by bodies.
  std::map<std::pair<int, int>, Resultant> resultants;
  for (const ContactRecord& contact : records_) {
    const Vec3 force = contact.impulse_world / h;
    if (grounded(world, contact.body_b)) base_reaction_ += force;
    if (grounded(world, contact.body_a)) base_reaction_ -= force;
    Resultant& sum = resultants[{contact.body_a, contact.body_b}];
    sum.force += force;
    sum.pressure += contact.impulse[0] / h;
    sum.weighed += contact.impulse[0] / h * contact.point;
  }
  for (Interface& face : interfaces_) {
    const auto found = resultants.find({face.body_a, face.body_b});
    if (found == resultants.end()) continue;
    const Pose b = pose_of(world.state(), face.body_b);
    const Vec3 normal = b.rotation * face.normal_b;
    const Resultant& sum = found->second;
    face.normal_force = normal.dot(sum.force);
    face.shear_force = (sum.force - face.normal_force * normal).norm();
    if (sum.pressure <= 0) continue;
    face.thrust_point = sum.weighed / sum.pressure;
    std::vector<Vec3> points;
    for (const Vec3& point : face.points_b) points.push_back(b.to_world(point));
    face.eccentricity = share_of_way_to_edge(points, normal, face.thrust_point);
  }
  watch_for_collapse(world);
}

void InterfaceMonitor::watch_for_collapse(const World& world) {
  if (collapse_) return;
  // Blocks are seen from the base where it is driven (a shaking table).
  Vec3 base = Vec3::Zero();
  for (std::size_t i = 0; i < start_.size(); ++i) {
    if (world.properties().kind[i] != BodyKind::Kinematic) continue;
    base = world.state().position[i] - start_[i];
    break;
  }
  Collapse furthest;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    if (grounded(world, static_cast<int>(i))) continue;
    const double moved = (world.state().position[i] - start_[i] - base).norm();
    if (moved > furthest.displacement) furthest.displacement = moved, furthest.body = static_cast<int>(i);
  }
  if (furthest.displacement <= options_.collapse_displacement) return;
  furthest.time = world.time();
  for (std::size_t k = 0; k < interfaces_.size(); ++k)
    if (interfaces_[k].status != InterfaceStatus::Closed) furthest.mechanism.push_back(static_cast<int>(k));
  collapse_ = std::move(furthest);
}

}  // namespace carom
