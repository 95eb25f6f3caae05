#include "engine/lagrangian_world.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "engine/body_checks.h"
#include "engine/lagrangian_phases.h"
#include "engine/moreau_jean.h"
#include "solvers/auto_solver.h"

namespace carom {

StepOptions touching_options() {
  StepOptions options;
  options.activation_margin = 1e-10;
  return options;
}

namespace {

std::unique_ptr<Solver> default_solver() {
  AutoOptions options;
  options.stop.measure = Measure::Velocity;
  options.stop.tolerance = 1e-10;
  return std::make_unique<Auto>(options);
}

}  // namespace

struct LagrangianWorld::Impl {
  std::shared_ptr<const LagrangianSystem> system;
  StepOptions options;
  std::unique_ptr<Solver> solver = default_solver();
  std::unique_ptr<ImpactLaw> impact_law;
  LagrangianState state;
  LagrangianContext context;
  StepReport report;
  double time = 0;
  std::int64_t step = 0;
};

LagrangianWorld::LagrangianWorld(std::shared_ptr<const LagrangianSystem> system, const StepOptions& options)
    : impl_(std::make_unique<Impl>()) {
  CAROM_CHECK(system != nullptr, "a world needs a system");
  impl_->system = std::move(system);
  impl_->options = options;
  impl_->state = impl_->system->initial_state();
}
LagrangianWorld::LagrangianWorld(LagrangianWorld&&) noexcept = default;
LagrangianWorld& LagrangianWorld::operator=(LagrangianWorld&&) noexcept = default;
LagrangianWorld::~LagrangianWorld() = default;

void LagrangianWorld::set_solver(std::unique_ptr<Solver> solver) {
  CAROM_CHECK(solver != nullptr, "a world needs a solver");
  impl_->solver = std::move(solver);
}
void LagrangianWorld::set_impact_law(std::unique_ptr<ImpactLaw> law) { impl_->impact_law = std::move(law); }

void LagrangianWorld::set_state(double t, VectorIn q, VectorIn v) {
  const int n = impl_->system->coordinates();
  if (!std::isfinite(t)) throw InputError({"", 0, 0, "t"}, "must be finite", fmt::format("{}", t));
  if (q.size() != n || !q.allFinite()) throw InputError({"", 0, 0, "q"}, fmt::format("must be {} finite numbers", n));
  if (v.size() != n || !v.allFinite()) throw InputError({"", 0, 0, "v"}, fmt::format("must be {} finite numbers", n));
  impl_->time = t;
  impl_->state = {q, v};
  impl_->context.warm.clear();
  impl_->context.warm_h = 0;
}

const StepReport& LagrangianWorld::step(double h) {
  if (!(h > 0) || !std::isfinite(h))
    throw InputError({"", 0, 0, "step"}, "must be finite and > 0", fmt::format("{}", h));
  check_options(impl_->options);
  const StepMethods methods = {*impl_->solver, impl_->impact_law.get()};
  moreau_jean_step(*impl_->system, impl_->options, methods, impl_->time, h, impl_->state, impl_->context,
                   impl_->report);
  impl_->time += h;
  impl_->report.step = ++impl_->step;
  impl_->report.time = impl_->time;
  return impl_->report;
}

StepOptions& LagrangianWorld::options() { return impl_->options; }
const LagrangianSystem& LagrangianWorld::system() const { return *impl_->system; }
double LagrangianWorld::time() const { return impl_->time; }
std::int64_t LagrangianWorld::step_count() const { return impl_->step; }
const VectorXd& LagrangianWorld::q() const { return impl_->state.q; }
const VectorXd& LagrangianWorld::v() const { return impl_->state.v; }
double LagrangianWorld::kinetic_energy() const {
  return carom::kinetic_energy(*impl_->system, impl_->state.q, impl_->state.v);
}
double LagrangianWorld::potential_energy() const {
  return impl_->system->potential_energy(impl_->time, impl_->state.q);
}
const StepReport& LagrangianWorld::last_report() const { return impl_->report; }
const ConeProblem& LagrangianWorld::last_problem() const { return impl_->context.problem; }

std::vector<LagrangianContactRecord> LagrangianWorld::contact_records() const {
  const LagrangianContext& c = impl_->context;
  const Cones& cones = c.problem.cones;
  std::vector<LagrangianContactRecord> records(static_cast<std::size_t>(cones.count()));
  for (int i = 0; i < cones.count(); ++i) {
    LagrangianContactRecord& record = records[static_cast<std::size_t>(i)];
    record.contact = c.active[static_cast<std::size_t>(i)];
    record.gap = c.gap[record.contact];
    record.impulse.head(cones.dim(i)) = c.impulse.segment(cones.offset(i), cones.dim(i));
    record.velocity.head(cones.dim(i)) = c.u.segment(cones.offset(i), cones.dim(i));
  }
  return records;
}

}  // namespace carom
