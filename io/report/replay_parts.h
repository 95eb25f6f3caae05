// The parts of a replay; for io/report/replay*.cpp only. All positions are relative to `origin`, so that single
// precision serves scenes far from the world's origin.
#pragma once

#include "io/report/replay.h"

namespace carom {

struct ReplayPoses {
  std::size_t frames = 0, bodies = 0;
  Vec3 origin = Vec3::Zero();
  std::vector<float> position;     // [frame][body][3]
  std::vector<float> orientation;  // [frame][body][4], w x y z, of continuous sign
  std::vector<float> speed;        // [frame][body], m/s
  std::vector<std::uint32_t> moving;  // bodies whose pose changes

  std::size_t row(std::size_t frame, std::size_t body) const { return frame * bodies + body; }
  Eigen::Vector3f at(std::size_t frame, std::size_t body) const {
    return Eigen::Vector3f(position.data() + 3 * row(frame, body));
  }
};
ReplayPoses read_poses(const RunReader& run, const std::vector<RunBody>& bodies, const std::vector<std::int64_t>& kept);

void pack_bodies(const std::vector<RunBody>& bodies, Replay& replay);
void pack_poses(const ReplayPoses& poses, Replay& replay);
void pack_colliders(const std::vector<RunCollider>& colliders, Replay& replay);
// Of each frame the `most` strongest contacts, and the force on every body.
void pack_contacts(const RunReader& run, const std::vector<std::int64_t>& kept, const ReplayPoses& poses,
                   std::size_t most, Replay& replay);
// What the camera looks at.
void pack_focus(const ReplayPoses& poses, const std::vector<RunBody>& bodies,
                const std::vector<RunCollider>& colliders, JsonObject& json);

std::string json_vector(const Vec3& v);

// Deflated byte planes under a name.
template <class T>
void add_block(Replay& replay, const std::string& name, const std::vector<T>& values) {
  replay.blocks.push_back({name, deflated(byte_planes(values), 6)});
}

// A column [frame][item] as second differences in time, zigzag coded: smooth motion becomes small numbers.
template <class T>
void difference_in_time(std::vector<T>& column, std::size_t items, bool twice) {
  const std::size_t frames = items == 0 ? 0 : column.size() / items;
  for (std::size_t f = frames; f-- > 1;)
    for (std::size_t i = 0; i < items; ++i) {
      const int before = column[(f - 1) * items + i];
      const int expected = twice && f > 1 ? 2 * before - column[(f - 2) * items + i] : before;
      const auto change = static_cast<std::make_signed_t<T>>(static_cast<T>(column[f * items + i] - expected));
      column[f * items + i] = static_cast<T>(change < 0 ? -2 * change - 1 : 2 * change);
    }
}

}  // namespace carom
