// Laws of blocks, piles, masonry and mechanisms, one small function each, as in validation_cases.h. Bodies:
// tests/validation/*_cases.cpp.
#pragma once

#include <functional>

#include "validation_cases.h"

namespace carom::validation {

// A world with gravity along -z whose solver (`auto`) stops at `tolerance`, m/s.
World make_block_world(double tolerance = 1e-10, const StepOptions& options = {});

// The value between `low` and `high` where `holds` turns from false to true, to a millionth of it.
double threshold(double low, double high, const std::function<bool(double)>& holds);

// Whether nothing moves further than `limit` (m) within `steps`.
bool stays(World& world, int steps, double h, double limit);

// ---- Standing still (standing_cases.cpp) ----

struct Standing {
  std::string structure;
  int blocks = 0;
  int contacts = 0;  // of the last step
  int fewest_contacts = 0;
  int steps = 0;
  double h = 1e-3;             // s
  double tolerance = 1e-12;    // m/s, of the solver
  double worst_speed = 0;      // m/s, of any block in any step; spin times half the diagonal included
  double drift = 0;            // of any block at any time, over the shortest edge of a block
  double mean_iterations = 0;  // without the first step
  int first_iterations = 0;    // of the first step, from r = 0
  int failed_solves = 0;
  double steps_per_second = 0;  // of processor time
};
Standing standing_stack(int boxes, int steps);
Standing standing_wall(int courses, int steps);
// The same with all lengths a tenth and times sqrt(1/10): positions must agree in m of the large one.
double scaled_wall_difference(int courses, int steps);

// Boxes on top of each other, the top one `mass_ratio_top` times as heavy as the bottom one, geometric in between.
Stack box_stack(int height, double mass_ratio_top);

// ---- Rocking (rocking_cases.cpp) ----

// A block of half width b and half height h_b, R^2 = b^2 + h_b^2, tan(alpha) = b/h_b, let go at `tilt` alpha.
struct Rocking {
  Measurement impact_time;   // until it first stands upright: the nonlinear quarter period
  Measurement housner_time;  // the same by Housner's formula for slender blocks
  Measurement rate_ratio;    // angular rates after over before the impact: 1 - 3/2 sin^2 alpha
  double sliding = 0;        // m, of the corner that should not
};
Rocking rocking_block(double slenderness, double tilt, double h);  // slenderness: height over width
Measurement uplift_acceleration(double slenderness);               // of the base, over g

// ---- Piles and props (pile_cases.cpp): the least friction that holds them ----

Measurement three_cylinders(bool ground);  // between cylinders, or on the ground
Measurement four_spheres(bool ground);
Measurement card_house(double degrees);  // from the vertical, on the ground
Measurement ladder(double degrees);      // from the vertical, rough at both ends
Measurement overhang(int bricks);        // over half the harmonic sum, brick lengths

// ---- Masonry (masonry_cases.cpp) ----

// Half a circle of voussoirs with radial joints: the least thickness over radius that stands.
struct ArchLimit {
  int voussoirs = 0;
  double ours = 0;             // by bisection
  double line_of_thrust = 0;   // for these joints and voussoirs, from statics
  double continuous = 0.1075;  // joints anywhere (Milankovitch)
  double hinge_degrees = 0;    // from the crown: the intrados hinges of the collapse just below the limit
  double hinge_expected = 0;   // where the line of thrust touches the intrados
};
ArchLimit arch_limit(int voussoirs);
double arch_limit_of_statics(int voussoirs, double* hinge_degrees = nullptr);
bool arch_stands(int voussoirs, double thickness, double seconds);

// The slope at which a column of `blocks` boxes, b/h as given, starts to move: degrees.
Measurement tilted_column(int blocks, double width_over_height, double friction);
// A block on a base that is accelerated by A for a time and then coasts: slip, m.
Measurement newmark_slip(double friction, double acceleration_over_g, double seconds, double h);

// ---- Motion with changing contacts (domino_cases.cpp, disc_cases.cpp) ----

struct Dominoes {
  double length = 0;       // m, height of a domino
  double gravity = 0;      // m/s^2
  double front_speed = 0;  // m/s, over the second half of the row
  double froude = 0;       // over sqrt(gravity length)
  double evenness = 0;     // of the speeds over the third and the last quarter: relative difference
  int failed_solves = 0;
};
Dominoes dominoes(double length, double gravity, double h);

// A disc that rolls round on its rim with its centre at rest: Omega^2 sin(a) R/(4 g) of a thin one is 1.
struct EulerDisc {
  double degrees = 0;          // mean inclination while watched
  double ratio = 0;            // Omega^2 sin(a) R/(4 g), measured
  double exact = 0;            // the same of a disc of this thickness
  double centre_wandered = 0;  // over the radius
};
EulerDisc euler_disc(double degrees, double h);

// ---- Mechanisms (mechanism_cases.cpp) ----

struct PendulumConvergence {
  Convergence place, energy;
};
PendulumConvergence double_pendulum_convergence();
double double_pendulum_drift(double h);  // of the mean energy after 40 s, over that of the fall
struct ClosedLoop {
  std::string mechanism, solver;
  double open = 0;               // m, the worst error of any joint
  double place = 0;              // m, from the closed form
  double motor_speed_error = 0;  // relative
  int worst_iterations = 0;
  int failed_solves = 0;
};
ClosedLoop four_bar(const std::string& solver);
ClosedLoop slider_crank(const std::string& solver);

}  // namespace carom::validation
