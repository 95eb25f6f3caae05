#include "io/generators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "io/motion_table.h"

using namespace carom;

namespace {

double nearest_distance(const std::vector<Vec3>& positions) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, (positions[i] - positions[j]).norm());
  return nearest;
}

// Neighbours at the nearest distance, of the body that has most of them.
int coordination(const std::vector<Vec3>& positions, double d) {
  int most = 0;
  for (const Vec3& a : positions) {
    int neighbours = -1;
    for (const Vec3& b : positions) neighbours += (a - b).norm() < d * (1 + 1e-9) ? 1 : 0;
    most = std::max(most, neighbours);
  }
  return most;
}

InputError table_error(const std::string& text) {
  try {
    parse_motion_table(text, "quake.csv");
  } catch (const InputError& error) {
    return error;
  }
  FAIL("the table was accepted: " << text);
  return InputError("accepted");
}

}  // namespace

TEST_CASE("each packing has its nearest distance and its number of neighbours") {
  struct Expected {
    Packing packing;
    int neighbours;
    std::int64_t bodies;
  };
  for (const Expected& e : {Expected{Packing::Cubic, 6, 125}, Expected{Packing::Hexagonal, 12, 125},
                            Expected{Packing::Fcc, 12, 500}, Expected{Packing::Bcc, 8, 250}}) {
    LatticeSpec spec;
    spec.counts = {5, 5, 5};
    spec.spacing = Vec3::Constant(0.3);
    spec.origin = Vec3(1, 2, 3);
    spec.packing = e.packing;
    const std::vector<Vec3> positions = lattice_positions(spec, {});
    CHECK(lattice_size(spec) == e.bodies);
    CHECK(static_cast<std::int64_t>(positions.size()) == e.bodies);
    CHECK(positions[0] == spec.origin);
    CHECK(nearest_distance(positions) == doctest::Approx(0.3).epsilon(1e-12));
    CHECK(coordination(positions, 0.3) == e.neighbours);
  }
}

