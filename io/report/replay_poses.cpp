#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/report/replay_parts.h"
#include "io/shape_surface.h"

namespace carom {

namespace {

constexpr std::uint16_t kAway = 65535;  // of x: outside the box, or not a number: not drawn
constexpr double kSteps = 65500;        // across the box

// Where poses lie: low, high. Bodies that flew or fell far away do not spoil the rest.
struct Box {
  Eigen::Vector3f low = Eigen::Vector3f::Zero(), high = Eigen::Vector3f::Zero();
};
Box box_of(const ReplayPoses& poses, const std::vector<std::uint32_t>& moving) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<float> values;
    const std::size_t every = 1 + poses.frames * moving.size() / 400000;
    std::size_t count = 0;
    float low = std::numeric_limits<float>::max(), high = -low;
    for (std::size_t f = 0; f < poses.frames; ++f)
      for (const std::size_t i : moving) {
        const float x = poses.position[3 * poses.row(f, i) + static_cast<std::size_t>(axis)];
        if (!std::isfinite(x)) continue;
        low = std::min(low, x), high = std::max(high, x);
        if (count++ % every == 0) values.push_back(x);
      }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    const float near_low = values[static_cast<std::size_t>(0.002 * last)];
    const float near_high = values[static_cast<std::size_t>(std::ceil(0.998 * last))];
    const float margin = 3 * (near_high - near_low);
    box.low[axis] = std::max(low, near_low - margin);
    box.high[axis] = std::min(high, near_high + margin);
  }
  return box;
}

std::uint16_t quantized(double value, double low, double size) {
  return static_cast<std::uint16_t>(std::lround(std::clamp((value - low) / size, 0.0, 1.0) * kSteps));
}

}  // namespace

std::string json_vector(const Vec3& v) { return json_list({v.x(), v.y(), v.z()}, 9); }

ReplayPoses read_poses(const RunReader& run, const std::vector<RunBody>& bodies, const std::vector<std::int64_t>& kept) {
  ReplayPoses poses;
  std::vector<std::uint8_t> moves(bodies.size(), 0);
  poses.frames = kept.size();
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const RunFrame frame = run.frame(kept[k]);
    if (k == 0) {
      poses.bodies = frame.position.size();
      poses.position.reserve(3 * poses.frames * poses.bodies);
      poses.orientation.reserve(4 * poses.frames * poses.bodies);
      poses.speed.reserve(poses.frames * poses.bodies);
      std::size_t finite = 0;
      for (const Vec3& p : frame.position)
        if (p.allFinite()) poses.origin += p, ++finite;
      if (finite > 0) poses.origin /= static_cast<double>(finite);
    }
    for (std::size_t i = 0; i < poses.bodies; ++i) {
      const Eigen::Vector3f p = (frame.position[i] - poses.origin).cast<float>();
      Eigen::Vector4f q(static_cast<float>(frame.orientation[i].w()), static_cast<float>(frame.orientation[i].x()),
                        static_cast<float>(frame.orientation[i].y()), static_cast<float>(frame.orientation[i].z()));
      if (k > 0) {
        const Eigen::Vector4f before(poses.orientation.data() + 4 * poses.row(k - 1, i));
        if (q.dot(before) < 0) q = -q;
        if (!(p == poses.at(k - 1, i)) || !(q == before)) moves[i] = 1;
      }
      poses.position.insert(poses.position.end(), p.data(), p.data() + 3);
      poses.orientation.insert(poses.orientation.end(), q.data(), q.data() + 4);
      poses.speed.push_back(static_cast<float>(frame.velocity[i].norm()));
    }
  }
  for (std::size_t i = 0; i < poses.bodies; ++i)
    if (moves[i] != 0 && bodies[i].kind != BodyKind::Removed) poses.moving.push_back(static_cast<std::uint32_t>(i));
  return poses;
}

