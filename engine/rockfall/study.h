// A rockfall study: the ground, the blocks, where they are released, and what is asked of their trajectories.
#pragma once

#include "engine/rockfall/simulator.h"
#include "solvers/options.h"

namespace carom::rockfall {

enum class ReleaseForm : std::uint8_t { Points, Line, Area };

struct Release {
  std::string name;
  ReleaseForm form = ReleaseForm::Points;
  std::vector<Vec2> points;                  // Points, Line; local map coordinates, m
  std::vector<std::vector<Vec2>> rings;      // Area: even-odd rule, so that a ring within a ring is a hole
  std::uint64_t count = 1;                   // trajectories; Points: dealt out in turn
  double least_height = 0, most_height = 0;  // m, >= 0, over the place where the block touches the ground
  Vec3 velocity = Vec3::Zero();              // m/s
  Vec3 angular_velocity = Vec3::Zero();      // rad/s
  std::optional<Quat> orientation;           // none: random, uniform over rotations
  std::vector<std::uint32_t> kinds;          // of blocks, drawn by weight; never empty
};

struct Study {
  std::uint64_t seed = 1;
  Ground ground;
  std::vector<BlockKind> kinds;
  std::vector<Release> releases;
  std::vector<Barrier> barriers;
  SimulationOptions simulation;
  std::string law = "newton";
  OptionValues law_options;
  std::uint64_t most_paths = 1000;  // trajectories whose path is kept, spread evenly over all

  std::uint64_t trajectories() const;
  bool keeps_path(std::uint64_t number) const;
};

// Even-odd rule.
bool inside(std::span<const std::vector<Vec2>> rings, const Vec2& at);

// How trajectory `number` begins: a function of the study and the number alone. Throws InputError when the release has
// no place over ground.
Start start_of(const Study& study, std::uint64_t number);

}  // namespace carom::rockfall
