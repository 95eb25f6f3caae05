// What stays the same from step to step: bodies' properties, shapes, materials, forces.
#pragma once

#include "contact/colliders.h"
#include "engine/body.h"
#include "engine/forces.h"
#include "engine/material.h"
#include "engine/motion.h"

namespace carom {

struct Model {
  BodyProperties bodies;
  std::vector<Motion> motion;      // per body; empty unless Kinematic
  std::vector<Pose> initial_pose;  // per body: where its motion starts
  Colliders colliders;
  std::vector<MaterialId> collider_material;
  MaterialTable materials;
  Forces forces;
};

}  // namespace carom
