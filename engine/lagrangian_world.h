// LagrangianWorld: a system in generalized coordinates, stepped as World steps rigid bodies.
//
//     LagrangianWorld world(make_system("rocking_block", {{"angle", 0.1}}));
//     while (world.time() < 2.0) world.step(1e-4);
#pragma once

#include <memory>

#include "engine/impact/impact_law.h"
#include "engine/lagrangian.h"
#include "engine/step_options.h"
#include "engine/step_report.h"
#include "solvers/solver.h"

namespace carom {

// A contact of the last step.
struct LagrangianContactRecord {
  int contact = 0;
  double gap = 0;                // m, where contacts were looked for
  Vec3 impulse = Vec3::Zero();   // (n, t1, t2), N s: all that the contact transmitted in the step
  Vec3 velocity = Vec3::Zero();  // relative, after the step, m/s
};

// The default: as for rigid bodies, but bodies that touch up to rounding do touch.
StepOptions touching_options();  // activation_margin = 1e-10 m

class LagrangianWorld {
 public:
  // Starts from the system's initial state at t = 0.
  explicit LagrangianWorld(std::shared_ptr<const LagrangianSystem> system,
                           const StepOptions& options = touching_options());
  LagrangianWorld(LagrangianWorld&&) noexcept;
  LagrangianWorld& operator=(LagrangianWorld&&) noexcept;
  ~LagrangianWorld();

  void set_solver(std::unique_ptr<Solver> solver);      // default: auto, to 1e-10 m/s
  void set_impact_law(std::unique_ptr<ImpactLaw> law);  // none: Newton's, which is the default
  void set_state(double t, VectorIn q, VectorIn v);     // throws InputError on wrong sizes or values

  const StepReport& step(double h);  // s, > 0
  StepOptions& options();

  const LagrangianSystem& system() const;
  double time() const;
  std::int64_t step_count() const;
  const VectorXd& q() const;
  const VectorXd& v() const;
  double kinetic_energy() const;
  double potential_energy() const;
  const StepReport& last_report() const;
  const ConeProblem& last_problem() const;
  std::vector<LagrangianContactRecord> contact_records() const;  // of the last step's active contacts, increasing

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
