#include "engine/body.h"

namespace carom {

void BodyState::resize(int n) {
  const auto count = static_cast<std::size_t>(n);
  position.resize(count, Vec3::Zero());
  rotation.resize(count, Quat::Identity());
  velocity.resize(count, Vec3::Zero());
  spin.resize(count, Vec3::Zero());
}

}  // namespace carom
