// Shapes, joints and structures of blocks from scenes, and what is wrong with them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "engine/interfaces.h"
#include "io/motion_table.h"
#include "io/run_loop.h"
#include "run_fixture.h"
#include "scene_text.h"

using namespace carom;

namespace {

constexpr double kDegree = std::numbers::pi / 180;

std::string body(const std::string& keys) { return kRunLines + "[[body]]\nname = \"b\"\n" + keys; }  // keys at line 6

double mass_of(const Scene& scene, const std::string& name) {
  return scene.world.properties().mass[scene.world.find(name)->index];
}

}  // namespace

TEST_CASE("shapes of a scene have the mass, centre and inertia of their solids") {
  const double pi = std::numbers::pi;
  CHECK(mass_of(scene_of(body("shape = \"capsule\"\nradius = 0.1\nlength = 0.5\ndensity = 100\n")), "b") ==
        doctest::Approx(100 * (pi * 0.01 * 0.5 + 4.0 / 3 * pi * 0.001)));
  CHECK(mass_of(scene_of(body("shape = \"cylinder\"\nradius = 0.1\nheight = 0.5\ndensity = 100\n")), "b") ==
        doctest::Approx(100 * pi * 0.01 * 0.5));
  CHECK(mass_of(scene_of(body("shape = \"cone\"\nradius = 0.1\nheight = 0.5\ndensity = 100\n")), "b") ==
        doctest::Approx(100 * pi * 0.01 * 0.5 / 3));
  // a tetrahedron drawn from a corner: its centre of mass is a quarter of the way along
  const Scene scene = scene_of(
      body("shape = \"convex\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\ndensity = 6\n"
           "position = [5, 0, 0]\n[[load]]\nbody = \"b\"\nforce = [1, 0, 0]\npoint = [0.25, 0.25, 0.25]\n"));
  CHECK(mass_of(scene, "b") == doctest::Approx(1));
  CHECK((scene.world.position(*scene.world.find("b")) - Vec3(5.25, 0.25, 0.25)).norm() < 1e-12);
  CHECK(scene.world.forces().loads[0].point.norm() < 1e-12);
  CHECK(scene.world.properties().inertia[0](0, 0) == doctest::Approx(3.0 / 40));
}

TEST_CASE("a body of several shapes is taken to its centre of mass") {
  const Scene scene = scene_of(kRunLines +
                               "[[body]]\nname = \"hammer\"\ndensity = 1000\nposition = [0, 0, 1]\n"
                               "[[body.shape]]\nshape = \"box\"\nsize = [1, 0.1, 0.1]\n"
                               "[[body.shape]]\nshape = \"box\"\nsize = [0.1, 1, 0.1]\noffset = [1, 0, 0]\n");
  const BodyId hammer = *scene.world.find("hammer");
  CHECK((scene.world.position(hammer) - Vec3(0.5, 0, 1)).norm() < 1e-12);
  // two equal bars, each 0.5 m from the centre: m/12 (a^2 + b^2) + m d^2, about z
  CHECK(scene.world.properties().inertia[0](2, 2) == doctest::Approx(2 * (10 * (1 + 0.01) / 12 + 10 * 0.25)));
}

TEST_CASE("planar runs have disks and polygons, in whichever plane") {
  for (const char* plane : {"xy", "xz", "yz"}) {
    const std::string run = std::string("[run]\nduration = 1\nstep = 0.01\nplanar = \"") + plane + "\"\n";
    const Scene scene = scene_of(run + "[[body]]\nshape = \"disk\"\nradius = 0.5\nthickness = 0.1\ndensity = 10\n"
                                       "[[body]]\nname = \"p\"\nshape = \"polygon\"\n"
                                       "vertices = [[0, 0], [3, 0], [0, 3]]\nthickness = 0.1\ndensity = 10\n"
                                       "position = " +
                                 (plane[0] == 'y' ? "[0, 5, 0]" : "[5, 0, 0]"));
    CHECK(scene.world.properties().mass[0] == doctest::Approx(10 * 0.1 * std::numbers::pi * 0.25));
    CHECK(scene.world.properties().mass[1] == doctest::Approx(10 * 0.1 * 4.5));
    // the centroid is one third of the way along both axes of the plane
    const Vec3 p = scene.world.position(*scene.world.find("p"));
    const Vec3 expected = plane == std::string("xy")   ? Vec3(6, 1, 0)
                          : plane == std::string("xz") ? Vec3(6, 0, 1)
                                                       : Vec3(0, 6, 1);
    CHECK((p - expected).norm() < 1e-12);
  }
  check_rejected(body("shape = \"disk\"\nradius = 1\n"), 4, 1, "the run needs [run] planar");
}

