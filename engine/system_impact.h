// One multiple impact of a system in generalized coordinates: what is struck, what a law makes of it, and how it goes
// on in between.
#pragma once

#include <functional>
#include <memory>

#include "engine/impact/impact_law.h"
#include "engine/lagrangian.h"

namespace carom {

// A system at the moment of an impact.
struct SystemImpact {
  std::shared_ptr<const LagrangianSystem> system;
  double t = 0;             // s
  VectorXd q, v;            // before
  std::vector<int> closed;  // contacts that take part, increasing
  ImpactProblem problem;    // of those contacts
};

// preload: normal force of each contact of the system before the impact, N; empty is none.
SystemImpact impact_at(std::shared_ptr<const LagrangianSystem> system, double t, const LagrangianState& state,
                       std::vector<int> closed, std::span<const double> preload = {});

struct ImpactOutcome {
  ImpactReport report;
  VectorXd p;                         // impulses, N s, one per row of the problem
  VectorXd u;                         // relative velocities after, m/s
  VectorXd v;                         // generalized velocities after
  double kinetic_before = 0;          // J
  double kinetic_after = 0;           // J
  std::vector<double> body_energies;  // after, J
  double dispersion = 0;              // C_KE over them
};

// An instant within the impact, as the law tells of it.
struct ImpactMoment {
  double time = 0;       // s where stiffness is absolute (lzb), else the number of the stage
  VectorXd v;            // generalized velocities
  VectorXd u, p;         // relative velocities and impulses up to now
  VectorXd force;        // of each row, N; empty unless the law has forces (lzb)
  VectorXd energy;       // stored in each contact, J; empty likewise
  double kinetic = 0;    // J
  double potential = 0;  // J: the sum of `energy`
};
using MomentObserver = std::function<void(const ImpactMoment&)>;

// Throws InputError when the law refuses the parameters; everything numerical is a status in the report.
ImpactOutcome strike(const SystemImpact& impact, ImpactLaw& law, const MomentObserver& observer = {});

}  // namespace carom
