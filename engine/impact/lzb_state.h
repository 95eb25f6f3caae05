// What the integration of one Liu-Zhao-Brogliato impact carries: a spring per contact, velocities, impulses, energies.
//
// Everything is scaled by the contact that approaches fastest (speed v, inertia m = 1/W_nn, stiffness K): speeds by v,
// impulses by m v, lengths by l with K l^(eta+1) = m v^2, time by l/v. Outcomes so depend on ratios of stiffness alone,
// and tolerances are pure numbers.
#pragma once

#include <cmath>

#include "engine/impact/impact_problem.h"

namespace carom {

enum class LzbModel : std::uint8_t { BiStiffness, MonoStiffness };

struct LzbScales {
  double velocity = 1;  // m/s
  double impulse = 1;   // N s
  double length = 1;    // m
  double time = 1;      // s

  double force() const { return impulse / time; }       // N
  double energy() const { return impulse * velocity; }  // J
};

// F = K x^eta of an indentation x; scaled.
struct LzbSpring {
  double stiffness = 1;
  double exponent = 1;
  double e_squared = 1;       // work given back per work absorbed
  double static_force = 0;    // preload, balanced by loads that act on during the impact
  double static_x = 0;        // the indentation it makes
  double natural_length = 1;  // (W_nn K)^(-1/(eta+1)): what an impact at speed 1 indents, but for a factor near 1
  double quiet_x = 0;         // |x - static_x| below which the contact counts as at rest
  double u_slack = 0;         // |u_n| below which it may have either sign
  double W_nn = 1;
  bool turns_matter = true;  // the instant at which u_n changes sign must be located: e < 1 or preload

  double force(double x) const {
    if (x <= 0) return 0;
    if (exponent == 1) return stiffness * x;
    if (exponent == 1.5) return stiffness * x * std::sqrt(x);
    return stiffness * std::pow(x, exponent);
  }
  double slope(double x) const {  // dF/dx
    if (exponent == 1) return stiffness;
    return x > 0 ? exponent * force(x) / x : 0.0;
  }
  double energy(double x) const { return force(x) * x / (exponent + 1); }  // K x^(eta+1) / (eta+1)
};

// What dx/dt is: max(0, -u_n) when Open, -u_n in Compression, -u_n/e^2 (mono-stiffness: -u_n) in Expansion.
enum class LzbPhase : std::uint8_t { Open, Compression, Expansion };

// What friction does at a contact: in Unsure it may begin or cease to slide.
enum class LzbMode : std::uint8_t { Unsure, Sticks, Slides };

// What happened at one contact, in SI units.
struct LzbRecord {
  int compressions = 0;        // phases of compression
  double peak_force = 0;       // N, normal
  double peak_time = 0;        // s
  double first_touch = -1;     // s, negative: never
  double last_separation = 0;  // s
};

struct LzbContact {
  LzbSpring spring;
  LzbPhase phase = LzbPhase::Open;
  double x = 0;                 // indentation
  double release = 0;           // x at which expansion ends
  double absorbed = 0;          // mono-stiffness: work absorbed since the contact closed
  double step_before_turn = 0;  // the integrator's step before a fast expansion began
  double turn_energy = 0;       // held when expansion began last
  int chatter = 0;              // phases of compression that count towards the next softening
  int softenings = 0;
  LzbMode mode = LzbMode::Unsure;  // of friction
  double direction[2] = {0, 0};    // unit vector of sliding
  LzbRecord record;
};

struct LzbState {
  const ImpactProblem* problem = nullptr;
  LzbModel model = LzbModel::BiStiffness;
  double quiet = 0;  // speed below which a contact counts as at rest, scaled
  LzbScales scales;
  std::vector<LzbContact> contacts;
  Vector u;              // relative velocities, scaled, rows of the problem
  Vector p;              // impulses beyond those of the static forces, scaled
  double time = 0;       // scaled
  double imbalance = 0;  // kinetic + potential + dissipated - initial: what the integration got wrong so far
  long substeps = 0;
  long work = 0;  // contacts that substeps held, summed over substeps
  int compressions = 0;
  int softened = 0;          // contacts that chattered and were given softer springs
  double chatter_speed = 0;  // of the fastest of them when it was softened last, scaled
};

// Scales the problem. `least_restitution` stands for smaller ones, see lzb.h; `quiet` is the speed, relative to the
// fastest approach, below which a contact counts as at rest. The fastest approach must be > 0.
void start_state(const ImpactProblem& problem, LzbModel model, double least_restitution, double quiet, LzbState& state);

// Mono-stiffness: contact ends when e^2 of the work absorbed has been given back, K x^(eta+1)/(eta+1) = (1 - e^2)
// absorbed.
double mono_release(const LzbContact& contact);

// Divides K by `factor`, keeping the energy held.
void soften(LzbContact& contact, double factor);

// u += W dp of one contact, dp stacked as its block; neighbours' tangential rows included.
void add_impulse(LzbState& state, int contact, const double* dp);

}  // namespace carom
