// What stays the same from step to step: bodies' properties, shapes, materials, forces.
#pragma once

#include "contact/colliders.h"
#include "engine/bonds.h"
#include "engine/body.h"
#include "engine/forces.h"
#include "engine/joint.h"
#include "engine/material.h"
#include "engine/motion.h"

namespace carom {

struct Model {
  BodyProperties bodies;
  std::vector<Motion> motion;      // per body; empty unless Kinematic
  std::vector<Pose> initial_pose;  // per body: where its motion starts
  Colliders colliders;
  double smallest_radius = 0;  // m, of the balls around shapes of Dynamic bodies; 0 where there are none
  std::vector<MaterialId> collider_material;
  MaterialTable materials;
  Forces forces;
  std::vector<Joint> joints;  // slots, in the order of their blocks
  std::vector<Bond> bonds;    // sorted by colliders

  // Laws of single pairs of bodies, which win over those of their materials; a < b, sorted.
  struct BodyPairLaw {
    std::array<int, 2> bodies;
    PairLaw law;
  };
  std::vector<BodyPairLaw> body_laws;

  // Pairs of bodies that do not touch because a joint connects them, a < b, sorted; and which bodies are in one.
  std::vector<std::array<int, 2>> apart;
  std::vector<std::uint8_t> in_apart;
};

}  // namespace carom
