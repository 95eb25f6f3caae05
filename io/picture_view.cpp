#include "io/picture_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace carom {

Eye::Eye(const Vec3& direction) {
  sight = direction.allFinite() && direction.norm() > 0 ? Vec3(direction.normalized()) : Vec3(0, 1, 0);
  const Vec3 above = std::abs(sight.z()) > 0.999 ? Vec3::UnitY() : Vec3::UnitZ();
  right = sight.cross(above).normalized();
  up = right.cross(sight);
}

std::array<Vec3, 4> box_face(const PictureItem& box, int axis, bool positive) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::array<Vec3, 4> corners;
  for (int k = 0; k < 4; ++k) {
    Vec3 local = box.shape.half_extents;
    if (!positive) local[axis] = -local[axis];
    if (k == 1 || k == 2) local[u] = -local[u];
    if (k >= 2) local[v] = -local[v];
    corners[static_cast<std::size_t>(k)] = box.pose.to_world(local);
  }
  return corners;
}

std::array<double, 2> extent_along(const PictureItem& item, const Vec3& n) {
  const double centre = n.dot(item.pose.position);
  const Vec3 local = item.pose.rotation.conjugate() * n;
  if (item.solid) {
    std::array<double, 2> extent = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const Vec3& v : item.solid->vertices) {
      const double x = centre + local.dot(v);
      extent = {std::min(extent[0], x), std::max(extent[1], x)};
    }
    return extent;
  }
  const double reach =
      item.shape.kind == ShapeKind::Box ? item.shape.half_extents.dot(local.cwiseAbs()) : item.shape.radius * n.norm();
  return {centre - reach, centre + reach};
}

void measure(const Eye& eye, PictureItem& item) {
  const auto across = extent_along(item, eye.right), along = extent_along(item, eye.up);
  item.low = {across[0], along[0]};
  item.high = {across[1], along[1]};
  item.depth = eye.depth(item.centre());
}

namespace {

constexpr int kSides = 32;  // of what is round

// A ring of points about the local z axis.
void add_ring(double radius, double z, std::vector<Vec3>& points) {
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * std::numbers::pi * k / kSides;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
}

std::shared_ptr<const Polyhedron> drawn_solid(const Shape& shape) {
  const double r = shape.radius, half = shape.half_length();
  std::vector<Vec3> points;
  switch (shape.kind) {
    case ShapeKind::Cylinder:
    case ShapeKind::Disk:
      add_ring(r, -half, points);
      add_ring(r, half, points);
      break;
    case ShapeKind::Cone:
      add_ring(r, -0.5 * half, points);
      points.emplace_back(0, 0, 1.5 * half);
      break;
    case ShapeKind::Capsule:
      for (const double side : {-1.0, 1.0}) {
        for (int k = 0; k < kSides / 4; ++k) {
          const double angle = 2 * std::numbers::pi * k / kSides;
          add_ring(r * std::cos(angle), side * (half + r * std::sin(angle)), points);
        }
        points.emplace_back(0, 0, side * (half + r));
      }
      break;
    case ShapeKind::Hull:
      return std::shared_ptr<const Polyhedron>(shape.data, &shape.polyhedron());
    default:
      return nullptr;
  }
  return convex_hull(points);
}

struct HalfSpace {
  Vec3 normal, point;
};

// Keeps the part of a polygon outside a half-space's solid.
std::vector<Vec3> cut(const std::vector<Vec3>& polygon, const HalfSpace& solid) {
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3& a = polygon[i];
    const Vec3& b = polygon[(i + 1) % polygon.size()];
    const double da = solid.normal.dot(a - solid.point), db = solid.normal.dot(b - solid.point);
    if (da >= 0) kept.push_back(a);
    if ((da >= 0) != (db >= 0)) kept.push_back(a + (b - a) * (da / (da - db)));
  }
  return kept;
}

