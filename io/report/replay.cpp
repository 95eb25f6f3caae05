#include "io/report/replay.h"

#include <algorithm>
#include <cmath>

#include "io/report/replay_parts.h"

namespace carom {

namespace {

// The first frame, the last, and evenly between.
std::vector<std::int64_t> kept_frames(std::int64_t frames, std::int64_t most) {
  std::vector<std::int64_t> kept;
  const std::int64_t count = std::min(frames, std::max<std::int64_t>(most, 2));
  for (std::int64_t k = 0; k < count; ++k) kept.push_back(count == 1 ? 0 : k * (frames - 1) / (count - 1));
  return kept;
}

constexpr double kBytesPerPose = 8;              // about, after packing
constexpr std::int64_t kMostFrames = 2000;       // more than a minute at 30 frames/s
constexpr double kContactShare = 0.35;           // of the megabytes
constexpr double kBytesPerContact = 20;

std::vector<double> values_at(const std::vector<double>& all, const std::vector<std::int64_t>& kept) {
  std::vector<double> values;
  for (const std::int64_t k : kept) values.push_back(all[static_cast<std::size_t>(k)]);
  return values;
}

}  // namespace

Replay make_replay(const RunReader& run, const ReplayWorld& world, const ReplayOptions& options) {
  Replay replay;
  const std::vector<RunBody> bodies = run.bodies();
  const double budget = options.megabytes * 1e6;
  const auto affordable = static_cast<std::int64_t>(
      (1 - kContactShare) * budget / (kBytesPerPose * std::max<double>(1, static_cast<double>(bodies.size()))));
  const std::int64_t most = options.frames > 0 ? options.frames : std::clamp<std::int64_t>(affordable, 60, kMostFrames);
  const std::vector<std::int64_t> kept = kept_frames(run.frame_count(), most);
  replay.frames = static_cast<std::int64_t>(kept.size());

  JsonObject& json = replay.manifest;
  json.add("frames", replay.frames);
  json.add("frames_of_run", run.frame_count());
  json.add_raw("times", json_list(values_at(run.frame_times(), kept), 9));
  const std::vector<std::int64_t> steps = run.frame_steps();
  json.add_raw("steps", json_list(values_at({steps.begin(), steps.end()}, kept), 15));
  json.add_raw("up", json_vector(world.up));
  if (world.planar) json.add_raw("planar", json_vector(*world.planar));

  const ReplayPoses poses = read_poses(run, bodies, kept);
  const std::vector<RunCollider> colliders = run.colliders();
  pack_bodies(bodies, replay);
  pack_poses(poses, replay);
  pack_colliders(colliders, replay);
  pack_focus(poses, bodies, colliders, json);
  const auto contacts =
      static_cast<std::size_t>(kContactShare * budget / (kBytesPerContact * static_cast<double>(kept.size() + 1)));
  pack_contacts(run, kept, poses, std::max<std::size_t>(contacts, 200), replay);
  return replay;
}

}  // namespace carom