TEST_CASE("shapes that are none say so") {
  check_rejected(body("shape = \"convex\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]\n"), 7, 12, "flat");
  check_rejected(body("shape = \"convex\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\n"), 7, 12, "four");
  check_rejected(body("shape = \"convex\"\nvertices = [[0, 0, 0], [1, nan, 0]]\n"), 7, 28, "NaN");
  check_rejected(body("shape = \"convex\"\nfile = \"none.obj\"\n"), 7, 8, "none.obj");
  check_rejected(body("shape = \"cylinder\"\nradius = 0.1\nlength = 1\n"), 8, 1, "only capsule has");
  check_rejected(body("shape = \"cone\"\nradius = 0.1\nheight = 0\n"), 8, 10, "(got 0)");
  check_rejected(body("shape = \"mesh\"\nfile = \"none.stl\"\nkind = \"fixed\"\n"), 7, 8, "none.stl");
  check_rejected(body("shape = \"height_field\"\nheights = [[0, 0], [0]]\ncell = 1\n"), 7, 20, "list of 2");
}

// ---- Joints ----

namespace {

const std::string kTwo =
    kRunLines + "[[body]]\nname = \"p\"\nshape = \"sphere\"\nradius = 0.1\n[[body]]\nname = \"q\"\nshape = \"sphere\"\n"
                "radius = 0.1\nposition = [1, 0, 0]\n[[joint]]\n";  // joints begin at line 13; keys at 14

}  // namespace

TEST_CASE("every type of joint can be written") {
  for (const char* joint : {"type = \"ball\"\nanchor = [0.5, 0, 0]\n", "type = \"fixed\"\nanchor = [0.5, 0, 0]\n",
                            "type = \"revolute\"\nanchor = [0.5, 0, 0]\naxis = [0, 1, 0]\n"
                            "turn = { lower = -30, upper = 60, friction = 0.1, motor_speed = 1, motor_limit = 5 }\n",
                            "type = \"prismatic\"\nanchor = [0.5, 0, 0]\naxis = [1, 0, 0]\n"
                            "slide = { lower = -1, upper = 1, restitution = 0.5, stiffness = 10, damping = 1 }\n",
                            "type = \"cylindrical\"\nanchor = [0.5, 0, 0]\naxis = [1, 0, 0]\n",
                            "type = \"planar\"\nanchor = [0.5, 0, 0]\naxis = [0, 0, 1]\n",
                            "type = \"distance\"\nlength = 1\n", "type = \"spring\"\nslide = { stiffness = 5, rest = 0.8 }\n"}) {
    INFO(joint);
    const Scene scene = scene_of(kTwo + "name = \"j\"\na = \"p\"\nb = \"q\"\n" + joint);
    CHECK(scene.world.joint_count() == 1);
    CHECK(scene.world.find_joint("j"));
  }
  // degrees in scenes, radians inside
  const Scene scene = scene_of(kTwo + "type = \"revolute\"\na = \"p\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n"
                                      "turn = { upper = 90, start = 45 }\n");
  CHECK(*scene.world.joints()[0].axis[kTurn].upper == doctest::Approx(90 * kDegree));
  CHECK(scene.world.joints()[0].bodies[1] == -1);
}

