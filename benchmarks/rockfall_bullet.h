// The same block on the same slope in Bullet; in a file of its own, as Bullet's headers know none of our warnings.
#pragma once

#include <vector>

#include "base/types.h"

namespace carom {

struct SlopeCase {
  std::uint32_t columns = 0, rows = 0;
  double cell = 0;
  std::vector<double> heights;  // j columns + i
  std::vector<Vec3> vertices;   // of the block about its centre of mass
  double mass = 0;
  Vec3 inertia = Vec3::Zero();  // principal
  double friction = 0, restitution = 0;
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
  Quat rotation = Quat::Identity();
};

struct PeerRun {
  double seconds = 0;  // of processor time
  double deepest = 0;  // m, of the centre under the terrain
  Vec3 end = Vec3::Zero();
};

PeerRun run_bullet(const SlopeCase& slope, double h, double duration);

}  // namespace carom
