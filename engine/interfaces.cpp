#include "engine/interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "engine/contact_face.h"

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

// How far x is from the centre of the points, as a share of the way to their edge in that direction.
double share_of_way_to_edge(const std::vector<Vec3>& points, const Vec3& n, const Vec3& x) {
  const Vec3 centre = mean_of(points);
  const Vec3 way = (x - centre) - n * n.dot(x - centre);
  const double distance = way.norm();
  if (distance == 0) return 0;
  const auto [e1, e2] = plane_axes(n);
  std::vector<Vec2> flat;
  for (const Vec3& point : points) flat.emplace_back(e1.dot(point - centre), e2.dot(point - centre));
  std::vector<Vec2> hull;
  for (std::size_t corner : hull_of(flat)) hull.push_back(flat[corner]);
  if (hull.size() == 2) return 2 * distance / (hull[1] - hull[0]).norm();  // a line, in planar runs
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
  calm_ = world.time();
  peak_shear_ = peak_time_ = 0;
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
    for (const double area : corner_areas(face.points_b, face.normal_b)) face.area += area;
    for (std::size_t k = 0; k < world.bonds().size() && face.bond < 0; ++k)
      if (world.bonds()[k].bodies == std::array{face.body_a, face.body_b}) face.bond = static_cast<int>(k);
    if (face.bond >= 0) face.area = world.bonds()[static_cast<std::size_t>(face.bond)].area;
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
  for (Interface& face : interfaces_) {
    follow(world, face);
    face.thrust_point = pose_of(world.state(), face.body_b).to_world(mean_of(face.points_b));
  }
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
    if (opening < face.closest) face.hinge = b.to_world(face.points_b[k]);
    face.closest = std::min(face.closest, opening);
    along += d - opening * normal;
  }
  face.sliding = along.norm() / static_cast<double>(face.points_a.size());
  face.bonded = face.bond >= 0 && world.bond_holds(static_cast<std::size_t>(face.bond));
  face.status = face.closest > options_.opening_tolerance   ? InterfaceStatus::Open
                : face.opening > options_.opening_tolerance ? InterfaceStatus::Hinge
                : face.sliding > options_.sliding_tolerance ? InterfaceStatus::Sliding
                                                            : InterfaceStatus::Closed;
}

Interface* InterfaceMonitor::find(int body_a, int body_b) {
  const std::pair pair(body_a, body_b);
  const auto found = std::lower_bound(interfaces_.begin(), interfaces_.end(), pair, [](const Interface& face, auto p) {
    return std::pair(face.body_a, face.body_b) < p;
  });
  const bool same = found != interfaces_.end() && std::pair(found->body_a, found->body_b) == pair;
  return same ? &*found : nullptr;
}

void InterfaceMonitor::update(const World& world, double h) {
  world.contact_records(records_);
  update(world, h, records_);
}

void InterfaceMonitor::update(const World& world, double h, const std::vector<ContactRecord>& contacts) {
  base_reaction_.setZero();
  for (Interface& face : interfaces_) {
    face.normal_force = face.shear_force = face.eccentricity = 0;
    face.thrust_point = pose_of(world.state(), face.body_b).to_world(mean_of(face.points_b));
    follow(world, face);
  }
  std::vector<Resultant> resultants(interfaces_.size());
  for (const ContactRecord& contact : contacts) {
    const Vec3 force = contact.impulse_world / h;
    if (grounded(world, contact.body_b)) base_reaction_ += force;
    if (grounded(world, contact.body_a)) base_reaction_ -= force;
    const Interface* face = find(contact.body_a, contact.body_b);
    if (face == nullptr) continue;
    Resultant& sum = resultants[static_cast<std::size_t>(face - interfaces_.data())];
    sum.force += force;
    sum.pressure += contact.impulse[0] / h;
    sum.weighed += contact.impulse[0] / h * contact.point;
  }
  for (std::size_t k = 0; k < interfaces_.size(); ++k) {
    Interface& face = interfaces_[k];
    const Pose b = pose_of(world.state(), face.body_b);
    const Vec3 normal = b.rotation * face.normal_b;
    const Resultant& sum = resultants[k];
    face.normal_force = normal.dot(sum.force);
    face.shear_force = (sum.force - face.normal_force * normal).norm();
    if (sum.pressure <= 0) continue;
    face.thrust_point = sum.weighed / sum.pressure;
    std::vector<Vec3> points;
    for (const Vec3& point : face.points_b) points.push_back(b.to_world(point));
    face.eccentricity = share_of_way_to_edge(points, normal, face.thrust_point);
  }
}

void InterfaceMonitor::watch(const World& world, double h) {
  const Vec3 reaction = world.last_report().support_reaction, g = world.forces().gravity.acceleration;
  const double shear = g.isZero() ? reaction.norm() : Vec3(reaction - g * (g.dot(reaction) / g.squaredNorm())).norm();
  if (shear > peak_shear_) peak_shear_ = shear, peak_time_ = world.time();
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
  if (furthest.displacement <= options_.onset_share * options_.collapse_displacement) calm_ = world.time();
  if (furthest.displacement <= options_.collapse_displacement) return;
  furthest.time = world.time();
  furthest.onset = calm_;
  update(world, h);
  for (std::size_t k = 0; k < interfaces_.size(); ++k)
    if (interfaces_[k].status != InterfaceStatus::Closed) furthest.mechanism.push_back(static_cast<int>(k));
  collapse_ = std::move(furthest);
}

std::vector<double> InterfaceMonitor::memory() const {
  std::vector<double> memory = {calm_, peak_shear_, peak_time_};
  if (!collapse_) return memory;
  memory.insert(memory.end(), {collapse_->time, collapse_->onset, static_cast<double>(collapse_->body),
                               collapse_->displacement});
  for (int face : collapse_->mechanism) memory.push_back(face);
  return memory;
}

void InterfaceMonitor::restore(const std::vector<double>& memory) {
  constexpr std::size_t kAlways = 3, kFallen = kAlways + 4;
  const auto known = [](double number, std::size_t count) { return number >= 0 && number < static_cast<double>(count); };
  bool good = memory.size() == kAlways || (memory.size() >= kFallen && known(memory[kAlways + 2], start_.size()));
  for (std::size_t k = kFallen; k < memory.size(); ++k) good = good && known(memory[k], interfaces_.size());
  if (!good) throw InputError({"", 0, 0, "checkpoint"}, "belongs to another scene: its interfaces differ");
  calm_ = memory[0];
  peak_shear_ = memory[1];
  peak_time_ = memory[2];
  collapse_.reset();
  if (memory.size() == kAlways) return;
  const double* fallen = &memory[kAlways];
  collapse_ = Collapse{.time = fallen[0],
                       .onset = fallen[1],
                       .body = static_cast<int>(fallen[2]),
                       .displacement = fallen[3],
                       .mechanism = {}};
  for (std::size_t k = kFallen; k < memory.size(); ++k) collapse_->mechanism.push_back(static_cast<int>(memory[k]));
}

}  // namespace carom