TEST_CASE("joints that make no sense are refused with their place") {
  const auto joint = [](const std::string& keys) { return kTwo + keys; };
  check_rejected(joint("type = \"bal\"\na = \"p\"\n"), 14, 8, "did you mean \"ball\"?");
  check_rejected(joint("type = \"ball\"\na = \"p\"\nb = \"p\"\nanchor = [0, 0, 0]\n"), 16, 5, "to itself");
  check_rejected(joint("type = \"ball\"\na = \"world\"\nanchor = [0, 0, 0]\n"), 13, 1, "both its ends are the world");
  check_rejected(joint("type = \"ball\"\na = \"r\"\nanchor = [0, 0, 0]\n"), 15, 5, "there is no body \"r\"");
  check_rejected(joint("type = \"ball\"\nanchor = [0, 0, 0]\n"), 13, 1, "\"a\" is missing");
  check_rejected(joint("type = \"ball\"\na = \"p\"\n"), 13, 1, "\"anchor\" is missing");
  check_rejected(joint("type = \"revolute\"\na = \"p\"\nanchor = [0, 0, 0]\naxis = [0, 0, 0]\n"), 17, 8, "zero vector");
  check_rejected(joint("type = \"ball\"\na = \"p\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n"), 17, 1, "has no axis");
  check_rejected(joint("type = \"distance\"\na = \"p\"\nb = \"q\"\nlength = 2\n"), 13, 1, "but its length is 2 m");
  check_rejected(joint("type = \"ball\"\na = \"p\"\nanchor = [0, 0, 0]\nslide = { lower = 1 }\n"), 13, 1, "no slide free");
  check_rejected(joint("type = \"prismatic\"\na = \"p\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\n"
                       "slide = { lower = 1, upper = -1 }\n"),
                 13, 1, "must be below the upper");
  check_rejected(joint("type = \"spring\"\na = \"p\"\nb = \"q\"\n"), 13, 1, "needs stiffness or damping");
  check_rejected(joint("type = \"ball\"\na = \"p\"\nanchor = [0, 0, 0]\nstifness = 3\n"), 17, 1, "unknown key");
}

TEST_CASE("joints that contradict each other are refused, with their names") {
  const std::string held = "name = \"held\"\ntype = \"fixed\"\na = \"p\"\nanchor = [0, 0, 0]\n";
  const std::string driven =
      "[[joint]]\nname = \"driven\"\ntype = \"revolute\"\na = \"p\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n"
      "turn = { motor_speed = 1 }\n";
  check_rejected(kTwo + held + driven, 18, 1, "no motion satisfies all of \"held\", \"driven\"");
  // two motors at odds, and two that agree
  const std::string again = driven;
  std::string other = driven;
  other.replace(other.find("driven"), 6, "second");
  CHECK(scene_of(kTwo + driven.substr(10) + other).world.joint_count() == 2);
  other.replace(other.find("speed = 1"), 9, "speed = 2");
  check_rejected(kTwo + driven.substr(10) + other, 20, 1, "\"driven\", \"second\"");
}

// ---- Structures ----

TEST_CASE("a group builds each kind of structure where it is told to") {
  const auto group = [](const std::string& keys) { return scene_of(kRunLines + "[[group]]\nname = \"s\"\n" + keys); };
  const Scene wall = group(
      "generator = \"wall\"\nlength = 1.2\ncourses = 6\nbrick = [0.24, 0.1, 0.1]\nbond = \"running\"\n"
      "position = [0, 0, 5]\nrotation = { axis = [0, 0, 1], angle = 90 }\ndensity = 1000\n"
      "[[group.opening]]\nacross = [0.4, 0.8]\nup = [0.2, 0.4]\n");
  double mass = 0, lowest = 1e9;
  for (const double m : wall.world.properties().mass) mass += m;
  for (const Vec3& x : wall.world.state().position) {
    lowest = std::min(lowest, x.z());
    CHECK(x.x() < 0.01);  // x of the wall became y of the world
    CHECK(x.y() > 0);
  }
  CHECK(mass == doctest::Approx(1000 * 0.1 * (1.2 * 0.6 - 0.4 * 0.2)));
  CHECK(lowest == doctest::Approx(5.05));

  const Scene arch = group("generator = \"arch\"\nradius = 2\nthickness = 0.3\nvoussoirs = 9\n");
  CHECK(arch.world.body_count() == 11);
  CHECK(arch.world.find("s[8]"));
  CHECK(arch.world.properties().kind[arch.world.find("s.support[1]")->index] == BodyKind::Fixed);
  CHECK(group("generator = \"dome\"\nradius = 2\nthickness = 0.3\nrings = 4\nvoussoirs = 12\n").world.body_count() ==
        4 * 12 + 1 + 12);
  CHECK(group("generator = \"column\"\nradius = [0.3, 0.25]\nheight = 3\ndrums = 5\nsides = 8\n").world.body_count() == 5);
  CHECK(group("generator = \"planks\"\nplanks = 12\nrings = 4\n").world.body_count() == 48);
  CHECK(group("generator = \"ashlar\"\nlength = 2\nheight = 1\n").world.body_count() > 10);
  CHECK(group("generator = \"dry_stone\"\nlength = 2\nheight = 1\nstone = 0.3\n").world.body_count() > 10);
}

