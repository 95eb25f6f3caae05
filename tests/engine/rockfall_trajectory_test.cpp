// One block over a terrain, against closed forms.
#include <doctest/doctest.h>

#include <numbers>

#include "rockfall_grounds.h"

using namespace carom;
using namespace carom::rockfall;

namespace {

constexpr double kG = 9.81;

double sphere_radius(double volume) { return std::cbrt(0.75 * volume / std::numbers::pi); }

// A line across the slope at map distance x.
Barrier gate(double x) { return {"gate", {{x, 0}, {x, 60}}}; }

}  // namespace

TEST_CASE("a ball rolls down an incline at 5/7 g sin(angle), or slides where friction is short") {
  for (const double friction : {0.8, 0.1}) {
    const double angle = 0.5;
    Study study = ground::study_on(ground::incline(angle), {.name = "rock", .friction = friction, .restitution = 0});
    study.barriers = {gate(60), gate(200)};
    const TrajectoryRecord record = ground::run(study)[0];
    CHECK(record.summary.reason == StopReason::LeftMap);
    REQUIRE(record.crossings.size() == 2);
    // tan(angle) <= 7 mu / 2: rolls (VALIDATION 5)
    const bool rolls = std::tan(angle) <= 3.5 * friction;
    const double a = rolls ? 5.0 / 7 * kG * std::sin(angle) : kG * (std::sin(angle) - friction * std::cos(angle));
    for (const Crossing& c : record.crossings) {
      // From rest at x = 10: v^2 = 2 a s
      const double way = (c.position.x() - 10) / std::cos(angle);
      const double speed = std::sqrt(2 * a * way);
      CHECK(c.velocity.norm() == doctest::Approx(speed).epsilon(1e-3));
      CHECK(c.time == doctest::Approx(speed / a).epsilon(2e-3));
      const double spin =
          rolls ? speed / sphere_radius(1) : 2.5 * friction * kG * std::cos(angle) * c.time / sphere_radius(1);
      CHECK(c.angular_velocity.norm() == doctest::Approx(spin).epsilon(3e-3));
      CHECK(c.height == doctest::Approx(sphere_radius(1) / std::cos(angle)).epsilon(1e-3));
    }
  }
}

TEST_CASE("a slab slides down an incline at g (sin - mu cos), or stays") {
  const double angle = 0.5, friction = 0.4;
  Study study = ground::study_on(ground::incline(angle), {.name = "rock", .friction = friction, .restitution = 0});
  study.kinds[0] = {.name = "slab", .form = BlockForm::Box, .proportions = Vec3(2, 2, 0.5)};
  study.releases[0].orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  study.barriers = {gate(200)};
  TrajectoryRecord record = ground::run(study)[0];
  REQUIRE(record.crossings.size() == 1);
  const double a = kG * (std::sin(angle) - friction * std::cos(angle));
  const Crossing& c = record.crossings[0];
  CHECK(c.velocity.norm() == doctest::Approx(std::sqrt(2 * a * (c.position.x() - 10) / std::cos(angle))).epsilon(1e-3));

  // mu > tan(angle): stays, and says so.
  study.ground.classes[0].friction = 0.6;
  record = ground::run(study)[0];
  CHECK(record.summary.reason == StopReason::AtRest);
  CHECK(record.summary.runout() < 1e-4);
}

TEST_CASE("a ball's oblique impact sticks or slips as in closed form") {
  for (const double friction : {0.9, 0.1})
    for (const double e : {0.0, 0.5}) {
      const double height = 5, vx = 6;
      auto flat = ground::field(101, 31, 2, [](double, double) { return 0.0; });
      Study study = ground::study_on(flat, {.name = "rock", .friction = friction, .restitution = e});
      study.releases[0].velocity = Vec3(vx, 0, 0);
      study.releases[0].least_height = study.releases[0].most_height = height;
      study.releases[0].orientation = Quat::Identity();
      const double vn = std::sqrt(2 * kG * height), fall = vn / kG;
      study.barriers = {gate(10 + vx * fall + 0.5)};
      study.simulation.time_limit = 5;
      const TrajectoryRecord record = ground::run(study)[0];
      REQUIRE(record.crossings.size() == 1);
      // VALIDATION 6: sticks iff |v_t| <= 7/2 mu (1 + e) |v_n| and leaves with 5/7 v_t, else loses mu (1 + e) |v_n|
      const bool sticks = vx <= 3.5 * friction * (1 + e) * vn;
      const double after = sticks ? 5.0 / 7 * vx : vx - friction * (1 + e) * vn;
      INFO("friction ", friction, ", e ", e);
      // Resting on the ground afterwards a slipping ball is still braked by mu g.
      const double on_ground = e > 0 || sticks ? 0 : friction * kG * 0.5 / after;
      CHECK(record.crossings[0].velocity.x() == doctest::Approx(after).epsilon(2e-3 + on_ground / after));
      if (e > 0) {
        const double t = record.crossings[0].time - fall;
        CHECK(record.crossings[0].velocity.z() == doctest::Approx(e * vn - kG * t).epsilon(2e-3));
      }
    }
}

