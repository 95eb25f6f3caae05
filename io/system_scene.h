// Scenes of one system in generalized coordinates: [system], [[contact]], [impact], [run], [solver] and [output] in, a
// LagrangianWorld and a plan for the run out. The same file serves carom impact.
#pragma once

#include "engine/lagrangian_world.h"
#include "io/scene.h"

namespace carom {

struct SystemScene {
  std::string name;   // file name without folder and extension
  std::string title;  // [run] title, or ""
  std::string text;   // verbatim
  RunPlan run;
  OutputPlan output;
  SolverPlan solver;
  ImpactPlan impact;
  LagrangianWorld world;  // built, at t = 0, solver and law set
};

// The file has a [system] rather than bodies. False when it is no TOML at all: whoever reads it then says why.
bool is_system_scene(const std::filesystem::path& file);

SystemScene read_system_scene(const std::filesystem::path& file);
SystemScene parse_system_scene(const std::string& text, const std::string& file_name);

}  // namespace carom