TEST_CASE("structures reject what they cannot build, with the place") {
  const auto group = [](const std::string& keys) { return kRunLines + "[[group]]\n" + keys; };
  check_rejected(group("generator = \"wall\"\nlength = 1\ncourses = 2\nbond = \"runing\"\n"), 8, 8,
                 "did you mean \"running\"?");
  check_rejected(group("generator = \"wall\"\nlength = 1\n"), 4, 1, "\"courses\" is missing");
  check_rejected(group("generator = \"wall\"\nlength = 1\ncourses = 2\n[[group.opening]]\nacross = [0.5, 1.5]\n"
                       "up = [0, 0.1]\n"),
                 9, 10, "leaves the wall");
  check_rejected(group("generator = \"arch\"\nradius = 1\nthickness = 2\n"), 7, 13, "twice the radius");
  check_rejected(group("generator = \"arch\"\nradius = 1\nthickness = 0.1\nangle = 200\n"), 8, 9, "180");
  check_rejected(group("generator = \"dome\"\nradius = 1\nthickness = 0.1\nspringing = 80\noculus = 20\n"), 4, 1, "oculus");
  check_rejected(group("generator = \"arch\"\nradius = 1\nthickness = 0.2\nsupports = false\n"
                       "motion = { type = \"velocity\" }\n"),
                 9, 10, "no supports");
  check_rejected(group("generator = \"arhc\"\n"), 5, 13, "did you mean \"arch\"?");
}

TEST_CASE("records of the PEER database are read, and broken ones refused with the line") {
  const std::string head = "PEER\nsome place\nACCELERATION TIME SERIES IN UNITS OF G\n";
  const MotionTable table = parse_at2(head + "NPTS=   3, DT=   .0050 SEC\n  .1 -.2E+00\n 0.3\n", "q.AT2");
  REQUIRE(table.time.size() == 3);
  CHECK(table.time[2] == doctest::Approx(0.01));
  CHECK(table.acceleration[1] == doctest::Approx(-0.2 * 9.80665));
  CHECK(parse_at2(head + "    3    0.0100    NPTS, DT\n1 2 3\n", "q.at2").time[1] == 0.01);
  CHECK(parse_motion_file("0,1\n1,2\n", "q.csv").time.size() == 2);

  const auto refused = [&](const std::string& text, int line, const char* part) {
    try {
      parse_motion_file(text, "q.at2");
    } catch (const InputError& error) {
      INFO(std::string(error.what()));
      CHECK(error.place().line == line);
      CHECK(std::string(error.what()).find(part) != std::string::npos);
      return;
    }
    FAIL("accepted");
  };
  refused(head + "NPTS= many, DT= .005\n1 2\n", 4, "gives NPTS= and DT=");
  refused(head + "points 3\n1 2 3\n", 4, "gives NPTS= and DT=");
  refused(head + "NPTS= 3, DT= -1\n1 2 3\n", 4, "DT must be finite and > 0");
  refused(head + "NPTS= 4, DT= 0.1\n1 2 3\n", 4, "promises 4 points");
  refused(head + "NPTS= 3, DT= 0.1\n1 x 3\n", 5, "not a finite number");
  refused("PEER\nplace\nVELOCITY IN CM/S\nNPTS= 2, DT= 0.1\n1 2\n", 3, "UNITS OF G");
  refused("1 2\n", 0, "four header lines");
}