TEST_CASE("the restitution of an impact falls with its speed and energy") {
  const GroundClass g{.name = "soil", .restitution = 0.5, .restitution_speed = 9.144, .restitution_energy = 1e4};
  CHECK(g.restitution_at(0, 1000) == 0.5);
  CHECK(g.restitution_at(9.144, 1e-9) == doctest::Approx(0.25));
  CHECK(g.restitution_at(1e-3, 2e10) == doctest::Approx(0.25).epsilon(1e-6));
  // A ball dropped on it rises by e(v)^2 h.
  auto flat = ground::field(31, 31, 2, [](double, double) { return 0.0; });
  Study study = ground::study_on(flat, {.name = "soil", .restitution = 0.6, .restitution_speed = 9.144});
  study.releases[0].least_height = study.releases[0].most_height = 8;
  study.simulation.time_limit = 2.2;
  study.simulation.record.path_interval = 0.002;
  study.simulation.record.most_points = 5000;
  const TrajectoryRecord record = ground::run(study)[0];
  const double v = std::sqrt(2 * kG * 8), e = study.ground.classes[0].restitution_at(v, record.summary.mass);
  double top = 0;
  for (const PathPoint& p : record.path)
    if (p.time > v / kG + 0.01 && p.time < v / kG + 0.01 + 1.9 * e * v / kG) top = std::max(top, p.position.z());
  CHECK(top - sphere_radius(1) == doctest::Approx(8 * e * e).epsilon(3e-3));
}

TEST_CASE("scarring brakes a sliding block as its law says") {
  // Flat, no friction: dv/dt = -k v, so that the way is v0/k (1 - exp(-k t)).
  auto flat = ground::field(101, 31, 2, [](double, double) { return 0.0; });
  Study study = ground::study_on(flat, {.name = "mud", .friction = 0, .restitution = 0, .drag_linear = 0.5});
  study.kinds[0] = {.name = "slab", .form = BlockForm::Box, .proportions = Vec3(2, 2, 0.5)};
  study.releases[0].orientation = Quat::Identity();
  study.releases[0].velocity = Vec3(10, 0, 0);
  study.simulation.time_limit = 2;
  study.simulation.step = 1e-3;  // the drag of a step is of first order in it: 5e-3 s leaves 0.4 %
  const TrajectoryRecord record = ground::run(study)[0];
  CHECK(record.summary.runout() == doctest::Approx(10 / 0.5 * (1 - std::exp(-1.0))).epsilon(2e-3));
}

TEST_CASE("a block at rest on a bumpy slope below the friction angle stays") {
  RandomStream random(9, 3);
  const auto bumpy =
      ground::field(31, 31, 0.5, [&](double x, double) { return 0.25 * (15 - x) + random.uniform(0, 0.05); });
  Study study = ground::study_on(bumpy, {.name = "rock", .friction = 0.7, .restitution = 0.3});
  study.kinds[0] = {.name = "slab", .form = BlockForm::Box, .proportions = Vec3(2, 2, 0.7), .volume = {.median = 2}};
  study.releases[0].points = {{7, 7}};
  study.releases[0].orientation = Quat(Eigen::AngleAxisd(std::atan(0.25), Vec3::UnitY()));
  study.simulation.rest_time = 20;  // looked at for so long
  const TrajectoryRecord record = ground::run(study)[0];
  CHECK(record.summary.reason == StopReason::AtRest);
  CHECK(record.summary.runout() < 0.05);  // it settles onto its corners
  CHECK(record.summary.time < 22);
}

TEST_CASE("a stem turns a block away, or breaks and takes what it can") {
  auto flat = ground::field(31, 31, 2, [](double, double) { return 0.0; });
  for (const double diameter : {0.15, 1.0}) {
    Study study = ground::study_on(flat, {.name = "rock", .friction = 0, .restitution = 0});
    study.ground.forest.stems = {{{20, 30}, diameter, 20}};
    study.ground.forest.friction = 0;
    study.ground.forest.restitution = 0;
    study.ground.forest.build(*flat);
    study.releases[0].velocity = Vec3(10, 0, 0);
    study.simulation.time_limit = 3;
    study.barriers = {gate(25)};
    const TrajectoryRecord record = ground::run(study)[0];
    const double energy = 0.5 * record.summary.mass * 100, can = breaking_energy(diameter, 0.93);
    INFO("diameter ", diameter, ", energy ", energy, " J, stem ", can, " J");
    if (can < energy) {
      CHECK(record.summary.broken_stems == 1);
      REQUIRE(record.crossings.size() == 1);
      CHECK(record.crossings[0].translational == doctest::Approx(energy - can).epsilon(1e-6));
    } else {
      CHECK(record.summary.broken_stems == 0);
      CHECK(record.crossings.empty());
      CHECK(record.summary.end.x() < 20);
    }
  }
}

TEST_CASE("the recorder visits every cell on the way once, with the parabola's own heights") {
  // A throw over flat ground: apex v_z^2 / 2g above the start.
  auto flat = ground::field(41, 31, 2, [](double, double) { return 0.0; });
  Study study = ground::study_on(flat, {.name = "rock", .friction = 0.5, .restitution = 0});
  study.releases[0].velocity = Vec3(12, 3, 14);
  study.simulation.time_limit = 1.4 * 2;
  const TrajectoryRecord record = ground::run(study)[0];
  CHECK(record.summary.height == doctest::Approx(sphere_radius(1) + 14 * 14 / (2 * kG)).epsilon(1e-6));
  std::size_t expected = 0;
  for (std::size_t k = 1; k < record.visits.size(); ++k) CHECK(record.visits[k - 1].cell < record.visits[k].cell);
  // Between release and the end a straight line on the map: as many cells as it passes.
  const Vec3 a = record.summary.start, b = record.summary.end;
  std::uint32_t last = ~0u;
  for (int k = 0; k <= 200000; ++k) {
    const Vec3 p = a + k / 200000.0 * (b - a);
    const std::uint32_t cell = study.ground.cell_at(p.x(), p.y());
    expected += cell != last ? 1 : 0;
    last = cell;
  }
  CHECK(record.visits.size() == expected);
}
