#include "engine/motion.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"

using namespace carom;

namespace {

// Central difference of the position against the velocity a motion claims.
void check_velocity(const Motion& motion, double t) {
  const Pose start{Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.4, Vec3::UnitX()))};
  const double d = 1e-5;
  const MotionSample now = motion(start, t);
  const Vec3 slope = (motion(start, t + d).pose.position - motion(start, t - d).pose.position) / (2 * d);
  CHECK((slope - now.velocity).norm() <= 1e-8 * (1 + now.velocity.norm()));
  const Eigen::AngleAxisd turn(motion(start, t + d).pose.rotation * motion(start, t - d).pose.rotation.conjugate());
  CHECK((turn.angle() * turn.axis() / (2 * d) - now.angular_velocity).norm() <=
        1e-6 * (1 + now.angular_velocity.norm()));
}

}  // namespace

TEST_CASE("every motion's velocity is the derivative of its pose, and time 0 is the initial pose") {
  const Motion motions[] = {constant_velocity(Vec3(1, -2, 0.5), Vec3(0.3, 0.1, -2)),
                            harmonic(Vec3(1, 1, 0), 0.3, 2.0, 0.7),
                            acceleration_table(Vec3::UnitX(), {0, 0.5, 1, 2}, {0, 3, -2, 1})};
  const Pose start{Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.4, Vec3::UnitX()))};
  for (const Motion& motion : motions) {
    CHECK((motion(start, 0).pose.position - start.position).norm() < 1e-15);
    for (double t : {0.2, 0.7, 1.3, 2.5}) check_velocity(motion, t);
  }
}

TEST_CASE("a table with constant acceleration gives a t^2 / 2, and coasts after its end") {
  const Motion motion = acceleration_table(2 * Vec3::UnitY(), {0, 1, 3}, {4, 4, 4});
  CHECK(motion({}, 2.5).pose.position.y() == doctest::Approx(0.5 * 4 * 2.5 * 2.5).epsilon(1e-14));
  CHECK(motion({}, 5).pose.position.y() == doctest::Approx(18 + 12 * 2.0).epsilon(1e-14));
  CHECK(motion({}, 5).velocity.y() == doctest::Approx(12).epsilon(1e-14));
}

TEST_CASE("a table with times that do not increase, too few rows or NaN is rejected with its row") {
  CHECK_THROWS_AS(acceleration_table(Vec3::UnitX(), {0}, {1}), InputError);
  CHECK_THROWS_WITH_AS(acceleration_table(Vec3::UnitX(), {0, 1, 1}, {1, 2, 3}),
                       doctest::Contains("row 3: time must increase"), InputError);
  CHECK_THROWS_WITH_AS(acceleration_table(Vec3::UnitX(), {0, 1}, {1, NAN}), doctest::Contains("row 2"), InputError);
}
