#pragma once

#include <optional>
#include <string_view>

#include "base/parallel.h"
#include "base/types.h"

namespace carom {

// Which contacts enter the step's cone problem.
enum class Activation : std::uint8_t {
  Midpoint,   // gap(q + h/2 v) <= margin: Moreau's rule
  Predicted,  // gap(q + h v) <= margin: caught up to half a step earlier, so that less overlap is left
};
std::string_view name_of(Activation activation);

struct StepOptions {
  double theta = 0.5;  // in [1/2, 1]: weight of the end velocity in the position update
  Activation activation = Activation::Midpoint;
  double activation_margin = 0;      // m, >= 0
  double touching = 1e-7;            // >= 0, of the smallest moving body's radius: added to the margin of rigid bodies
  bool projection = false;           // move overlapping bodies apart after the step; velocities stay
  double projection_slop = 1e-6;     // m, > 0: overlap left alone, so that contacts stay contacts
  double projection_fraction = 0.2;  // in (0, 1]: share of the overlap removed in one step
  int projection_iterations = 50;    // sweeps at most
  double joint_tolerance = 1e-10;    // m and rad, > 0: drift of joints left alone; infinity: all of it
  double impact_threshold = 1e-3;    // m/s, > 0: islands approaching faster are struck; laws other than newton
  std::optional<Vec3> planar;        // unit normal of the plane of motion; contacts become (n, t)
  Threads threads;
};

}  // namespace carom
