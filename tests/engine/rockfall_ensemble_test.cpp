// Many blocks: what no trajectory may do, and what no thread may change.
#include <doctest/doctest.h>

#include <cstring>

#include "rockfall_grounds.h"

using namespace carom;
using namespace carom::rockfall;

namespace {

// Spheres, rocks, slabs and needles, from pebbles to boulders, thrown fast.
Study wild_study(std::uint64_t count) {
  Study study =
      ground::study_on(ground::rough_slope(60, 1, 0.8, 5), {.name = "rock", .friction = 0.6, .restitution = 0.5});
  const VolumeDistribution sizes{.law = VolumeLaw::PowerLaw, .least = 1e-3, .most = 5, .exponent = 0.4};
  study.kinds = {{.name = "ball", .form = BlockForm::Sphere, .volume = sizes},
                 {.name = "rock", .form = BlockForm::Random, .proportions = Vec3(1.3, 1, 0.7), .volume = sizes},
                 {.name = "slab", .form = BlockForm::Box, .proportions = Vec3(1, 1, 0.05), .volume = sizes},
                 {.name = "needle", .form = BlockForm::Box, .proportions = Vec3(1, 0.05, 0.05), .volume = sizes},
                 {.name = "norm", .form = BlockForm::Eota, .volume = sizes}};
  Release& release = study.releases[0];
  release.form = ReleaseForm::Area;
  release.rings = {{{3, 5}, {20, 5}, {20, 55}, {3, 55}}};
  release.kinds = {0, 1, 2, 3, 4};
  release.count = count;
  release.most_height = 4;
  release.velocity = Vec3(15, 2, -20);
  release.angular_velocity = Vec3(1, 8, 0);
  study.simulation.time_limit = 60;
  return study;
}

bool same_bytes(const TrajectoryRecord& a, const TrajectoryRecord& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
  };
  return a.summary.end == b.summary.end && a.summary.time == b.summary.time && a.summary.speed == b.summary.speed &&
         a.summary.steps == b.summary.steps && a.summary.reason == b.summary.reason && same(a.visits, b.visits) &&
         a.path.size() == b.path.size() && a.crossings.size() == b.crossings.size();
}

}  // namespace

TEST_CASE("no trajectory goes below the terrain or ends without a reason") {
  const Study study = wild_study(300);
  double deepest = 0;
  for (const TrajectoryRecord& r : ground::run(study)) {
    const TrajectorySummary& s = r.summary;
    INFO("trajectory ", s.number, ", block ", study.kinds[s.kind].name, ", volume ", s.volume);
    CHECK((s.reason == StopReason::AtRest || s.reason == StopReason::LeftMap || s.reason == StopReason::TimeLimit));
    deepest = std::max(deepest, s.worst_depth);
    const auto below = study.ground.field->ground(s.end.x(), s.end.y());
    if (below) CHECK(s.end.z() > below->height);
    for (const PathPoint& p : r.path) {
      const auto ground = study.ground.field->ground(p.position.x(), p.position.y());
      if (ground) CHECK(p.position.z() > ground->height);
    }
    CHECK(s.unsolved == 0);
  }
  // Fast starts into valleys: contacts that appear within a step are what goes deepest.
  CHECK(deepest < 0.1);
  MESSAGE("deepest overlap ", deepest, " of the radius");
}

TEST_CASE("with e_t = 1, and with lzb, no impact gives energy") {
  for (const char* law : {"newton", "lzb"}) {
    Study study = wild_study(law == std::string("newton") ? 150 : 40);
    study.ground.classes[0].tangential_restitution = 1;
    study.law = law;
    double worst = 0;
    for (const TrajectoryRecord& r : ground::run(study)) worst = std::max(worst, r.summary.worst_gain);
    INFO(law);
    CHECK(worst < 1e-7);
    MESSAGE(law, ": largest gain at an impact ", worst, " of the kinetic energy");
  }
}

TEST_CASE("one, two and three threads give the same bits") {
  const Study study = wild_study(40);
  const auto one = ground::run(study, 1);
  for (const int threads : {2, 3}) {
    const auto many = ground::run(study, threads);
    for (std::size_t k = 0; k < one.size(); ++k) CHECK(same_bytes(one[k], many[k]));
  }
}

// It scatters eight times less than it should, for a reason not found yet: docs/rockfall.md says so.
TEST_CASE("roughness scatters, and the same seed scatters alike" * doctest::may_fail()) {
  Study study =
      ground::study_on(ground::incline(0.6), {.name = "rock", .friction = 0.5, .restitution = 0.4, .roughness = 0.15});
  study.releases[0].count = 30;
  study.releases[0].least_height = study.releases[0].most_height = 3;
  study.releases[0].points = {{10, 30}};
  const auto first = ground::run(study), again = ground::run(study);
  double across = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    CHECK(first[k].summary.end == again[k].summary.end);
    across = std::max(across, std::abs(first[k].summary.end.y() - 30));
  }
  CHECK(across > 1);
  study.ground.classes[0].roughness = 0;
  for (const auto& r : ground::run(study)) CHECK(std::abs(r.summary.end.y() - 30) < 1e-6);
}

TEST_CASE("releases: places, heights, orientations and volumes follow their distributions") {
  Study study = ground::study_on(ground::incline(0.5), {.name = "rock"});
  study.releases[0].form = ReleaseForm::Area;
  study.releases[0].rings = {{{10, 10}, {50, 10}, {50, 50}, {10, 50}}, {{20, 20}, {40, 20}, {40, 40}, {20, 40}}};
  study.releases[0].count = 2000;
  study.releases[0].least_height = 1;
  study.releases[0].most_height = 2;
  study.kinds[0].volume = {.law = VolumeLaw::PowerLaw, .least = 0.1, .most = 10, .exponent = 1};
  int above = 0;
  Mat3 turned = Mat3::Zero();
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const Start s = start_of(study, k);
    const Vec2 at = s.pose.position.head<2>();
    CHECK(inside(study.releases[0].rings, at));
    // Distance of a ball from a plane: r + height cos(angle)
    const double gap =
        (s.pose.position.z() - study.ground.field->ground(at.x(), at.y())->height) * std::cos(0.5) - s.block.radius;
    CHECK(gap >= std::cos(0.5) * 1 - 1e-4);
    CHECK(gap <= std::cos(0.5) * 2 + 1e-4);
    above += s.block.volume > 1 ? 1 : 0;
    turned += s.pose.rotation.toRotationMatrix();
  }
  // N(> 1) = (1 - 0.1) / (10 - 0.1)
  CHECK(above / 2000.0 == doctest::Approx(0.9 / 9.9).epsilon(0.25));
  CHECK((turned / 2000).norm() < 0.1);
}

TEST_CASE("blocks have their volume, their mass and their centre at the origin") {
  RandomStream random(4, 4);
  const std::vector<Vec3> cloud = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 3}, {1, 1, 1}};
  for (const BlockForm form :
       {BlockForm::Sphere, BlockForm::Box, BlockForm::Ellipsoid, BlockForm::Eota, BlockForm::Hull, BlockForm::Random}) {
    const BlockKind kind{.form = form, .proportions = Vec3(1.5, 1, 0.5), .points = cloud, .density = 2500};
    const Block block = make_block(kind, 0.37, random);
    CHECK(block.volume == doctest::Approx(0.37).epsilon(1e-9));
    CHECK(block.mass == doctest::Approx(2500 * 0.37).epsilon(1e-9));
    CHECK(solid_properties(block.shape).centroid.norm() < 1e-9);
  }
}
