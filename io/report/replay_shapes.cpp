#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/report/replay_parts.h"
#include "io/shape_surface.h"

namespace carom {

namespace {

constexpr double kTerrainSamples = 200000;

// Shapes that are drawn as triangles, each once however many bodies wear it.
class SurfaceTable {
 public:
  int number(const Shape& shape) {
    const bool terrain = shape.kind == ShapeKind::HeightField;
    Surface surface = surface_of(shape, 24, terrain ? terrain_stride(shape, kTerrainSamples) : 1);
    if (surface.triangles.empty()) return -1;
    std::vector<float> points;
    for (const Vec3& p : surface.points)
      for (int c = 0; c < 3; ++c) points.push_back(static_cast<float>(p[c]));
    const auto bytes = bytes_of(points);
    const std::string key(bytes.begin(), bytes.end());
    const auto [place, added] = numbers_.emplace(fmt::format("{} ", surface.triangles.size()) + key, counts_.size() / 2);
    if (added) {
      counts_.push_back(static_cast<double>(surface.points.size()));
      counts_.push_back(static_cast<double>(surface.triangles.size()));
      points_.insert(points_.end(), points.begin(), points.end());
      for (const auto& triangle : surface.triangles) triangles_.insert(triangles_.end(), triangle.begin(), triangle.end());
    }
    return static_cast<int>(place->second);
  }
  void pack(Replay& replay) const {
    replay.manifest.add_raw("surfaces", json_list(counts_, 15));
    add_block(replay, "surface_points", points_);
    add_block(replay, "surface_triangles", triangles_);
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<double> counts_;  // points, triangles of each
  std::vector<float> points_;
  std::vector<std::uint32_t> triangles_;
};

bool drawn_as_triangles(ShapeKind kind) {
  return kind == ShapeKind::Hull || kind == ShapeKind::Polygon || kind == ShapeKind::Mesh ||
         kind == ShapeKind::HeightField;
}

Vec3 size_of(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Sphere:
      return Vec3::Constant(shape.radius);
    case ShapeKind::Box:
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
    case ShapeKind::Disk:
      return shape.half_extents;
    default:
      return Vec3::Ones();
  }
}

// Values at the ends of the middle `share` of a list.
std::array<double, 2> middle(std::vector<double> values, double share) {
  if (values.empty()) return {0, 0};
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return {values[static_cast<std::size_t>(std::floor(0.5 * (1 - share) * last))],
          values[static_cast<std::size_t>(std::ceil(0.5 * (1 + share) * last))]};
}

}  // namespace

void pack_colliders(const std::vector<RunCollider>& colliders, Replay& replay) {
  std::vector<std::uint32_t> body;
  std::vector<std::uint8_t> shape;
  std::vector<std::uint16_t> material;
  std::vector<std::int32_t> surface;
  std::vector<float> size, local;
  std::vector<std::string> materials;
  SurfaceTable surfaces;
  std::size_t left_out = 0;
  for (const RunCollider& c : colliders) {
    const bool triangles = drawn_as_triangles(c.shape.kind);
    const int number = triangles ? surfaces.number(c.shape) : -1;
    if (triangles && number < 0) ++left_out;
    body.push_back(static_cast<std::uint32_t>(c.body));
    shape.push_back(static_cast<std::uint8_t>(c.shape.kind));
    surface.push_back(number);
    auto place = std::find(materials.begin(), materials.end(), c.material);
    material.push_back(static_cast<std::uint16_t>(place - materials.begin()));
    if (place == materials.end()) materials.push_back(c.material);
    const Vec3 s = size_of(c.shape);
    for (int k = 0; k < 3; ++k) size.push_back(static_cast<float>(s[k]));
    const Quat& q = c.local.rotation;
    for (const double x : {c.local.position.x(), c.local.position.y(), c.local.position.z(), q.w(), q.x(), q.y(), q.z()})
      local.push_back(static_cast<float>(x));
  }
  std::vector<std::string> kinds;
  for (int k = 0; k <= static_cast<int>(kLastShapeKind); ++k)
    kinds.emplace_back(name_of(static_cast<ShapeKind>(k)));
  replay.manifest.add("shape_kinds", kinds);
  replay.manifest.add("colliders", colliders.size());
  replay.manifest.add("materials", materials);
  replay.manifest.add("shapes_left_out", left_out);
  add_block(replay, "collider_body", body);
  add_block(replay, "collider_shape", shape);
  add_block(replay, "collider_material", material);
  add_block(replay, "collider_surface", surface);
  add_block(replay, "collider_size", size);
  add_block(replay, "collider_local", local);
  surfaces.pack(replay);
}

void pack_focus(const ReplayPoses& poses, const std::vector<RunBody>& bodies,
                const std::vector<RunCollider>& colliders, JsonObject& json) {
  // Balls around bodies in the first, a middle and the last frame; one that flew away does not count.
  std::array<std::vector<double>, 3> low, high;
  std::vector<double> sizes;
  const auto look = [&](bool moving_only) {
    for (const RunCollider& c : colliders) {
      const auto i = static_cast<std::size_t>(c.body);
      if (!c.shape.bounded() || (moving_only && bodies[i].kind != BodyKind::Dynamic)) continue;
      const double r = c.shape.kind == ShapeKind::Mesh && !c.shape.data ? 0 : c.shape.bounding_radius();
      sizes.push_back(r);
      for (const std::size_t f : {std::size_t{0}, poses.frames / 2, poses.frames - 1}) {
        const Eigen::Vector3f p = poses.at(f, i);
        for (int axis = 0; axis < 3; ++axis) {
          if (!std::isfinite(p[axis])) continue;
          low[static_cast<std::size_t>(axis)].push_back(p[axis] - r);
          high[static_cast<std::size_t>(axis)].push_back(p[axis] + r);
        }
      }
    }
  };
  if (poses.frames > 0) look(true);
  if (poses.frames > 0 && sizes.empty()) look(false);
  Vec3 centre = Vec3::Zero(), half = Vec3::Constant(1);
  for (std::size_t axis = 0; axis < 3 && !sizes.empty(); ++axis) {
    const double a = middle(low[axis], 0.98)[0], b = middle(high[axis], 0.98)[1];
    centre[static_cast<int>(axis)] = 0.5 * (a + b);
    half[static_cast<int>(axis)] = 0.5 * (b - a);
  }
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
  json.add_raw("focus", json_vector(centre));
  json.add_raw("focus_half", json_vector(half));
  json.add("body_size", sizes.empty() ? 1.0 : sizes[sizes.size() / 2]);
}

}  // namespace carom
