// The inside of a World, shared by engine/world*.cpp only.
#pragma once

#include <unordered_map>

#include "base/check.h"
#include "engine/interfaces.h"
#include "engine/phases.h"
#include "engine/world.h"
#include "solvers/auto_solver.h"

namespace carom {

// A simulation's tolerance is a velocity.
inline std::unique_ptr<Solver> default_solver() {
  AutoOptions options;
  options.stop.measure = Measure::Velocity;
  options.stop.max_iterations = 10000;
  return std::make_unique<Auto>(options);
}

struct World::Impl {
  Model model;
  StepOptions options;
  std::unique_ptr<Solver> solver = default_solver();
  std::unique_ptr<ImpactLaw> impact_law;  // none: Newton's
  BodyState state;
  StepContext context;
  StepReport report;
  double time = 0;
  std::int64_t step = 0;
  std::vector<int> free_slots;
  std::unordered_map<std::string, int> by_name;

  int slot_of(BodyId id) const {
    CAROM_CHECK(id.index < static_cast<std::uint32_t>(state.size()) &&
                    model.bodies.generation[id.index] == id.generation &&
                    model.bodies.kind[id.index] != BodyKind::Removed,
                "the handle names a body of this world that was not removed");
    return static_cast<int>(id.index);
  }
  int take_slot();

  // ---- Joints (engine/world_joints.cpp). ----
  std::vector<std::uint32_t> joint_generation;  // per slot
  std::vector<int> free_joints;                 // slots
  std::unordered_map<std::string, int> joint_by_name;

  std::size_t joint_slot(JointId id) const;
  void remove_joint(std::size_t slot);
  void remove_joints_of(int body);
  bool apart_stale = false;                             // joints came or went since Model::apart was listed
  void list_apart();                                    // Model::apart anew, if it is stale
  std::span<const double> joint_memory() const;         // of all slots
  void restore_joints(std::span<const double> memory);  // none: a run without joints

  // ---- Bonds (engine/world_bonds.cpp). ----
  std::unique_ptr<InterfaceMonitor> interfaces;
  void break_bonds_of(int body);
  void restore_bonds(const std::vector<std::uint32_t>& broken, const std::vector<double>& impulses);
};

}  // namespace carom