namespace {

// A stack of blocks of width b and height n * h on a table that tilts about the y axis.
std::string tilted_column(double friction, int drums, double rate) {
  return fmt::format(
      "[run]\nduration = 60\nstep = 2e-3\nactivation_margin = 1e-6\n"
      "[gravity]\ntilt = {{ axis = [0, 1, 0], rate = {} }}\n"
      "[material.stone]\nfriction = {}\n"
      "[[body]]\nname = \"table\"\nshape = \"half_space\"\nnormal = [0, 0, 1]\nmaterial = \"stone\"\n"
      "[[group]]\nname = \"column\"\ngenerator = \"wall\"\nbond = \"stack\"\nlength = 0.2\ncourses = {}\n"
      "brick = [0.2, 0.2, 0.25]\nmaterial = \"stone\"\n[interfaces]\nstop_at_collapse = true\n",
      rate, friction, drums);
}

}  // namespace

TEST_CASE("a column on a tilting table slides at the friction angle or overturns at its slenderness") {
  // 4 x 0.25 m high and 0.2 m wide: overturns at atan(0.2) = 11.3 degrees unless it slides first
  for (const double friction : {0.1, 0.5}) {
    Scene scene = scene_of(tilted_column(friction, 4, 0.5));
    const RunOutcome outcome = run_scene(scene, nullptr, {});
    CHECK(outcome.status.ends_with("collapsed"));
    const InterfaceMonitor& monitor = *scene.world.interfaces();
    REQUIRE(monitor.collapse());
    const double tilt = scene.world.forces().gravity.tilt(monitor.collapse()->onset);
    CHECK(std::tan(tilt) == doctest::Approx(std::min(friction, 0.2)).epsilon(0.03));
    const int foot = monitor.collapse()->mechanism.front();
    const InterfaceStatus expected = friction < 0.2 ? InterfaceStatus::Sliding : InterfaceStatus::Hinge;
    CHECK(monitor.interfaces()[static_cast<std::size_t>(foot)].status == expected);
    CHECK(monitor.interfaces()[static_cast<std::size_t>(foot)].body_a == 0);
  }
}

TEST_CASE("laws of single interfaces and a settling support") {
  const std::string two =
      kRunLines + "[[group]]\nname = \"w\"\ngenerator = \"wall\"\nbond = \"stack\"\nlength = 0.24\ncourses = 2\n";
  const Scene scene = scene_of(two + "[[interface]]\nbodies = [\"w[0]\", \"w[1]\"]\ncohesion = 1e4\n[interfaces]\n");
  CHECK(scene.world.bonds().size() == 1);
  CHECK(scene.world.bonds()[0].area == doctest::Approx(0.24 * 0.115));
  CHECK(scene.world.interfaces()->interfaces()[0].bonded);
  check_rejected(two + "[[interface]]\nbodies = [\"w[0]\", \"w[0]\"]\n", 11, 10, "with itself");
  check_rejected(two + "[[interface]]\nbodies = [\"w[0]\", \"w[7]\"]\n", 11, 19, "there is no body");
  check_rejected(two + "[[interface]]\nbodies = [\"w[0]\"]\n", 11, 10, "list of 2");
  check_rejected(two + "[interfaces]\nmargn = 1\n", 11, 1, "did you mean \"margin\"?");

  Scene arch = scene_of(
      kRunLines + "[[group]]\nname = \"a\"\ngenerator = \"arch\"\nradius = 1\nthickness = 0.3\nvoussoirs = 5\n"
                  "motion = [{ type = \"settlement\", displacement = [0, 0, 0], over = 1 },\n"
                  "{ type = \"settlement\", displacement = [0.01, 0, -0.02], from = 0.2, over = 0.5 }]\n");
  const BodyId right = *arch.world.find("a.support[1]");
  const Vec3 start = arch.world.position(right);
  for (int i = 0; i < 100; ++i) arch.world.step(0.01);
  CHECK((arch.world.position(right) - start - Vec3(0.01, 0, -0.02)).norm() < 1e-12);
  CHECK(arch.world.velocity(right).norm() < 1e-12);
}

// ---- Run files ----