TEST_CASE("jitter stays within its bound, repeats with its seed and differs between seeds and groups") {
  LatticeSpec spec;
  spec.counts = {6, 5, 4};
  const std::vector<Vec3> regular = lattice_positions(spec, {});
  spec.jitter = 0.1;
  spec.jitter_axes = Vec3(1, 1, 0);
  const std::vector<Vec3> one = lattice_positions(spec, {7, 0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK((one[i] - regular[i]).cwiseAbs().maxCoeff() <= 0.1);
    CHECK(one[i].z() == regular[i].z());
  }
  CHECK(one == lattice_positions(spec, {7, 0}));
  CHECK(one != lattice_positions(spec, {8, 0}));
  CHECK(one != lattice_positions(spec, {7, 1}));
}

TEST_CASE("a body's random place does not depend on how many bodies follow") {
  LatticeSpec spec;
  spec.jitter = 0.1;
  spec.counts = {4, 4, 2};
  const std::vector<Vec3> few = lattice_positions(spec, {3, 0});
  spec.counts = {4, 4, 5};
  const std::vector<Vec3> many = lattice_positions(spec, {3, 0});
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  CHECK(random_radii(10, 1, 2, {3, 0})[9] == random_radii(1000, 1, 2, {3, 0})[9]);
}

TEST_CASE("beads of a chain touch: the gap is zero to rounding, or what was asked for") {
  const std::vector<double> radii = {0.02, 0.01, 0.05, 0.003, 0.02};
  const Vec3 direction = Vec3(1, 2, -2) / 3.0;
  for (const double gap : {0.0, 1e-4}) {
    const std::vector<Vec3> beads = chain_positions(radii, Vec3(1, 0, 0), direction, gap);
    REQUIRE(beads.size() == radii.size());
    CHECK(beads[0] == Vec3(1, 0, 0));
    for (std::size_t i = 1; i < beads.size(); ++i) {
      const double found = (beads[i] - beads[i - 1]).norm() - radii[i] - radii[i - 1];
      CHECK(std::abs(found - gap) < 4e-16);
    }
  }
}

TEST_CASE("random grains stay in their box, never overlap and keep their gap") {
  RandomSpec spec;
  const GroupSeed seed{42, 3};
  spec.radii = random_radii(2000, 0.02, 0.06, seed);
  spec.low = Vec3(-1, -1, 0);
  spec.high = Vec3(1, 1, 1);
  spec.gap = 0.005;
  const RandomPlaces places = random_positions(spec, seed);
  REQUIRE(places.complete());
  for (std::size_t i = 0; i < spec.radii.size(); ++i) {
    CHECK((places.positions[i] - spec.low).minCoeff() >= spec.radii[i]);
    CHECK((spec.high - places.positions[i]).minCoeff() >= spec.radii[i] * (1 - 1e-12));
    for (std::size_t j = 0; j < i; ++j)
      REQUIRE((places.positions[i] - places.positions[j]).norm() >=
              (spec.radii[i] + spec.radii[j] + spec.gap) * (1 - 1e-12));
  }
  CHECK(places.positions == random_positions(spec, seed).positions);
  CHECK(places.positions != random_positions(spec, {43, 3}).positions);
}

TEST_CASE("random grains in a flat box lie in its plane, and a huge sparse box costs no memory") {
  RandomSpec spec;
  spec.radii.assign(500, 0.01);
  spec.low = Vec3(-1e6, 0.5, -1e6);
  spec.high = Vec3(1e6, 0.5, 1e6);
  const RandomPlaces places = random_positions(spec, {});
  REQUIRE(places.complete());
  for (const Vec3& p : places.positions) CHECK(p.y() == 0.5);
}

TEST_CASE("grains that do not fit are counted") {
  RandomSpec spec;
  spec.radii.assign(1000, 0.1);
  spec.low = Vec3::Zero();
  spec.high = Vec3::Ones();
  spec.attempts = 200;
  const RandomPlaces places = random_positions(spec, {});
  CHECK_FALSE(places.complete());
  CHECK(places.placed > 20);   // random packing reaches some 0.3 of the volume here
  CHECK(places.placed < 125);  // what a cubic lattice would hold
}

TEST_CASE("a motion table takes headers, comments and any usual separator") {
  const std::string texts[] = {"0,1\n0.5,-2\n1,3\n", "time,acc\n0,1\n0.5,-2\n1,3",
                               "# recorded\n\nt;a\r\n0;1\r\n0.5;-2 # peak\r\n1;3\r\n", "  0\t+1\n 5e-1  -2.0\n1 3\n",
                               "\xEF\xBB\xBFt, a\n0, 1\n0.5, -2\n1, 3\n"};
  for (const std::string& text : texts) {
    INFO(text);
    const MotionTable table = parse_motion_table(text, "quake.csv");
    CHECK(table.time == std::vector<double>{0, 0.5, 1});
    CHECK(table.acceleration == std::vector<double>{1, -2, 3});
  }
}

TEST_CASE("a bad motion table is rejected at its own line and column") {
  struct Bad {
    const char* text;
    int line, column;
    const char* part;
  };
  const Bad list[] = {
      {"0,1\n0.5,x\n", 2, 5, "acceleration is not a number"},
      {"t,a\n0,1\n0,2\n", 3, 1, "time must increase"},
      {"0,1\n1,nan\n", 2, 3, "must be finite"},
      {"0,1,2\n", 1, 1, "two columns"},
      {"0,1\n2\n", 2, 1, "two columns"},
      {"0,1\n1,,2\n", 2, 1, "two columns"},
      {"-1,1\n0,2\n", 1, 1, "must be >= 0"},
      {"t,a\nt,a\n0,1\n", 2, 1, "not a number"},
      {"0,1\n", 0, 0, "at least two rows"},
      {"", 0, 0, "at least two rows"},
      {"0,1\n1,1e999\n", 2, 3, "not a number"},
  };
  for (const Bad& bad : list) {
    const InputError error = table_error(bad.text);
    INFO(std::string(error.what()));
    CHECK(error.place().file == "quake.csv");
    CHECK(error.place().line == bad.line);
    CHECK(error.place().column == bad.column);
    CHECK(std::string(error.what()).find(bad.part) != std::string::npos);
  }
}
