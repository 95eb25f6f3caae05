// Rolling resistance in scenes, run files, checkpoints and problem files.
#include <doctest/doctest.h>

#include "io/fclib.h"
#include "io/run_reader.h"
#include "io/run_writer.h"
#include "run_fixture.h"
#include "scene_text.h"

using namespace carom;

namespace {

constexpr std::int64_t kSteps = 100;

void step_to(Scene& scene, RunWriter& writer, std::int64_t last) {
  while (scene.world.step_count() < last) {
    scene.world.step(scene.run.step);
    writer.add_step(scene.world);
  }
}

}  // namespace

TEST_CASE("rolling_friction is read for materials and pairs, and combined by the geometric mean") {
  const std::string materials =
      "[material.clay]\nrolling_friction = 0.2\n[material.rock]\nrolling_friction = 0.05\n[material.ice]\n";
  const Scene scene = scene_of(kRunLines + kBall + materials +
                               "[[contact_pair]]\nmaterials = [\"rock\", \"rock\"]\nrolling_friction = 0.3\n");
  const MaterialTable& table = scene.world.materials();
  CHECK(table.law({1}, {1}).rolling_friction == doctest::Approx(0.2));
  CHECK(table.law({1}, {2}).rolling_friction == doctest::Approx(0.1));
  CHECK(table.law({2}, {2}).rolling_friction == 0.3);
  CHECK(table.law({1}, {3}).rolling_friction == 0);
  CHECK(scene.world.resists_rolling());
  CHECK_FALSE(scene_of(kRunLines + kBall).world.resists_rolling());
  check_rejected(kRunLines + kBall + "[material.clay]\nrolling_friction = -0.2\n", 9, 20, ">= 0");
}

TEST_CASE("a solver that does not take rolling resistance is refused when the scene is read") {
  const std::string clay = kRunLines + kBall + "[material.clay]\nrolling_friction = 0.2\n";
  for (const char* solver : {"ipm", "lemke", "stewart_trinkle"})
    check_rejected(clay + "[solver]\nname = \"" + solver + "\"\n", 10, 1,
                   "does not take contacts with rolling_friction");
  for (const char* solver : {"auto", "nsgs", "newton", "pgs", "admm", "apgd", "proximal"})
    CHECK_NOTHROW(scene_of(clay + "[solver]\nname = \"" + solver + "\"\n"));
}

TEST_CASE("a run file gives back the moments of its contacts; runs without any have no column for them") {
  const TemporaryFolder folder;
  for (const double rolling_friction : {0.2, 0.0}) {
    Scene scene = heap_scene(kSteps, rolling_friction);
    RunWriter writer = RunWriter::create(folder / "run.h5", scene, true);
    std::vector<std::vector<ContactRecord>> frames = {{}};
    double largest = 0;
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      scene.world.step(scene.run.step);
      writer.add_step(scene.world);
      if (step % scene.output.frame_every == 0) scene.world.contact_records(frames.emplace_back());
    }
    writer.finish(scene.world, "complete");
    const RunReader run(folder / "run.h5");
    CHECK(run.has_moments() == (rolling_friction > 0));
    REQUIRE(run.frame_count() == static_cast<std::int64_t>(frames.size()));
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const std::vector<ContactRecord> read = run.contacts(static_cast<std::int64_t>(f));
      REQUIRE(read.size() == frames[f].size());
      for (std::size_t i = 0; i < read.size(); ++i) {
        CHECK(read[i].moment == frames[f][i].moment);
        largest = std::max(largest, read[i].moment.norm());
      }
    }
    CHECK((largest > 0) == (rolling_friction > 0));
  }
}

TEST_CASE("a run with rolling resistance that was stopped goes on bit for bit, from a step without a frame too") {
  const TemporaryFolder folder;
  Scene whole = heap_scene(kSteps, 0.2);
  RunWriter writer = RunWriter::create(folder / "whole.h5", whole, true);
  step_to(whole, writer, kSteps);
  writer.finish(whole.world, "complete");
  for (const std::int64_t stop : {60, 63}) {
    const std::string file = folder / "stopped.h5";
    {
      Scene scene = heap_scene(kSteps, 0.2);
      RunWriter stopped = RunWriter::create(file, scene, true);
      step_to(scene, stopped, stop);
      stopped.checkpoint(scene.world);
    }
    Scene scene = heap_scene(kSteps, 0.2);
    RunWriter resumed = RunWriter::resume(file, scene);
    step_to(scene, resumed, kSteps);
    resumed.finish(scene.world, "complete");
    CHECK(scene.world.state_hash() == whole.world.state_hash());
    const RunReader a(folder / "whole.h5"), b(file);
    REQUIRE(a.frame_count() == b.frame_count());
    for (std::int64_t f = 0; f < a.frame_count(); ++f) {
      const std::vector<ContactRecord> x = a.contacts(f), y = b.contacts(f);
      REQUIRE(x.size() == y.size());
      for (std::size_t i = 0; i < x.size(); ++i) CHECK((x[i].moment == y[i].moment && x[i].impulse == y[i].impulse));
    }
  }
}

TEST_CASE("FCLIB has no form for rolling resistance, and writing says so") {
  const TemporaryFolder folder;
  Scene scene = heap_scene(kSteps, 0.2);
  while (scene.world.last_problem().cones.count() == 0) scene.world.step(scene.run.step);
  CHECK_THROWS_WITH_AS(write_problem(folder / "p.hdf5", scene.world.last_problem(), ""),
                       doctest::Contains("rolling resistance"), InputError);
  CHECK_FALSE(std::filesystem::exists(folder / "p.hdf5"));
}
