// Scenes that are right: every section, and what it makes of the world.
#include "io/scene.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "scene_text.h"

using namespace carom;

namespace {

const Pose& pose_at(const World& world, const std::string& name, Pose& storage) {
  const BodyId id = world.find(name).value();
  storage = {world.position(id), world.rotation(id)};
  return storage;
}

std::size_t index_of(const World& world, const std::string& name) { return world.find(name).value().index; }

}  // namespace

TEST_CASE("the smallest scene: defaults are those of the documentation") {
  const Scene scene = scene_of(kRunLines + kBall);
  CHECK(scene.name == "test");
  CHECK(scene.text == kRunLines + kBall);
  CHECK(scene.title.empty());
  CHECK(scene.run.steps == 100);
  CHECK(scene.run.step == 0.01);
  CHECK(scene.run.seed == 0);
  CHECK(scene.run.on_unsolved == OnUnsolved::Finish);
  CHECK(scene.run.overlap_tolerance == doctest::Approx(1e-4));  // a thousandth of the radius
  CHECK(scene.output.file.empty());
  CHECK(scene.output.contacts);
  CHECK(scene.solver.name == "auto");
  CHECK(std::get<std::string>(scene.solver.options.at("measure")) == "velocity");
  CHECK(std::get<double>(scene.solver.options.at("tolerance")) == 1e-8);
  CHECK(std::get<std::int64_t>(scene.solver.options.at("max_iterations")) == 10000);
  CHECK(scene.world.forces().gravity.acceleration == Vec3(0, 0, -9.81));
  const double volume = 4.0 / 3.0 * std::numbers::pi * 1e-3;
  CHECK(scene.world.properties().mass[0] == doctest::Approx(1000 * volume));
  CHECK(scene.world.properties().kind[0] == BodyKind::Dynamic);
}

TEST_CASE("[run] sets the step options and the plan") {
  Scene scene = scene_of(
      "[run]\ntitle = \"T\"\nduration = 2\nstep = 0.5\ntheta = 0.75\nactivation = \"predicted\"\n"
      "activation_margin = 0.001\nprojection = { slop = 1e-5, iterations = 7 }\nplanar = \"xz\"\nseed = 9\nthreads = "
      "3\n"
      "overlap_tolerance = 0.25\non_unsolved = \"stop\"\n" +
      kBall);
  const StepOptions& options = scene.world.options();
  CHECK(scene.title == "T");
  CHECK(scene.run.steps == 4);
  CHECK(options.theta == 0.75);
  CHECK(options.activation == Activation::Predicted);
  CHECK(options.activation_margin == 0.001);
  CHECK(options.projection);
  CHECK(options.projection_slop == 1e-5);
  CHECK(options.projection_iterations == 7);
  CHECK(*options.planar == Vec3::UnitY());
  CHECK(options.threads.count == 3);
  CHECK(scene.run.seed == 9);
  CHECK(scene.run.overlap_tolerance == 0.25);
  CHECK(scene.run.on_unsolved == OnUnsolved::Stop);
}

TEST_CASE("a duration that is no whole number of steps is rounded to the nearest") {
  CHECK(scene_of("[run]\nduration = 1.0\nstep = 0.3\n" + kBall).run.steps == 3);
  CHECK(scene_of("[run]\nduration = 1.1\nstep = 0.3\n" + kBall).run.steps == 4);
}

TEST_CASE("gravity: table, shorthand, ramp and the default of a planar run") {
  CHECK(scene_of("gravity = [1, 2, 3]\n" + kRunLines + kBall).world.forces().gravity.acceleration == Vec3(1, 2, 3));
  const Scene ramped = scene_of(kRunLines + "[gravity]\nacceleration = [0, 0, -1]\nramp = 0.5\n" + kBall);
  CHECK(ramped.world.forces().gravity.acceleration == Vec3(0, 0, -1));
  CHECK(ramped.world.forces().gravity.ramp == 0.5);
  CHECK(scene_of(kRunLines + "planar = \"xy\"\n" + kBall).world.forces().gravity.acceleration == Vec3(0, -9.81, 0));
  CHECK(scene_of(kRunLines + "planar = \"yz\"\n" + kBall).world.forces().gravity.acceleration == Vec3(0, 0, -9.81));
}

