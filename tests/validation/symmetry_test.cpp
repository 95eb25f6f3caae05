#include <doctest/doctest.h>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

// Rounding, blown up a hundred times by the collisions of the scene.
constexpr double kSame = 1e-12;  // m

TEST_CASE("the answer does not depend on the units of length, mass and time") {
  CHECK(scaled_scene_error(0.1, 1) < kSame);
  CHECK(scaled_scene_error(1, 1000) < kSame);
  CHECK(scaled_scene_error(0.1, 1000) < kSame);
  CHECK(scaled_scene_error(37, 0.01) < kSame);
  CHECK(froude_scene_error(0.1) < kSame);
}

TEST_CASE("a turned scene gives the turned answer") {
  CHECK(turned_scene_error(Quat(Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()))) < kSame);
  CHECK(turned_scene_error(Quat(Eigen::AngleAxisd(3.1, Vec3::UnitX()))) < kSame);
}

TEST_CASE("free spheres that collide with friction keep linear and angular momentum") {
  for (const EnergyLaw& law : energy_laws()) {
    CAPTURE(law.name);
    const MomentumChange change = colliding_free_spheres(law.law, 1000, 1e-3);
    CHECK(change.collisions > 20);
    CHECK(change.linear < 1e-14);
    CHECK(change.angular < 1e-13);
    CHECK(change.energy_ratio < 1 + 1e-9);
  }
}
