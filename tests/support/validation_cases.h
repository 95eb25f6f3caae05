// The laws the engine is held to, one small function each. tests/validation/ checks what they return;
// benchmarks/validation_report.cpp prints it as docs/validation.md. Bodies: tests/validation/*_cases.cpp.
#pragma once

#include <string>
#include <vector>

#include "engine/world.h"

namespace carom::validation {

inline constexpr double kGravity = 9.81;  // m/s^2

// One number that a law gives and the engine was asked for.
struct Measurement {
  std::string law;
  double exact = 0;
  double ours = 0;
  double scale = 1;  // > 0: what the error is relative to
  double h = 0;      // s

  double error() const;  // |ours - exact| / scale
};

// Errors of one scene run with smaller and smaller steps.
struct Convergence {
  std::string law;
  std::vector<double> h;      // s
  std::vector<double> error;  // relative

  double order() const;  // slope of log(error) over log(h), least squares
};

// A world with gravity along -z and a solver that stops at `tolerance` (velocity residual, m/s).
World make_world(double tolerance = 1e-8, const StepOptions& options = {});

// A slope on which bodies slide towards +x: normal (sin, 0, cos), downhill (cos, 0, -sin).
struct Ramp {
  double angle = 0;  // rad
  Vec3 normal() const;
  Vec3 downhill() const;
  Quat rotation() const;  // carries z to the normal
};

// ---- Impacts (impact_cases.cpp) ----

// A ball let go `drop` above the floor: flights shrink by e^2, rest comes after finite time.
struct BouncingBall {
  double drop = 1;      // m, gap at the start
  double radius = 0.1;  // m
  double restitution = 0.5;