TEST_CASE("materials and pairs reach the contact law, pairs default to the combination") {
  const Scene scene = scene_of(kRunLines +
                               "[material.steel]\nfriction = 0.1\nrestitution = 0.9\n[material.felt]\nfriction = 0.9\n"
                               "tangential_restitution = -0.5\n[[contact_pair]]\nmaterials = [\"felt\", \"steel\"]\n"
                               "restitution = 0.25\n" +
                               kBall + "material = \"felt\"\n");
  const MaterialTable& table = scene.world.materials();
  REQUIRE(table.size() == 3);
  CHECK(table[{1}].name == "steel");  // in the order of the text
  CHECK(table[{2}].name == "felt");
  const PairLaw& law = table.law({1}, {2});
  CHECK(law.restitution == 0.25);
  CHECK(law.friction == doctest::Approx(0.3));
  CHECK(law.tangential_restitution == doctest::Approx(-0.25));
  CHECK(scene.world.material_of(0) == MaterialId{2});
}

TEST_CASE("bodies: placement, mass, inertia and kinds") {
  const Scene scene = scene_of(kRunLines + R"(
[[body]]
name = "brick"
shape = "box"
size = [0.2, 0.4, 0.6]
position = [1, 2, 3]
euler = [0, 0, 90]
velocity = [1, 0, 0]
angular_velocity = [0, 0, 2]
mass = 12
[[body]]
name = "wall"
shape = "half_space"
normal = [2, 0, 0]
position = [-5, 0, 0]
[[body]]
name = "sheet"
shape = "plane"
rotation = { axis = [1, 0, 0], angle = 90 }
position = [0, 40, 0]
[[body]]
shape = "sphere"
radius = 0.5
position = [10, 0, 0]
orientation = [2, 0, 0, 0]
mass = 2
inertia = [[0.3, 0.05, 0], [0.05, 0.3, 0], [0, 0, 0.4]]
)");
  const World& world = scene.world;
  Pose pose;
  pose_at(world, "brick", pose);
  CHECK(pose.position == Vec3(1, 2, 3));
  CHECK((pose.rotation * Vec3::UnitX() - Vec3::UnitY()).norm() < 1e-15);
  CHECK(world.properties().mass[0] == 12);
  // m/12 (y^2 + z^2) with full lengths
  CHECK(world.properties().inertia[0](0, 0) == doctest::Approx(12.0 / 12.0 * (0.16 + 0.36)));
  CHECK(world.velocity(world.id_of(0)) == Vec3(1, 0, 0));
  CHECK((world.angular_velocity(world.id_of(0)) - Vec3(0, 0, 2)).norm() < 1e-15);

  pose_at(world, "wall", pose);
  CHECK((pose.rotation * Vec3::UnitZ() - Vec3::UnitX()).norm() < 1e-15);
  CHECK(world.properties().kind[index_of(world, "wall")] == BodyKind::Fixed);
  pose_at(world, "sheet", pose);
  CHECK((pose.rotation * Vec3::UnitZ() + Vec3::UnitY()).norm() < 1e-15);

  const std::size_t last = index_of(world, "body[3]");  // the name of a body without one
  CHECK(world.properties().inertia[last](0, 1) == 0.05);
  CHECK(world.rotation(world.id_of(static_cast<int>(last))).norm() == 1.0);
}

TEST_CASE("a body of several shapes, with a material of its own on one") {
  const Scene scene = scene_of(kRunLines + R"(
[material.ice]
friction = 0
[[body]]
name = "dumbbell"
density = 500
  [[body.shape]]
  shape = "sphere"
  radius = 0.1
  offset = [0.3, 0, 0]
  [[body.shape]]
  shape = "sphere"
  radius = 0.1
  offset = [-0.3, 0, 0]
  material = "ice"
)");
  const double ball = 4.0 / 3.0 * std::numbers::pi * 1e-3 * 500;
  CHECK(scene.world.properties().mass[0] == doctest::Approx(2 * ball));
  CHECK(scene.world.properties().inertia[0](1, 1) == doctest::Approx(2 * ball * (0.4 * 0.01 + 0.09)));
  REQUIRE(scene.world.colliders().size() == 2);
  CHECK(scene.world.colliders().local[1].position == Vec3(-0.3, 0, 0));
  CHECK(scene.world.material_of(0) == MaterialId{0});
  CHECK(scene.world.material_of(1) == MaterialId{1});
}

