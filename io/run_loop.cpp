#include "io/run_loop.h"

#include <fmt/format.h>

#include "base/error.h"
#include "engine/interfaces.h"
#include "io/fclib.h"

namespace carom {

namespace {

// A run whose every solve fails must not fill the disk with problems.
constexpr std::size_t kMostFailureDumps = 10;

bool stop_at_collapse(const SystemScene&) { return false; }
bool stop_at_collapse(const Scene& scene) {
  return scene.stop_at_collapse && scene.world.interfaces() != nullptr && scene.world.interfaces()->collapse();
}

bool all_finite(const LagrangianWorld& world) { return world.q().allFinite() && world.v().allFinite(); }

bool all_finite(const World& world) {
  const BodyState& state = world.state();
  // A sum of products with zero is zero, or NaN when any factor is not finite.
  double sum = 0;
  for (std::size_t i = 0; i < state.position.size(); ++i)
    sum += 0 *
           (state.position[i].sum() + state.rotation[i].coeffs().sum() + state.velocity[i].sum() + state.spin[i].sum());
  return sum == 0;
}

// One loop for scenes of bodies and of systems: their worlds and writers have the same words.
template <class AnyScene, class Writer>
class RunLoop {
 public:
  RunLoop(AnyScene& scene, Writer* writer, const RunLoopOptions& options, const RunSummary& before)
      : scene_(scene), world_(scene.world), writer_(writer), options_(options) {
    outcome_.summary = before;
    last_step_ = options.last_step > 0 ? options.last_step : scene.run.steps;
  }

  RunOutcome run() {
    bool going = true;
    while (going && world_.step_count() < last_step_) {
      if (options_.stop_requested && options_.stop_requested()) {
        end(RunEnd::Stopped, fmt::format("interrupted at step {} of {}", world_.step_count(), scene_.run.steps));
        break;
      }
      going = step();
    }
    if (outcome_.status.empty()) end_of_steps();
    if (writer_ != nullptr) close_file();
    outcome_.seconds = watch_.seconds();
    return std::move(outcome_);
  }

 private:
  // One step and all that is kept of it; false when it was the last.
  bool step() {
    try {
      world_.step(scene_.run.step);
    } catch (const InputError& error) {
      // The problem was ill-posed and rejected; the world still stands where it was.
      dump_failure(world_.step_count() + 1);
      end(RunEnd::NumericalFailure, fmt::format("failed at step {}: {}", world_.step_count() + 1, error.what()));
      return false;
    }
    const StepReport& report = world_.last_report();
    ++outcome_.steps;
    outcome_.summary.add(report);
    if (!options_.dump_folder.empty()) dump(options_.dump_folder + "/" + scene_.name, report.step);
    if (!all_finite(world_) || report.status == SolveStatus::NumericalError) return fail_numerically(report);

    if (writer_ != nullptr) keep(report);
    if (options_.after_step) options_.after_step(report, outcome_.summary);
    if (stop_at_collapse(scene_)) {
      end(RunEnd::Complete, fmt::format("stopped at step {} of {}: collapsed", report.step, scene_.run.steps));
      return false;
    }
    return report.status == SolveStatus::Solved || go_on_unsolved(report);
  }

  bool fail_numerically(const StepReport& report) {
    finite_ = all_finite(world_);
    dump_failure(report.step);
    end(RunEnd::NumericalFailure,
        finite_ ? fmt::format("failed at step {}: the solver met a value that is not finite", report.step)
                : fmt::format("failed at step {}: positions or velocities are not finite", report.step));
    return false;
  }

  bool go_on_unsolved(const StepReport& report) {
    if (scene_.run.on_unsolved == OnUnsolved::Accept) return true;
    dump_failure(report.step);
    if (scene_.run.on_unsolved == OnUnsolved::Finish) return true;
    end(RunEnd::Unsolved,
        fmt::format("stopped at step {}: not solved to tolerance ({})", report.step, name_of(report.status)));
    return false;
  }

  void end_of_steps() {
    const bool accepted = outcome_.summary.unsolved == 0 || scene_.run.on_unsolved == OnUnsolved::Accept;
    if (!accepted)
      end(RunEnd::Unsolved, fmt::format("finished with {} of {} steps not solved to tolerance",
                                        outcome_.summary.unsolved, outcome_.summary.steps));
    else if (world_.step_count() < scene_.run.steps)
      end(RunEnd::Complete, fmt::format("stopped at step {} of {}, as asked", world_.step_count(), scene_.run.steps));
    else
      end(RunEnd::Complete, "complete");
  }

  void end(RunEnd how, std::string status) {
    outcome_.end = how;
    outcome_.status = std::move(status);
  }

  void keep(const StepReport& report) {
    writer_->add_step(world_);
    const OutputPlan& plan = scene_.output;
    const bool by_count = plan.checkpoint_every > 0 && report.step % plan.checkpoint_every == 0;
    if (!by_count && since_checkpoint_.seconds() < plan.checkpoint_seconds) return;
    writer_->checkpoint(world_);
    since_checkpoint_ = Stopwatch();
  }

  void close_file() {
    if (finite_)
      writer_->finish(world_, outcome_.status);
    else
      writer_->fail(outcome_.status);
  }

  // The problem of a failed solve, for whoever looks into it. A disk that has no room for it must not hide the failure.
  void dump_failure(std::int64_t step) {
    if (options_.failure_prefix.empty() || outcome_.dumped.size() >= kMostFailureDumps) return;
    try {
      const std::string file = dump(options_.failure_prefix, step);
      if (!file.empty()) outcome_.dumped.push_back(file);
    } catch (const OutputError&) {
    }
  }

  // The file written; "" when there was no contact or FCLIB has no form for this problem (mixed kinds of cones).
  std::string dump(const std::string& prefix, std::int64_t step) {
    if (world_.last_problem().q.size() == 0) return "";
    const std::string file = fmt::format("{}.step{:08}.hdf5", prefix, step);
    try {
      write_problem(file, world_.last_problem(), fmt::format("{}, step {}", scene_.name, step), world_.last_impulses());
    } catch (const InputError&) {
      return "";
    }
    return file;
  }

  AnyScene& scene_;
  decltype(AnyScene::world)& world_;
  Writer* writer_;
  const RunLoopOptions& options_;
  std::int64_t last_step_ = 0;
  bool finite_ = true;
  Stopwatch watch_;
  Stopwatch since_checkpoint_;
  RunOutcome outcome_;
};

}  // namespace

RunOutcome run_scene(Scene& scene, RunWriter* writer, const RunLoopOptions& options, const RunSummary& before) {
  return RunLoop<Scene, RunWriter>(scene, writer, options, before).run();
}

RunOutcome run_scene(SystemScene& scene, SystemRunWriter* writer, const RunLoopOptions& options,
                     const RunSummary& before) {
  return RunLoop<SystemScene, SystemRunWriter>(scene, writer, options, before).run();
}

}  // namespace carom
