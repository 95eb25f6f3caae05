// Scenes: a TOML file in, a World and a plan for the run out. docs/scene.md describes every key.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "engine/interfaces.h"
#include "engine/world.h"
#include "solvers/options.h"

namespace carom {

// What a run does when a step's solve does not reach its tolerance.
enum class OnUnsolved : std::uint8_t {
  Finish,  // go on, and end with exit code 3 and the count (default)
  Stop,    // end at once with exit code 3
  Accept,  // go on, count it, end with exit code 0: the user chose an iteration budget
};

struct RunPlan {
  double step = 0;               // h, s
  std::int64_t steps = 0;        // duration / h, rounded to the nearest whole number
  double duration = 0;           // s
  std::uint64_t seed = 0;        // of random generators
  double overlap_tolerance = 0;  // m: deeper overlaps at the start are an error
  OnUnsolved on_unsolved = OnUnsolved::Finish;
};

struct OutputPlan {
  std::string file;                   // "" : scene's name with .h5, in the working directory
  std::int64_t frame_every = 1;       // steps between frames
  bool contacts = true;               // write /contacts with each frame
  double checkpoint_seconds = 5;      // wall time between checkpoints (each flushes the file)
  std::int64_t checkpoint_every = 0;  // steps between checkpoints; 0: by wall time only
};

struct SolverPlan {
  std::string name = "auto";
  OptionValues options;  // measure = velocity unless the scene says otherwise
};

struct ImpactPlan {
  std::string law = "newton";
  OptionValues options;
  Place place;  // of [impact]
};

// A text file that the scene refers to (a table of motion), kept so that a run file is complete.
struct Attachment {
  std::string name;  // as written in the scene
  std::string text;
};

struct Scene {
  std::string name;   // file name without folder and extension
  std::string title;  // [run] title, or ""
  std::string text;   // verbatim
  std::vector<Attachment> attachments;
  RunPlan run;
  OutputPlan output;
  SolverPlan solver;
  ImpactPlan impact;
  World world;  // built, at t = 0, solver set
  bool stop_at_collapse = false;  // [interfaces]
};

// Both throw InputError with file, line, column and, for an unknown key, the nearest valid one.
Scene read_scene(const std::filesystem::path& file);
// From text; `attachments` are looked up before the file system (for resuming from a run file).
Scene parse_scene(const std::string& text, const std::string& file_name, const std::filesystem::path& folder,
                  const std::vector<Attachment>& attachments = {});

}  // namespace carom
