// Bullet's collision detection on pairs of our shapes.
#pragma once

#include <memory>
#include <vector>

#include "contact/shape.h"

class BulletPairs {
 public:
  struct Item {
    const carom::Shape *shape_a, *shape_b;
    const carom::Pose *pose_a, *pose_b;
  };
  // `polyhedral`: hulls know their faces, and get a manifold by clipping; otherwise one point a call.
  BulletPairs(const std::vector<Item>& items, bool polyhedral);
  ~BulletPairs();

  int collide_all();  // each pair from scratch; the number of contact points

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