// What the bodies fill, widened by the margin that their ground shows around them.
struct Room {
  Vec3 low, high;
  double margin() const { return 0.15 * (high - low).maxCoeff(); }
  double thickness() const { return 0.3 * margin(); }  // of a solid seen edge-on
  Vec3 centre() const { return 0.5 * (low + high); }
  double reach(const Vec3& direction) const { return 0.5 * (high - low).dot(direction.cwiseAbs()) + margin(); }
  void include(const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
};

// The part of a plane under the room, its sides along the world's axes where that makes sense.
std::vector<Vec3> patch(const HalfSpace& plane, const Room& room) {
  const Vec3 foot = room.centre() - plane.normal * plane.normal.dot(room.centre() - plane.point);
  const Vec3 guide = std::abs(plane.normal.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  Vec3 u = (guide - plane.normal * plane.normal.dot(guide)).normalized();
  Vec3 v = plane.normal.cross(u);
  u *= room.reach(u);
  v *= room.reach(v);
  return {foot + u + v, foot - u + v, foot - u - v, foot + u - v};
}

// A plane seen edge-on: a line with a band of its solid below.
std::vector<Vec3> band(const HalfSpace& plane, const Room& room, const Vec3& sight) {
  const Vec3 foot = room.centre() - plane.normal * plane.normal.dot(room.centre() - plane.point);
  Vec3 u = plane.normal.cross(sight).normalized();
  u *= room.reach(u);
  const Vec3 below = foot - room.thickness() * plane.normal;
  return {foot + u, foot - u, below - u, below + u};
}

constexpr double kEdgeOn = 0.02;  // sine of the angle between sight and plane

void add_grounds(const std::vector<HalfSpace>& planes, PictureView& view) {
  if (view.items.empty() && planes.empty()) return;
  Room room{Vec3::Constant(std::numeric_limits<double>::infinity()),
            Vec3::Constant(-std::numeric_limits<double>::infinity())};
  for (const PictureItem& item : view.items) {
    const Vec3 reach = Vec3::Constant(item.shape.bounding_radius());
    room.include(item.centre() - reach);
    room.include(item.centre() + reach);
  }
  if (view.items.empty()) room = {planes[0].point - Vec3::Ones(), planes[0].point + Vec3::Ones()};
  // The foot of the scene belongs to it: a ball in flight is seen above its ground.
  for (const HalfSpace& plane : planes) {
    const Vec3 centre = room.centre();
    const double height = plane.normal.dot(centre - plane.point);
    if (plane.normal.dot(view.eye.sight) > kEdgeOn || height > 6 * (room.high - room.low).norm()) continue;
    room.include(centre - height * plane.normal);
  }
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const double towards_eye = -planes[i].normal.dot(view.eye.sight);
    if (towards_eye < -kEdgeOn) continue;  // seen from behind, through the solid
    const bool edge_on = towards_eye < kEdgeOn;
    std::vector<Vec3> outline = edge_on ? band(planes[i], room, view.eye.sight) : patch(planes[i], room);
    for (std::size_t j = 0; j < planes.size() && !outline.empty(); ++j) {
      HalfSpace other = planes[j];
      if (edge_on) other.point -= room.thickness() * other.normal;  // so that bands meet in their corner
      if (j != i) outline = cut(outline, other);
    }
    if (outline.size() >= 3) view.grounds.push_back({planes[i].normal, planes[i].point, outline, edge_on});
  }
  // Bands over surfaces: the line is what shows where the bodies stand.
  std::stable_partition(view.grounds.begin(), view.grounds.end(), [](const PictureGround& g) { return !g.edge_on; });
}

}  // namespace

PictureView arrange_view(const std::vector<RunBody>& bodies, const std::vector<RunCollider>& colliders,
                         const RunFrame& frame, const Vec3& sight) {
  PictureView view{Eye(sight), {}, {}};
  std::vector<HalfSpace> planes;
  for (std::size_t k = 0; k < colliders.size(); ++k) {
    const RunCollider& c = colliders[k];
    const auto i = static_cast<std::size_t>(c.body);
    const Pose pose = Pose{frame.position[i], frame.orientation[i]} * c.local;
    if (bodies[i].kind == BodyKind::Removed || !pose.position.allFinite() || !pose.rotation.coeffs().allFinite())
      continue;
    if (c.shape.kind == ShapeKind::HeightField || c.shape.kind == ShapeKind::Mesh) {
      add_surface(c, static_cast<int>(k), pose, view);
    } else if (!c.shape.bounded()) {
      Vec3 normal = pose.rotation * Vec3::UnitZ();
      if (c.shape.kind == ShapeKind::Plane && normal.dot(view.eye.sight) > 0) normal = -normal;  // has two sides
      planes.push_back({normal, pose.position});
    } else {
      PictureItem item{c.body, static_cast<int>(k), c.shape, pose, {}, {}, 0, drawn_solid(c.shape)};
      item.smooth = c.shape.kind != ShapeKind::Hull;
      measure(view.eye, item);
      view.items.push_back(item);
    }
  }
  add_grounds(planes, view);

  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
  const auto include = [&](const Vec2& a, const Vec2& b) {
    low = low.cwiseMin(a);
    high = high.cwiseMax(b);
  };
  for (const PictureItem& item : view.items) include(item.low, item.high);
  for (const PictureGround& ground : view.grounds)
    for (const Vec3& corner : ground.outline) include(view.eye.project(corner), view.eye.project(corner));
  if (low.allFinite() && high.allFinite()) view.low = low, view.high = high;
  sort_for_painting(view.eye, view.items);
  return view;
}

}  // namespace carom
