#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("slipping spheres, cylinders and hoops roll when and as fast as their inertia says") {
  const double h = 1e-3;
  for (const Roller& roller : {solid_sphere(), cylinder(), hoop()}) {
    CAPTURE(roller.name);
    const std::vector<Measurement> roll = slip_to_roll(roller, 2, 0.3, h);
    CHECK(std::abs(roll[0].ours - roll[0].exact) < h);
    CHECK(roll[1].error() < 1e-9);
  }
}

TEST_CASE("spheres, cylinders and hoops roll down with g sin/(1 + k), or slip when friction does not suffice") {
  for (const Roller& roller : {solid_sphere(), cylinder(), hoop()}) {
    CAPTURE(roller.name);
    const double k = roller.inertia_ratio, mu = 0.3;
    const double limit = std::atan(mu * (1 + k) / k) * 180 / std::numbers::pi;
    for (const double degrees : {0.5 * limit, 0.99 * limit, 1.01 * limit, 0.5 * (limit + 90)}) {
      CAPTURE(degrees);
      const Measurement a = rolling_down(roller, degrees, mu, 1e-3);
      CHECK((a.law.find("rolls") != std::string::npos) == (degrees < limit));
      // It starts with an overlap of 1e-7 of its radius, which shortens the arm.
      CHECK(a.error() < 1e-7);
    }
  }
}

TEST_CASE(
    "rolling friction: g (sin - mu_r cos)/(1 + k) down a slope, none where tan <= mu_r, and v^2 (1 + k)/(2 mu_r g) to "
    "rest") {
  for (const Roller& roller : {solid_sphere(), cylinder(), hoop()}) {
    CAPTURE(roller.name);
    for (const double mu_r : {0.01, 0.1, 0.3}) CHECK(rolling_down_resisted(roller, mu_r, 1e-3).error() < 1e-6);
    CHECK(std::abs(rolling_down_resisted(roller, 0.37, 1e-3).ours) < 1e-8);  // tan(20 degrees) = 0.364
    // The step in which it stops is not a full one: an error of at most v h = mu_r g h^2 / (1 + k), and less.
    const Measurement coarse = rolling_to_rest(roller, 1, 0.05, 1e-2), fine = rolling_to_rest(roller, 1, 0.05, 1e-3);
    CHECK(coarse.error() < 1e-4);
    CHECK(fine.error() < 1e-6);
  }
}

namespace {

// The turning normal throws the ball up with w = h v^2/D; against N/m = c (t_end - t) it does not come back in the
// last sqrt(2 w/c). From v^2 = g D cos there, c = slope g sin v/D, slope 3 (sliding) or 17/7 (rolling).
double missed_time(double cosine, double slope, double h) {
  const double distance = 1.1, sine = std::sqrt(1 - cosine * cosine), v = std::sqrt(kGravity * distance * cosine);
  return std::sqrt(2 * h * v * v / distance / (slope * kGravity * sine * v / distance));
}

}  // namespace

TEST_CASE("a point slides off a sphere at cos = 2/3") {
  for (const double h : {1e-3, 1e-4}) {
    CAPTURE(h);
    const LeavingSphere run = leaving_a_sphere(false, 10 * std::numbers::pi / 180, h);
    const double v = std::sqrt(kGravity * 1.1 * 2 / 3);
    CHECK(run.flight.error() < h * v / 1.1);
    // The cosine falls at the rate sin v/D; twice the time, because contacts come one by one.
    CHECK(std::abs(run.last_contact.ours - run.last_contact.exact) <
          2 * missed_time(2.0 / 3, 3, h) * std::sqrt(5.0 / 9) * v / 1.1);
  }
  CHECK(leaving_a_sphere_convergence(false).flight.order() > 0.9);
}

TEST_CASE("a ball rolls off a sphere at cos = 10/17") {
  const double cosine = 10.0 / 17, sine = std::sqrt(1 - cosine * cosine), v = std::sqrt(kGravity * 1.1 * cosine);
  for (const double h : {1e-3, 1e-4}) {
    CAPTURE(h);
    const LeavingSphere run = leaving_a_sphere(true, 10 * std::numbers::pi / 180, h);
    const double missed = 2 * missed_time(cosine, 17.0 / 7, h);
    CHECK(std::abs(run.last_contact.ours - run.last_contact.exact) < missed * sine * v / 1.1);
    // Friction of 2/7 m g sin is missed for as long; cos^3 goes with the square of the speed.
    CHECK(run.flight.error() < 2.0 / 3 * 2.0 / 7 * kGravity * sine * missed / v);
  }
}

TEST_CASE("a ball on a turntable circles at 2/7 of its rate") {
  const double rate = 3, h = 1e-3;
  const std::vector<Measurement> circle = turntable(rate, h);
  CHECK(circle[0].error() < rate * h);
  CHECK(circle[1].error() < 2 * rate * h);
  const Convergence c = turntable_convergence();
  CHECK(c.order() > 0.9);
  CHECK(c.order() < 1.1);
}