TEST_CASE("kinematic bodies follow their motion") {
  const std::string table =
      "[[body]]\nname = \"table\"\nshape = \"half_space\"\nnormal = [0, 0, 1]\nposition = [0, 0, -1]\n";
  const auto moved = [&](const std::string& motion, double& x, const std::vector<Attachment>& attachments = {}) {
    Scene scene = scene_of(kRunLines + kBall + table + motion, attachments);
    CHECK(scene.world.properties().kind[index_of(scene.world, "table")] == BodyKind::Kinematic);
    for (int i = 0; i < 100; ++i) scene.world.step(0.01);
    x = scene.world.position(scene.world.find("table").value()).x();
    return scene;
  };
  double x = 0;
  moved("motion = { type = \"velocity\", velocity = [2, 0, 0] }\n", x);
  CHECK(x == doctest::Approx(2.0));
  moved("kind = \"kinematic\"\nvelocity = [3, 0, 0]\n", x);
  CHECK(x == doctest::Approx(3.0));
  moved("motion = { type = \"harmonic\", direction = [5, 0, 0], amplitude = 0.5, frequency = 0.25 }\n", x);
  CHECK(x == doctest::Approx(0.5));  // a quarter of a period
  moved("motion = { type = \"acceleration\", direction = [1, 0, 0], table = [[0, 4], [1, 4]] }\n", x);
  CHECK(x == doctest::Approx(2.0));
  const Scene scene = moved("motion = { type = \"acceleration\", direction = [1, 0, 0], file = \"q.csv\" }\n", x,
                            {{"unused.csv", ""}, {"q.csv", "t,a\n0,4\n1,4\n"}});
  CHECK(x == doctest::Approx(2.0));
  REQUIRE(scene.attachments.size() == 1);  // kept for the run file, the unused one not
  CHECK(scene.attachments[0].name == "q.csv");
}

TEST_CASE("a motion file is found beside the scene, and its errors name its own line") {
  const std::filesystem::path folder = std::filesystem::path(CAROM_BINARY_DIR) / "scene_test_files";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("shake.toml", kRunLines + kBall +
                          "[[body]]\nname = \"t\"\nshape = \"half_space\"\nnormal = [0, 0, 1]\nposition = [0, 0, -1]\n"
                          "motion = { type = \"acceleration\", direction = [1, 0, 0], file = \"shake.csv\" }\n");
  write("shake.csv", "0 0\n1 1\n");
  const Scene scene = read_scene(folder / "shake.toml");
  CHECK(scene.name == "shake");
  CHECK(scene.attachments.at(0).text == "0 0\n1 1\n");
  write("shake.csv", "0 0\n1 one\n");
  try {
    read_scene(folder / "shake.toml");
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.place().file == "shake.csv");
    CHECK(error.place().line == 2);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("groups make named bodies of all generators") {
  const Scene scene = scene_of(kRunLines + R"(
[[group]]
name = "a"
generator = "lattice"
counts = [3, 2, 2]
spacing = [0.3, 0.4, 0.5]
radius = 0.1
[[group]]
name = "b"
generator = "grid"
plane = "xz"
counts = [4, 2]
spacing = [0.3, 0.4]
origin = [0, 10, 0]
shape = "box"
size = [0.1, 0.1, 0.1]
kind = "fixed"
[[group]]
name = "c"
generator = "chain"
radius = [0.1, 0.2, 0.1]
start = [0, -10, 0]
velocity_first = [1, 0, 0]
velocity = [0, 0, 1]
[[group]]
generator = "random"
count = 50
radius = [0.05, 0.1]
min = [20, 0, 0]
max = [22, 2, 2]
orientation = "random"
[[load]]
body = "c[1]"
force = [0, 0, 9]
from = 0.5
to = 2
ramp = 0.1
)");
  const World& world = scene.world;
  CHECK(world.body_count() == 12 + 8 + 3 + 50);
  CHECK(world.position(world.find("a[11]").value()).isApprox(Vec3(0.6, 0.4, 0.5)));
  CHECK(world.position(world.find("b[7]").value()).isApprox(Vec3(0.9, 10, 0.4)));
  CHECK(world.properties().kind[index_of(world, "b[0]")] == BodyKind::Fixed);
  CHECK(world.properties().group[index_of(world, "c[0]")] == "c");
  CHECK(world.position(world.find("c[2]").value()).isApprox(Vec3(0.6, -10, 0)));
  CHECK(world.velocity(world.find("c[0]").value()) == Vec3(1, 0, 0));
  CHECK(world.velocity(world.find("c[1]").value()) == Vec3(0, 0, 1));
  CHECK(world.rotation(world.find("group3[0]").value()).w() != 1.0);
  CHECK(world.find_overlaps(1e-12).empty());
  REQUIRE(world.forces().loads.size() == 1);
  CHECK(world.forces().loads[0].body == world.find("c[1]").value());
  CHECK(world.forces().loads[0].ramp == 0.1);
}

TEST_CASE("the seed decides random groups, and the same text gives the same bits") {
  const auto hash = [](const std::string& seed) {
    return scene_of(
               kRunLines + "seed = " + seed +
               "\n[[group]]\ngenerator = \"random\"\ncount = 100\nradius = 0.05\nmin = [0, 0, 0]\nmax = [2, 2, 2]\n")
        .world.state_hash();
  };
  CHECK(hash("1") == hash("1"));
  CHECK(hash("1") != hash("2"));
}

TEST_CASE("[output] and [solver] reach their plans") {
  const Scene scene =
      scene_of(kRunLines + kBall +
               "[output]\nfile = \"x.h5\"\nframes_per_second = 20\ncontacts = false\ncheckpoint_seconds = 2\n"
               "checkpoint_every = 30\n[solver]\nname = \"nsgs\"\ntolerance = 1e-6\nmax_iterations = 50\n"
               "[impact]\nlaw = \"newton\"\n");
  CHECK(scene.output.file == "x.h5");
  CHECK(scene.output.frame_every == 5);
  CHECK_FALSE(scene.output.contacts);
  CHECK(scene.output.checkpoint_seconds == 2);
  CHECK(scene.output.checkpoint_every == 30);
  CHECK(std::get<double>(scene.solver.options.at("tolerance")) == 1e-6);
  CHECK(std::get<std::int64_t>(scene.solver.options.at("max_iterations")) == 50);
  CHECK(scene.world.solver().name() == "nsgs");
  CHECK(scene_of(kRunLines + kBall + "[output]\nframe_every = 7\n").output.frame_every == 7);
  CHECK(scene_of("[run]\nduration = 10\nstep = 0.001\n" + kBall).output.frame_every == 20);  // 500 frames
}

TEST_CASE("an overlap within the tolerance is accepted") {
  const std::string two = kBall + "[[body]]\nshape = \"sphere\"\nradius = 0.1\nposition = [0.19, 0, 0]\n";
  CHECK(scene_of(kRunLines + "overlap_tolerance = 0.02\n" + two).world.body_count() == 2);
}

TEST_CASE("boxes that stand apart are accepted") {
  const std::string boxes =
      "[[body]]\nname = \"a\"\nshape = \"box\"\nsize = [1, 1, 1]\n"
      "[[group]]\nname = \"g\"\ngenerator = \"grid\"\ncounts = [2, 2]\nspacing = 3\norigin = [10, 0, 0]\nshape = "
      "\"box\"\nsize = [1, 1, 1]\n";
  CHECK(scene_of(kRunLines + boxes).world.body_count() == 5);
}

TEST_CASE("every example reads and its first steps are solved") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    INFO(entry.path().string());
    Scene scene = read_scene(entry.path());
    CHECK_FALSE(scene.title.empty());
    for (int i = 0; i < 100; ++i) CHECK(scene.world.step(scene.run.step).status == SolveStatus::Solved);
  }
  CHECK(count >= 6);
}

