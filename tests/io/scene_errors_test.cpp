// Scenes that are wrong: the message names file, line, column and what would be right.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "scene_text.h"

using namespace carom;
using namespace std::string_literals;

namespace {

std::string run_with(const std::string& line) { return "[run]\nduration = 1.0\nstep = 0.01\n" + line + "\n"; }

std::string read_error(const std::filesystem::path& file) {
  try {
    read_scene(file);
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("the file was accepted");
  return {};
}

}  // namespace

TEST_CASE("unknown keys and sections suggest the nearest") {
  check_rejected(kRunLines + "[[body]]\nshape = \"sphere\"\nraduis = 0.1\n", 6, 1, "did you mean \"radius\"?");
  check_rejected(kRunLines + kBall + "  colour = \"red\"\n", 8, 3, "valid here: name, shape, material, radius");
  check_rejected(kRunLines + kBall + "[grvity]\nramp = 1\n", 8, 2, "did you mean \"gravity\"?");
  check_rejected(run_with("ovrelap_tolerance = 1") + kBall, 4, 1, "did you mean \"overlap_tolerance\"?");
  check_rejected(kRunLines + kBall + "[output]\nframe_evry = 3\n", 9, 1, "did you mean \"frame_every\"?");
  check_rejected(kRunLines + kBall + "[solver]\ntolerence = 3\n", 9, 1, "did you mean \"tolerance\"?");
  check_rejected(kRunLines + kBall + "[solver]\nname = \"nsg\"\n", 9, 8, "did you mean \"nsgs\"?");
  check_rejected(kRunLines + kBall + "[impact]\nlaw = \"lzbb\"\n", 9, 7, "did you mean \"lzb\"?");
  check_rejected(kRunLines + "[[group]]\ngenerator = \"latice\"\n", 5, 13, "did you mean \"lattice\"?");
  check_rejected(kRunLines + "[[body]]\nshape = \"spere\"\n", 5, 9, "did you mean \"sphere\"?");
}

TEST_CASE("keys of another shape say so") {
  check_rejected(kRunLines + kBall + "size = [1, 1, 1]\n", 8, 1, "a sphere has no size");
  check_rejected(kRunLines + kBall + "[[body]]\nshape = \"half_space\"\nnormal = [0, 0, 1]\nradius = 1\n", 11, 1,
                 "no radius");
}

TEST_CASE("wrong types name expected and found") {
  check_rejected(kRunLines + "[[body]]\nshape = \"sphere\"\nradius = \"big\"\n", 6, 10,
                 "expected a number, found a text");
  check_rejected(run_with("seed = 1.5") + kBall, 4, 8, "expected an integer, found a real number");
  check_rejected(kRunLines + kBall + "position = [1, 2]\n", 8, 12, "expected a list of 3 numbers, found a list of 2");
  check_rejected(run_with("projection = 3") + kBall, 4, 14, "expected true, false or a table");
  check_rejected(kRunLines + "[body]\nshape = \"sphere\"\n", 4, 1, "[[body]]");
}

TEST_CASE("values out of range are shown") {
  check_rejected(kRunLines + "[[body]]\nshape = \"sphere\"\nradius = -0.1\n", 6, 10, "(got -0.1)");
  check_rejected(kRunLines + kBall + "mass = -2\n", 8, 8, "must be > 0 (got -2)");
  check_rejected(kRunLines + kBall + "density = 0\n", 8, 11, "must be > 0");
  check_rejected(kRunLines + kBall + "position = [0, nan, 0]\n", 8, 16, "NaN");
  check_rejected(kRunLines + kBall + "velocity = [0, 0, inf]\n", 8, 19, "infinity");
  check_rejected(kRunLines + "[material.a]\nrestitution = 1.5\n" + kBall, 5, 15, "in [0, 1]");
  check_rejected(kRunLines + "[material.a]\nfriction = -1\n" + kBall, 5, 12, ">= 0");
  check_rejected(run_with("theta = 0.3") + kBall, 4, 9, "in [0.5, 1]");
  check_rejected(kRunLines + kBall + "[solver]\nmax_iterations = 0\n", 9, 18, "must be in");
  check_rejected(kRunLines + kBall + "[solver]\nmeasure = \"metres\"\n", 9, 11, "valid here: natural_map, velocity");
}

TEST_CASE("absurd steps are rejected") {
  const auto step = [](const std::string& value) { return "[run]\nduration = 1.0\nstep = " + value + "\n" + kBall; };
  check_rejected(step("0"), 3, 8, "must be > 0");
  check_rejected(step("-1e-3"), 3, 8, "must be > 0");
  check_rejected(step("nan"), 3, 8, "NaN");
  check_rejected(step("inf"), 3, 8, "infinity");
  check_rejected(step("2"), 3, 8, "longer than the run");
  check_rejected(step("1e-10"), 3, 8, "at most 1e9");
  check_rejected(step("1e-300"), 3, 8, "absurdly small");
  check_rejected("[run]\nduration = -1\nstep = 0.1\n" + kBall, 2, 12, "must be > 0");
  check_rejected("[run]\nstep = 0.1\n" + kBall, 1, 1, "\"duration\" is missing");
}

TEST_CASE("rotations and inertias that are none are rejected") {
  check_rejected(kRunLines + kBall + "orientation = [0, 0, 0, 0]\n", 8, 15, "not a rotation");
  check_rejected(kRunLines + kBall + "orientation = [1, 0, 0]\n", 8, 15, "list of 4 numbers");
  check_rejected(kRunLines + kBall + "euler = [0, 0, 0]\norientation = [1, 0, 0, 0]\n", 8, 1, "not both");
  check_rejected(kRunLines + kBall + "rotation = { axis = [0, 0, 0], angle = 3 }\n", 8, 21, "zero vector");
  check_rejected(kRunLines + kBall + "mass = 1\ndensity = 2\n", 8, 1, "either \"density\" or \"mass\"");
  check_rejected(kRunLines + kBall + "inertia = [1, 1, 3]\n", 8, 11, "no body has these principal moments");
  check_rejected(kRunLines + kBall + "inertia = [1, -1, 1]\n", 8, 15, "must be > 0");
  check_rejected(kRunLines + kBall + "inertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]\n", 8, 11, "symmetric");
  check_rejected(kRunLines + kBall + "inertia = [[1, 2, 0], [2, 1, 0], [0, 0, 1]]\n", 8, 11, "positive definite");
}

TEST_CASE("unknown materials and bodies suggest the nearest") {
  const std::string steel = "[material.steel]\nfriction = 0.1\n";
  check_rejected(kRunLines + steel + kBall + "material = \"stel\"\n", 10, 12, "did you mean \"steel\"?");
  check_rejected(kRunLines + steel + "[[contact_pair]]\nmaterials = [\"steel\", \"wood\"]\n" + kBall, 7, 23,
                 "unknown material \"wood\"; valid here: default, steel");
  check_rejected(kRunLines + steel + "[[contact_pair]]\nmaterials = [\"steel\"]\n" + kBall, 7, 13, "2 material names");
  check_rejected(kRunLines + kBall + "[[load]]\nbody = \"bal\"\nforce = [1, 0, 0]\n", 9, 8, "did you mean \"ball\"?");
  check_rejected(kRunLines + kBall + "[[load]]\nbody = \"ball\"\n", 8, 1, "force or a torque");
  check_rejected(kRunLines + "[material.default]\nfriction = 1\n" + kBall, 4, 1, "built-in");
}

TEST_CASE("names are used once") {
  check_rejected(kRunLines + kBall + "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 1\n", 9, 8,
                 "since line 5");
}

TEST_CASE("kinds and motions that contradict each other are rejected") {
  const std::string floor =
      "[[body]]\nshape = \"half_space\"\nnormal = [0, 0, 1]\nposition = [0, 0, -9]\n";  // lines 8-11
  check_rejected(kRunLines + kBall + floor + "kind = \"dynamic\"\n", 12, 8, "cannot be dynamic");
  check_rejected(kRunLines + kBall + "motion = { type = \"velocity\" }\nkind = \"dynamic\"\n", 8, 1,
                 "only a kinematic body");
  check_rejected(kRunLines + kBall + "kind = \"fixed\"\nvelocity = [1, 0, 0]\n", 9, 1, "does not move");
  check_rejected(kRunLines + kBall + floor + "motion = { type = \"spline\" }\n", 12, 19,
                 "valid here: velocity, harmonic, acceleration");
  check_rejected(
      kRunLines + kBall + floor + "motion = { type = \"acceleration\", direction = [1,0,0], file = \"no.csv\" }\n", 12,
      63, "no such file");
  check_rejected(kRunLines + kBall + floor +
                     "motion = { type = \"acceleration\", direction = [1,0,0], table = [[0, 1], [0, 2]] }\n",
                 12, 73, "time must increase");
  check_rejected(kRunLines + kBall + "[[body]]\nshape = \"half_space\"\nnormal = [0, 0, 0]\n", 10, 10, "zero vector");
  check_rejected(kRunLines + kBall + "[[body]]\nshape = \"plane\"\n", 8, 1, "\"normal\" is missing");
}

TEST_CASE("a planar run rejects what leaves its plane") {
  check_rejected(run_with("planar = \"xy\"\ngravity = 1") + kBall, 5, 1, "unknown key");
  check_rejected(run_with("planar = \"xy\"\n[gravity]\nacceleration = [0, 0, -9.81]") + kBall, 6, 16,
                 "out of the plane");
  check_rejected(run_with("planar = \"xy\"") + kBall + "velocity = [0, 0, 1]\n", 5, 1, "plane of motion");
}

TEST_CASE("scenes without bodies, or with nothing that moves") {
  check_rejected(kRunLines, 0, 0, "no bodies");
  check_rejected(kRunLines + kBall + "kind = \"fixed\"\n", 0, 0, "no dynamic body");
  check_rejected("", 0, 0, "empty");
  check_rejected("# only a comment\n", 0, 0, "empty");
  check_rejected(kBall, 0, 0, "[run] is missing");
}

TEST_CASE("an overlapping start names the deepest pair, its depth and the way out") {
  const std::string text = kRunLines + kBall +
                           "[[body]]\nname = \"near\"\nshape = \"sphere\"\nradius = 0.1\nposition = [0.19, 0, 0]\n"
                           "[[body]]\nname = \"nearer\"\nshape = \"sphere\"\nradius = 0.1\nposition = [-0.15, 0, 0]\n";
  check_rejected(text, 13, 1, "\"ball\" and \"nearer\" overlap at the start by 0.05 m");
  check_rejected(text, 13, 1, "overlap_tolerance = 0.055");
}

TEST_CASE("boxes that overlap at the start are refused by name") {
  const std::string box = "shape = \"box\"\nsize = [1, 1, 1]\n";
  const std::string pair = "[[body]]\nname = \"a\"\n" + box + "[[body]]\nname = \"b\"\nposition = [0.9, 0, 0]\n" + box;
  CHECK_THROWS_WITH_AS(parse_scene(kRunLines + pair, "scene.toml", "."), doctest::Contains("\"a\" and \"b\" overlap at the start by 0.1 m"),
                       InputError);
}

TEST_CASE("groups reject what they cannot make") {
  const auto group = [](const std::string& rest) { return kRunLines + "[[group]]\nradius = 0.1\n" + rest; };
  check_rejected(group("generator = \"lattice\"\ncounts = [2, 0, 2]\nspacing = 1\n"), 7, 14, "[1, 10000000]");
  check_rejected(group("generator = \"lattice\"\ncounts = [1000, 1000, 1000]\nspacing = 1\n"), 7, 10, "1e+09 bodies");
  check_rejected(group("generator = \"lattice\"\ncounts = [2, 2, 2]\npacking = \"fcc\"\nspacing = [1, 1, 1]\n"), 9, 11,
                 "one number");
  check_rejected(group("generator = \"random\"\ncount = 5000\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nattempts = 50\n"), 4, 1,
                 "of 5000 bodies found a place");
  check_rejected(group("generator = \"random\"\ncount = 5\nmin = [0, 0, 0]\nmax = [1, 1, 0.1]\n"), 9, 7, "too narrow");
  check_rejected(group("generator = \"random\"\ncount = 5\nmin = [0, 0, 0]\nmax = [-1, 1, 1]\n"), 9, 7, "below min");
  check_rejected(group("generator = \"grid\"\ncounts = [2, 2]\nspacing = 1\nvelocity_first = [1, 0, 0]\n"), 9, 1,
                 "only a chain");
  check_rejected(group("generator = \"lattice\"\ncounts = [2, 1, 1]\nspacing = 0.15\n"), 4, 1, "overlap");
}

TEST_CASE("frames are counted one way only") {
  check_rejected(kRunLines + kBall + "[output]\nframe_every = 2\nframes_per_second = 10\n", 10, 1, "not both");
}

TEST_CASE("files that are missing, folders, empty or binary") {
  const std::filesystem::path folder = std::filesystem::path(CAROM_BINARY_DIR) / "scene_errors_files";
  std::filesystem::create_directories(folder);
  CHECK(read_error(folder / "none.toml").find("no such file") != std::string::npos);
  CHECK(read_error(folder).find("is a folder") != std::string::npos);
  std::ofstream(folder / "empty.toml").flush();
  CHECK(read_error(folder / "empty.toml").find("empty") != std::string::npos);
  std::ofstream(folder / "binary.toml", std::ios::binary) << "\x89HDF\r\n\x1a\n\0\0\xff\xfe garbage"s;
  CHECK(read_error(folder / "binary.toml").find("not valid TOML") != std::string::npos);
  std::filesystem::remove_all(folder);
}