  double rest_time() const;       // sqrt(2 drop/g) (1 + e)/(1 - e)
  double path() const;            // drop (1 + e^2)/(1 - e^2)
  double height(double t) const;  // gap at time t
};
struct BouncingBallRun {
  double rest_time = 0;       // end of the last step that moved
  double path = 0;            // sum of |dz|
  double position_error = 0;  // mean over steps until rest of |gap - height(t)|, over the drop
};
BouncingBallRun run_bouncing_ball(const BouncingBall& ball, double h);
std::vector<Measurement> bouncing_ball(double restitution, double h);
struct BouncingBallConvergence {
  Convergence position, rest_time;
};
// Mean over sixteen drops, so that where in a step an impact falls averages out.
BouncingBallConvergence bouncing_ball_convergence(double restitution);

// A sphere hits the floor without gravity: tangential speed after the impact.
struct ObliqueImpact {
  double tangential = 1, normal = 1;  // speeds before, m/s
  double gap = 0.005;                 // m, at the start
  double friction = 0.3, restitution = 0.5, tangential_restitution = 0;
};
Measurement oblique_impact(const ObliqueImpact& impact, double h);
Convergence oblique_impact_convergence();  // sticking, mean over sixteen heights

// A rod falls on one end, slides one way and is thrown the other: Newton's law with friction, e_n near 1 and
// e_t = 0 then creates energy, by a closed form.
struct EnergyCreation {
  double exact = 0;          // J, from the 2 x 2 impact equations
  double measured = 0;       // J, kinetic energy after minus before
  double contact_work = 0;   // J, what the step reported
  double balance_error = 0;  // J
  double before = 0;         // J, kinetic energy before
};
EnergyCreation rod_creates_energy(double restitution, double tangential_restitution);

// ---- Sliding (sliding_cases.cpp) ----

Measurement incline_acceleration(double angle_degrees, double friction, double h);
Measurement stopping_distance(double speed, double friction, double h);
// A block lands on a ramp without bouncing and slides on: distance slid, mean over sixteen drops.
Convergence incline_landing_convergence();
// A block on a ramp at tan(angle) = ratio * friction, ratio < 1.
struct Creep {
  double settling = 0;  // m, moved in the first 100 steps
  double drift = 0;     // m, moved afterwards
  int worst_iterations = 0;
  int failed_solves = 0;
};
Creep block_below_friction_angle(double ratio, double friction, int steps, double h);
// Smallest push that moves a block along the direction `degrees` on the floor, over mu m g.
Measurement push_threshold(double degrees, double friction);

// ---- Rolling (rolling_cases.cpp) ----

// Moment of inertia over m r^2; the planar ones roll as discs in the plane.
struct Roller {
  std::string name;
  double inertia_ratio = 0.4;
  bool planar = false;
};
Roller solid_sphere();
Roller cylinder();
Roller hoop();
std::vector<Measurement> slip_to_roll(const Roller& roller, double speed, double friction, double h);
Measurement rolling_down(const Roller& roller, double angle_degrees, double friction, double h);
// With rolling friction: down a slope of 20 degrees, and how far it goes on the flat before it stops.
Measurement rolling_down_resisted(const Roller& roller, double rolling_friction, double h);
Measurement rolling_to_rest(const Roller& roller, double speed, double rolling_friction, double h);
// A ball let go at rest on a fixed sphere, a little to the side of its top, slides (no friction) or rolls off. The
// cosine of the angle where it leaves, over that of the start: 2/3 and 10/17.
struct LeavingSphere {
  Measurement flight;        // from the horizontal speed of the flight that follows, g D cos^3 = v_x^2
  Measurement last_contact;  // where the last impulse acted
};
LeavingSphere leaving_a_sphere(bool rolls, double start_angle, double h);
// Mean over eight starts.
struct LeavingSphereConvergence {
  Convergence flight, last_contact;
};
LeavingSphereConvergence leaving_a_sphere_convergence(bool rolls);
// A ball rolls on a table that turns at `rate` rad/s: its velocity turns at 2/7 of it.
std::vector<Measurement> turntable(double rate, double h);
Convergence turntable_convergence();

// ---- Free rotation (rotation_cases.cpp) ----

// An asymmetric body for 10^4 steps: relative changes of energy and angular momentum.
std::vector<Measurement> free_rotation_invariants(double h);
Measurement symmetric_precession(double h);
Convergence symmetric_precession_convergence();
// The time between flips of the middle axis, 2 K(k)/p in elliptic integrals.
Measurement middle_axis_flip(double h);

// ---- Rest and stacks (stack_cases.cpp) ----

struct Stack {
  int height = 0;
  double base_error = 0;          // |mean base reaction - weight| / weight
  double tolerance = 1e-8;        // m/s, of the solver
  double h = 1e-3;                // s
  int first_iterations = 0;       // of the first step, from r = 0
  int worst_iterations = 0;       // of all steps
  double settled_iterations = 0;  // mean of the last hundred steps
  int worst_settled_iterations = 0;
  double fall = 0;  // m, how far the top went down
  int failed_solves = 0;
};
// Spheres on top of each other; each is `mass_ratio_top` times as heavy as the bottom one at the top, geometric
// in between.
Stack sphere_stack(int height, double mass_ratio_top);

struct RestCost {
  std::string body;
  double mean_iterations = 0;
  int worst_iterations = 0;
  double drift = 0;  // m
  int failed_solves = 0;
};
RestCost sphere_at_rest(int steps);
RestCost box_at_rest(int steps);
RestCost tripod_at_rest(int steps);
RestCost sphere_in_corner_at_rest(int steps);

// ---- Energy over many steps (energy_cases.cpp) ----

struct EnergyHistory {
  std::string law;
  double start = 0;                // J, kinetic + potential above the floor
  double end = 0;                  // J
  double highest = 0;              // J, over all steps
  double largest_rise = 0;         // J, of one step
  double sum_of_rises = 0;         // J, of all steps
  double worst_balance_error = 0;  // J, of one step
  double step_bound = 0;           // J: total mass (g h)^2 / 8, see spheres_in_a_box
  double solve_bound = 0;          // J: the solver's tolerance times the momentum that the energy allows
  int steps = 0;
  int failed_solves = 0;
  double worst_residual = 0;  // m/s, of all solves
  double h = 0;               // s
};
// Laws that must not add energy: frictionless with e_n <= 1, friction with e_n = 0, friction with e_t = 1.
struct EnergyLaw {
  std::string name;
  PairLaw law;
};
std::vector<EnergyLaw> energy_laws();

// Eight spheres thrown about in a closed box of half-spaces, and a block dropped on a corner. With e_n < 1 a
// contact that is opening slowly is closed again by gravity within the step, which lifts the body while the contact
// carries it: up to m (g h)^2/8 per step, the bound. With e_n = 1 (and e_t = 1 or no friction) nothing is added.
EnergyHistory spheres_in_a_box(const std::string& law_name, const PairLaw& law, int steps, double h);
EnergyHistory bouncing_block(const std::string& law_name, const PairLaw& law, int steps, double h);

// ---- Invariances (symmetry_cases.cpp) ----

// Largest relative distance between the scene and the same scene in other units or turned.
double scaled_scene_error(double length_factor, double mass_factor);
double froude_scene_error(double length_factor);  // gravity stays: times go with sqrt(length)
double turned_scene_error(const Quat& turn);

// Free spheres with spin that collide with friction: changes over the sums of the magnitudes.
struct MomentumChange {
  double linear = 0;
  double angular = 0;
  int collisions = 0;  // contacts with an impulse
  double energy_ratio = 0;
};
MomentumChange colliding_free_spheres(const PairLaw& law, int steps, double h);

}  // namespace carom::validation
