#include "io/run_loop.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/error.h"

using namespace carom;

namespace {

const char* const kSlidingBall = R"(
[run]
duration = 0.05
step = 1e-3
[material.stone]
friction = 0.3
[[body]]
name = "floor"
shape = "half_space"
normal = [0, 0, 1]
material = "stone"
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0, 0, 0.105]
velocity = [1, 0, 0]
material = "stone"
)";

Scene sliding_ball() { return parse_scene(kSlidingBall, "ball.toml", "."); }

struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("carom_" + std::to_string(::getpid()) + "_" + name)).string()) {
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    std::filesystem::remove(std::filesystem::path(path).replace_extension("xdmf"), ignored);
  }
};

void check_same(const RunSummary& a, const RunSummary& b) {
  CHECK(a.steps == b.steps);
  CHECK(a.time == b.time);
  CHECK(a.contact_sum == b.contact_sum);
  CHECK(a.iteration_sum == b.iteration_sum);
  CHECK(a.worst_velocity_residual == b.worst_velocity_residual);
  CHECK(a.worst_penetration == b.worst_penetration);
  CHECK(a.energy.start == b.energy.start);
  CHECK(a.energy.end == b.energy.end);
  CHECK(a.energy.dissipated == b.energy.dissipated);
  CHECK(a.energy.balance_error == b.energy.balance_error);
}

}  // namespace

TEST_CASE("the summary balances: end = start - dissipated + created + works + error") {
  Scene scene = sliding_ball();
  const double start = scene.world.energies().kinetic + scene.world.energies().potential;
  const RunOutcome outcome = run_scene(scene, nullptr, {});
  const EnergySummary& e = outcome.summary.energy;
  CHECK(outcome.end == RunEnd::Complete);
  CHECK(outcome.status == "complete");
  CHECK(e.start == doctest::Approx(start).epsilon(1e-12));
  CHECK(e.dissipated > 0);
  CHECK(e.end == doctest::Approx(e.start - e.dissipated + e.created + e.external_work + e.boundary_work +
                                 e.projection_work + e.balance_error)
                     .epsilon(1e-12));
}

TEST_CASE("a run file gives the same summary as the run that wrote it") {
  const TemporaryFile file("summary.h5");
  Scene scene = sliding_ball();
  RunWriter writer = RunWriter::create(file.path, scene, true);
  const RunOutcome outcome = run_scene(scene, &writer, {});
  check_same(summarize(RunReader(file.path).diagnostics()), outcome.summary);
}

TEST_CASE("a stop is obeyed between steps, leaves its reason in the file, and a resumed run sums up the whole") {
  const TemporaryFile stopped("stopped.h5"), whole("whole.h5");
  Scene first = sliding_ball();
  {
    RunWriter writer = RunWriter::create(stopped.path, first, true);
    RunLoopOptions options;
    options.stop_requested = [&] { return first.world.step_count() == 17; };
    const RunOutcome outcome = run_scene(first, &writer, options);
    CHECK(outcome.end == RunEnd::Stopped);
    CHECK(outcome.steps == 17);
  }
  CHECK(RunReader(stopped.path).status() == "interrupted at step 17 of 50");

  Scene again = sliding_ball();
  const RunDiagnostics so_far = RunReader(stopped.path).diagnostics();
  RunWriter writer = RunWriter::resume(stopped.path, again);
  CHECK(again.world.step_count() == 17);
  const RunOutcome rest = run_scene(again, &writer, {}, summarize(so_far, again.world.step_count()));
  CHECK(rest.steps == 33);

  Scene once = sliding_ball();
  check_same(rest.summary, run_scene(once, nullptr, {}).summary);
  CHECK(again.world.state_hash() == once.world.state_hash());
}

TEST_CASE("an unsolved step ends as the scene says") {
  for (const OnUnsolved policy : {OnUnsolved::Finish, OnUnsolved::Stop, OnUnsolved::Accept}) {
    Scene scene =
        parse_scene(std::string(kSlidingBall) + "[solver]\ntolerance = 1e-300\nmax_iterations = 1\n", "ball.toml", ".");
    scene.run.on_unsolved = policy;
    const RunOutcome outcome = run_scene(scene, nullptr, {});
    CHECK(outcome.summary.unsolved > 0);
    CHECK((outcome.end == RunEnd::Complete) == (policy == OnUnsolved::Accept));
    CHECK((outcome.status == "complete") == (policy == OnUnsolved::Accept));
    CHECK((outcome.summary.steps == scene.run.steps) == (policy != OnUnsolved::Stop));
  }
}

TEST_CASE("a state that stops being finite ends the run and keeps the file's last good frame") {
  const TemporaryFile file("blowup.h5");
  Scene scene = sliding_ball();
  RunWriter writer = RunWriter::create(file.path, scene, true);
  scene.world.add_force_field([](double t, const BodyState&, std::span<Vec3> force, std::span<Vec3>) {
    if (t > 0.02) force[1].x() = std::numeric_limits<double>::infinity();
  });
  const RunOutcome outcome = run_scene(scene, &writer, {});
  CHECK(outcome.end == RunEnd::NumericalFailure);
  const RunReader run(file.path);
  CHECK(run.status().starts_with("failed at step 21"));
  CHECK(run.frame(run.frame_count() - 1).position[1].allFinite());
  CHECK(run.checkpoint()->bodies.velocity[1].allFinite());
}

TEST_CASE("a run is doubted for the reasons it gives") {
  RunSummary fine;
  fine.steps = 10;
  fine.energy.scale = 1;
  CHECK(judge_run(fine, "complete", 0.1).empty());
  const auto serious = [](const std::vector<Finding>& findings) { return findings.size() == 1 && findings[0].serious; };
  CHECK(serious(judge_run(fine, "interrupted at step 10 of 20", 0.1)));
  RunSummary unsolved = fine;
  unsolved.unsolved = 1;
  CHECK(serious(judge_run(unsolved, "complete", 0.1)));
  RunSummary deep = fine;
  deep.worst_penetration = 0.05;
  CHECK(serious(judge_run(deep, "complete", 0.1)));
  RunSummary unbalanced = fine;
  unbalanced.energy.balance_error = 0.1;
  CHECK(serious(judge_run(unbalanced, "complete", 0.1)));
  RunSummary lost = fine;
  lost.energy.end = std::numeric_limits<double>::quiet_NaN();
  CHECK(!judge_run(lost, "complete", 0.1).empty());
}