TEST_CASE("the rolling sphere of the examples rolls at 5/7 of its speed") {
  Scene scene = read_scene(CAROM_SOURCE_DIR "/examples/rolling_sphere.toml");
  for (std::int64_t i = 0; i < scene.run.steps; ++i) scene.world.step(scene.run.step);
  const BodyId ball = scene.world.find("ball").value();
  CHECK(scene.world.velocity(ball).x() == doctest::Approx(2.0 * 5 / 7).epsilon(1e-6));
  CHECK(scene.world.angular_velocity(ball).y() == doctest::Approx(2.0 * 5 / 7 / 0.1).epsilon(1e-6));
}

TEST_CASE("of the two boxes of the incline one slides as Coulomb says and the other stays") {
  Scene scene = read_scene(CAROM_SOURCE_DIR "/examples/incline.toml");
  World& world = scene.world;
  const Vec3 start = world.position(world.find("sticker").value());
  for (std::int64_t i = 0; i < scene.run.steps; ++i) world.step(scene.run.step);
  const double slope = 20 * std::numbers::pi / 180;
  const double speed = 9.81 * (std::sin(slope) - 0.2 * std::cos(slope)) * scene.run.duration;
  CHECK(world.velocity(world.find("slider").value()).norm() == doctest::Approx(speed).epsilon(1e-5));
  CHECK((world.position(world.find("sticker").value()) - start).norm() < 1e-6);
}

TEST_CASE("the cradle hands its momentum from ball to ball and keeps its energy") {
  Scene scene = read_scene(CAROM_SOURCE_DIR "/examples/newton_cradle.toml");
  World& world = scene.world;
  const double energy = world.energies().kinetic;
  double last_ball = 0;
  for (int i = 0; i < 1000; ++i) {
    world.step(scene.run.step);
    last_ball = std::max(last_ball, world.velocity(world.find("ball[4]").value()).x());
  }
  CHECK(last_ball == doctest::Approx(1.0).epsilon(1e-12));
  CHECK(world.energies().kinetic == doctest::Approx(energy).epsilon(1e-12));
}
