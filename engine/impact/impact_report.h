// What an impact law tells of its answer. Six consistencies can be asked of any outcome: energetic, kinematic and
// kinetic are numbers recomputed from p by one shared function whatever the law believed; admissibility of parameters,
// uniqueness and termination are what the law knows of itself.
#pragma once

#include <string>

#include "engine/impact/impact_problem.h"

namespace carom {

enum class ImpactStatus : std::uint8_t {
  Done,
  NothingApproaches,  // all contacts separate or rest: p = 0
  EventLimit,         // stopped by the limit on events (binary) or substeps (lzb); p is what had been reached
  NotSolved,          // a cone problem inside the law did not reach its tolerance
  NumericalError,     // a value stopped being finite
};
std::string_view name_of(ImpactStatus status);  // "done", "nothing approaches", ...

enum class Uniqueness : std::uint8_t {
  Unique,          // velocities and impulses
  VelocitiesOnly,  // W is singular: other impulses give the same velocities
  NotKnown,        // no theorem covers this case
};
std::string_view name_of(Uniqueness uniqueness);

struct ImpactReport {
  ImpactStatus status = ImpactStatus::Done;
  int events = 0;       // collisions (binary), phases of compression (lzb), solves (the others)
  long substeps = 0;    // of integration (lzb)
  double duration = 0;  // s, meaningful when stiffness is absolute (lzb), else 0
  double residual =
      0;  // the largest one left by the cone problems inside the law (ImpactSolver); 0 where there are none
  std::string message;  // what a person should know, often empty

  // ---- judge_impact writes these. ----
  double energy_change = 0;        // T_plus - T_minus = p . (u_plus + u_minus) / 2, J
  double energy_growth = 0;        // energetic: max(0, T_plus - T_minus) relative to the scale of T, 0 is consistent
  double kinematic_violation = 0;  // kinematic: the largest max(0, -u_n_plus), m/s
  double kinetic_violation = 0;    // kinetic: the largest distance of a p_i from its cone, N s
  double ker = 0;                  // T_plus / T_minus; NaN when T_minus is not known
  bool admissible = true;          // parameters lie where the law's theory is consistent; `message` says what does not
  Uniqueness uniqueness = Uniqueness::NotKnown;
  bool terminated = true;  // the law came to its own end

  bool consistent(double tolerance) const {
    return status <= ImpactStatus::NothingApproaches && energy_growth <= tolerance &&
           kinematic_violation <= tolerance && kinetic_violation <= tolerance;
  }
};

// A sentence for the message, after those already there.
void add_remark(ImpactReport& report, const std::string& sentence);

// Fills the recomputed fields from p. The energy scale is T_minus where it is known, else the energy that a plastic
// impact would take, which u_minus and W bound: sum of u_n^2 / (2 W_nn) over approaching contacts.
void judge_impact(const ImpactProblem& problem, VectorIn p, ImpactReport& report);

// ---- Figures of outcomes. ----

// Kinetic angle of two contacts, cos(pi - theta_ij) = W_ij / sqrt(W_ii W_jj) by normal rows, rad.
double kinetic_angle(const ImpactProblem& problem, int i, int j);
MatrixXd kinetic_angles(const ImpactProblem& problem);  // all pairs; pi on the diagonal

// Dispersion index C_KE = std(T_i) / mean(T_i) of the bodies' kinetic energies after the impact (population deviation).
double dispersion_index(std::span<const double> energies);

}  // namespace carom