namespace {

// A bonded pier on a shaken base with a pendulum beside it: joints, bonds and interfaces in one scene.
const std::string kEverything =
    "[run]\nduration = 0.4\nstep = 2e-3\nactivation_margin = 1e-6\n"
    "[material.stone]\nfriction = 0.6\ncohesion = 8e3\ntensile_strength = 4e3\n"
    "[[body]]\nname = \"base\"\nshape = \"box\"\nsize = [3, 3, 0.2]\nposition = [0, 0, -0.1]\nmaterial = \"stone\"\n"
    "motion = { type = \"harmonic\", direction = [1, 0, 0], amplitude = 0.03, frequency = 2, phase = 1.5707963267948966 }\n"
    "[[group]]\nname = \"pier\"\ngenerator = \"wall\"\nbond = \"stack\"\nlength = 0.2\ncourses = 4\n"
    "brick = [0.2, 0.2, 0.2]\nmaterial = \"stone\"\n"
    "[[body]]\nname = \"bob\"\nshape = \"sphere\"\nradius = 0.1\nposition = [0, 2, 3]\n"
    "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"bob\"\nanchor = [-1, 2, 3]\naxis = [0, 1, 0]\n"
    "turn = { friction = 0.5, lower = -90, upper = 90 }\n"
    "[interfaces]\n[output]\nframe_every = 7\ncheckpoint_every = 30\n";

std::vector<double> all_values(const std::string& file) {
  const RunReader run(file);
  std::vector<double> values;
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    for (const Vec3& x : run.frame(f).position) values.insert(values.end(), x.data(), x.data() + 3);
    for (const JointFrame& j : run.joints(f))
      values.insert(values.end(), {j.force.x(), j.force.z(), j.torque.y(), j.turn.position, j.turn.friction, j.error});
    for (const InterfaceFrame& i : run.interfaces(f))
      values.insert(values.end(), {double(i.status), i.opening, i.sliding, i.normal_force, i.shear_force,
                                   i.eccentricity, i.thrust_point.x(), i.bonded ? 1.0 : 0.0});
  }
  const CollapseRecord found = run.collapse();
  values.insert(values.end(), {found.peak_base_shear, found.peak_time});
  if (found.collapse) values.insert(values.end(), {found.collapse->time, found.collapse->onset});
  return values;
}

}  // namespace

TEST_CASE("a resumed run with joints, bonds and interfaces has the same bits as one never stopped") {
  const TemporaryFolder folder;
  {
    Scene scene = scene_of(kEverything);
    RunWriter writer = RunWriter::create(folder / "whole.h5", scene, false);
    run_scene(scene, &writer, {});
    CHECK(scene.world.last_report().broken_bonds > 0);
  }
  for (const std::int64_t half : {11, 97}) {
    const std::string file = folder / fmt::format("half{}.h5", half);
    {
      Scene scene = scene_of(kEverything);
      RunWriter writer = RunWriter::create(file, scene, false);
      RunLoopOptions options;
      options.last_step = half;
      run_scene(scene, &writer, options);
    }
    Scene scene = scene_of(kEverything);
    RunWriter writer = RunWriter::resume(file, scene);
    run_scene(scene, &writer, {});
    CHECK(all_values(file) == all_values(folder / "whole.h5"));
  }
}

TEST_CASE("a run file tells of joints and interfaces what the world knew") {
  const TemporaryFolder folder;
  Scene scene = scene_of(kEverything);
  {
    RunWriter writer = RunWriter::create(folder / "run.h5", scene, false);
    run_scene(scene, &writer, {});
  }
  const RunReader run(folder / "run.h5");
  REQUIRE(run.joints().size() == 1);
  CHECK(run.joints()[0].name == "pin");
  CHECK(run.joints()[0].body_b == -1);
  const JointRecord joint = scene.world.joint_record(*scene.world.find_joint("pin"));
  const JointFrame last = run.joints(run.frame_count() - 1)[0];
  CHECK(last.force == joint.force);
  CHECK(last.turn.position == joint.turn.position);
  REQUIRE(run.interfaces().size() == 4);
  CHECK(run.interfaces()[1].area == doctest::Approx(0.04));
  // the foot carries the pier, which has hardly begun to rock
  const double weight = 4 * 8 * 9.81;
  CHECK(run.interfaces(1)[0].normal_force == doctest::Approx(weight).epsilon(0.05));
  const RunDiagnostics d = run.diagnostics();
  CHECK(d.support_reaction.size() == 3 * d.step.size());
  CHECK(d.broken_bonds.back() == scene.world.last_report().broken_bonds);
}
