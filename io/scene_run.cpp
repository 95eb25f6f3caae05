// [run], [gravity] and [output].
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr double kMaxSteps = 1e9;
constexpr double kMinStep = 1e-15;         // s
constexpr double kStandardGravity = 9.81;  // m/s^2
constexpr double kDefaultFrames = 500;     // about, over the whole run

// duration and step. At most 1e9 steps also means that t + h differs from t to the end of the run.
void read_times(TomlTable& run, RunPlan& plan) {
  plan.duration = run.need("duration").real(positive());
  const TomlValue step = run.need("step");
  plan.step = step.real(positive());
  if (plan.step < kMinStep) step.fail(fmt::format("is absurdly small: below {} s", kMinStep));
  if (plan.step > plan.duration)
    step.fail(fmt::format("is longer than the run, whose duration is {} s", plan.duration));
  const double steps = plan.duration / plan.step;
  if (steps > kMaxSteps) step.fail(fmt::format("would make {:.3g} steps; at most 1e9 are allowed", steps));
  plan.steps = std::llround(steps);
}

void read_projection(TomlTable& run, StepOptions& options) {
  const auto value = run.find("projection");
  if (!value) return;
  if (value->is_flag()) {
    options.projection = value->flag();
    return;
  }
  if (!value->is_table()) value->fail_type("true, false or a table { slop, iterations }");
  TomlTable table = value->table();
  options.projection = true;
  options.projection_slop = table.real("slop", positive(), options.projection_slop);
  options.projection_iterations =
      static_cast<int>(table.integer("iterations", 1, 1'000'000, options.projection_iterations));
  table.finish();
}

StepOptions read_step_options(TomlTable& run) {
  StepOptions options;
  options.theta = run.real("theta", within(0.5, 1), options.theta);
  if (const auto rule = run.find("activation"))
    options.activation =
        rule->choice<Activation>({{"midpoint", Activation::Midpoint}, {"predicted", Activation::Predicted}});
  options.activation_margin = run.real("activation_margin", not_negative(), options.activation_margin);
  read_projection(run, options);
  if (const auto plane = run.find("planar"))
    options.planar = plane->choice<Vec3>({{"xy", Vec3::UnitZ()}, {"xz", Vec3::UnitY()}, {"yz", Vec3::UnitX()}});
  const std::int64_t threads = run.integer("threads", 0, 4096, options.threads.count);
  options.threads = threads == 0 ? Threads::all() : Threads{static_cast<int>(threads)};
  return options;
}

}  // namespace

void read_run(TomlTable& root, SceneDraft& draft) {
  TomlTable run = [&] {
    if (auto found = root.table("run")) return *found;
    throw InputError({root.file(), 0, 0, "run"}, "the section [run] is missing: it gives duration and step");
  }();
  RunPlan& plan = draft.scene.run;
  draft.scene.title = run.text("title", "");
  read_times(run, plan);
  plan.seed = static_cast<std::uint64_t>(run.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), 0));
  if (const auto policy = run.find("on_unsolved"))
    plan.on_unsolved = policy->choice<OnUnsolved>(
        {{"finish", OnUnsolved::Finish}, {"stop", OnUnsolved::Stop}, {"accept", OnUnsolved::Accept}});
  if (const auto tolerance = run.find("overlap_tolerance")) draft.overlap_tolerance = tolerance->real(not_negative());
  const StepOptions options = read_step_options(run);
  run.finish();
  draft.scene.world = World(options);
}

// The ground turns about an axis; seen from it, gravity does.
static void read_tilt(TomlTable& tilt, const std::optional<Vec3>& planar, Gravity& gravity) {
  constexpr double kDegree = std::numbers::pi / 180;
  const TomlValue axis = tilt.need("axis");
  gravity.tilt_axis = axis.direction();
  if (planar && planar->cross(gravity.tilt_axis).norm() > 1e-12)
    axis.fail("in a planar run the ground tilts about the normal of its plane only");
  gravity.tilt_rate = kDegree * tilt.need("rate").real();
  gravity.tilt_from = tilt.real("from", not_negative(), 0);
  gravity.tilt_most = kDegree * tilt.real("to", {0, 180, true}, 90);
  tilt.finish();
}

void read_gravity(TomlTable& root, SceneDraft& draft) {
  const std::optional<Vec3> normal = draft.planar();
  Gravity gravity;
  gravity.acceleration = kStandardGravity * (normal && *normal == Vec3::UnitZ() ? Vec3(0, -1, 0) : Vec3(0, 0, -1));
  if (const auto value = root.find("gravity")) {
    std::optional<TomlValue> acceleration = value->is_list() ? value : std::nullopt;
    if (!value->is_list()) {
      if (!value->is_table()) value->fail_type("[gravity] with acceleration, or a list of 3 numbers");
      TomlTable table = value->table();
      acceleration = table.find("acceleration");
      gravity.ramp = table.real("ramp", not_negative(), 0);
      if (auto tilt = table.table("tilt")) read_tilt(*tilt, normal, gravity);
      table.finish();
    }
    if (acceleration) {
      gravity.acceleration = acceleration->vector3();
      if (normal && normal->dot(gravity.acceleration) != 0) acceleration->fail("points out of the plane of motion");
    }
  }
  draft.scene.world.set_gravity(gravity);
}

void read_output(TomlTable& root, SceneDraft& draft) {
  OutputPlan& plan = draft.scene.output;
  const RunPlan& run = draft.scene.run;
  plan.frame_every = std::max<std::int64_t>(1, std::llround(static_cast<double>(run.steps) / kDefaultFrames));
  auto output = root.table("output");
  if (!output) return;
  if (const auto file = output->find("file")) {
    plan.file = file->text();
    if (plan.file.empty()) file->fail("must name a file");
  }
  output->forbid_both("frame_every", "frames_per_second");
  plan.frame_every = output->integer("frame_every", 1, std::numeric_limits<std::int64_t>::max(), plan.frame_every);
  if (const auto rate = output->find("frames_per_second")) {
    const double steps_per_frame = 1.0 / (rate->real(positive()) * run.step);
    plan.frame_every = std::llround(std::clamp(steps_per_frame, 1.0, kMaxSteps));
  }
  plan.contacts = output->flag("contacts", plan.contacts);
  plan.checkpoint_seconds = output->real("checkpoint_seconds", positive(), plan.checkpoint_seconds);
  plan.checkpoint_every = output->integer("checkpoint_every", 0, std::numeric_limits<std::int64_t>::max(), 0);
  output->finish();
}

}  // namespace carom
