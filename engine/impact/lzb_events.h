// Slacks of event location: violations below them change outcomes by less than rounding does over an impact.
#pragma once

namespace carom {

inline constexpr double kUSlack = 1e-13;     // of the impact's speed
inline constexpr double kXSlack = 1e-13;     // of a contact's natural length
inline constexpr double kForceSlack = 1e-7;  // of mu N: its effect on velocities is of second order
inline constexpr double kForceFloor = 1e-3;  // scaled force added to mu N there

}  // namespace carom