void pack_bodies(const std::vector<RunBody>& bodies, Replay& replay) {
  std::vector<std::uint16_t> group;
  std::vector<std::uint8_t> kind;
  std::map<std::string, std::uint16_t> numbers;
  std::vector<std::string> groups, names;
  bool named = false;
  for (const RunBody& body : bodies) {
    kind.push_back(static_cast<std::uint8_t>(body.kind));
    const auto [place, added] = numbers.emplace(body.group, static_cast<std::uint16_t>(numbers.size()));
    if (added) groups.push_back(body.group);
    group.push_back(place->second);
    named = named || !body.name.empty();
    names.push_back(body.name);
  }
  replay.manifest.add("bodies", bodies.size());
  replay.manifest.add("groups", groups);
  if (named && bodies.size() <= 5000) replay.manifest.add("names", names);
  add_block(replay, "kind", kind);
  add_block(replay, "group", group);
}

void pack_poses(const ReplayPoses& poses, Replay& replay) {
  const std::vector<std::uint32_t>& moving = poses.moving;
  std::vector<float> at_rest;  // position, then orientation, of every body in the first frame
  for (std::size_t i = 0; i < poses.bodies; ++i) {
    const bool there = poses.frames > 0;
    for (std::size_t c = 0; c < 3; ++c) at_rest.push_back(there ? poses.position[3 * poses.row(0, i) + c] : 0.0F);
    for (std::size_t c = 0; c < 4; ++c) at_rest.push_back(there ? poses.orientation[4 * poses.row(0, i) + c] : 0.0F);
  }
  add_block(replay, "moving", moving);
  add_block(replay, "rest", at_rest);

  const Box box = box_of(poses, moving);
  const Vec3 low = box.low.cast<double>();
  const Vec3 size = (box.high - box.low).cast<double>().cwiseMax(1e-9);
  // Coarser turns where bodies are many: nobody sees a tenth of a degree on a grain.
  const double turn_steps = moving.size() <= 2000 ? 16000 : 1023;
  double fastest = 0;
  for (std::size_t f = 0; f < poses.frames; ++f)
    for (const std::size_t i : moving)
      if (const float speed = poses.speed[poses.row(f, i)]; std::isfinite(speed))
        fastest = std::max<double>(fastest, speed);

  std::vector<std::uint16_t> column;
  const auto add_column = [&](const std::string& name, const auto& value) {
    column.clear();
    for (std::size_t f = 0; f < poses.frames; ++f)
      for (const std::size_t i : moving) column.push_back(value(f, i));
    difference_in_time(column, moving.size(), true);
    add_block(replay, name, column);
  };
  for (int axis = 0; axis < 3; ++axis)
    add_column(fmt::format("position_{}", "xyz"[axis]), [&](std::size_t f, std::size_t i) {
      const Eigen::Vector3f p = poses.at(f, i);
      const double slack = 1e-6 * size.maxCoeff();
      if (!p.allFinite() || (p.array() < box.low.array() - static_cast<float>(slack)).any() ||
          (p.array() > box.high.array() + static_cast<float>(slack)).any())
        return kAway;
      return quantized(p[axis], low[axis], size[axis]);
    });
  for (std::size_t c = 0; c < 4; ++c)
    add_column(fmt::format("turn_{}", "wxyz"[c]), [&](std::size_t f, std::size_t i) {
      const float q = poses.orientation[4 * poses.row(f, i) + c];
      return static_cast<std::uint16_t>(std::isfinite(q) ? std::lround((q + 1) * turn_steps) : 0);
    });
  std::vector<std::uint8_t> speeds;
  for (std::size_t f = 0; f < poses.frames; ++f)
    for (const std::size_t i : moving) {
      const double fraction = fastest > 0 ? poses.speed[poses.row(f, i)] / fastest : 0;
      speeds.push_back(static_cast<std::uint8_t>(std::isfinite(fraction) ? std::lround(255 * std::min(1.0, fraction)) : 0));
    }
  difference_in_time(speeds, moving.size(), false);
  add_block(replay, "speed", speeds);

  JsonObject& json = replay.manifest;
  json.add("moving", moving.size());
  json.add_raw("origin", json_vector(poses.origin));
  json.add_raw("box_low", json_vector(low));
  json.add_raw("box_size", json_vector(size));
  json.add("box_steps", kSteps);
  json.add("turn_steps", turn_steps);
  json.add("fastest", fastest);
}

}  // namespace carom
