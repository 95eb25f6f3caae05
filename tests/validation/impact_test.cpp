#include <doctest/doctest.h>

#include <cmath>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

TEST_CASE("a bouncing ball rests when the geometric series of its flights says so") {
  for (const double e : {0.0, 0.5, 0.8}) {
    for (const double h : {1e-3, 1e-4}) {
      CAPTURE(e);
      CAPTURE(h);
      const BouncingBall ball{.restitution = e};
      const BouncingBallRun run = run_bouncing_ball(ball, h);
      const double speed = std::sqrt(2 * kGravity * ball.drop);
      // Each flight longer than a step is off by at most a step at either end.
      const double bounces = e > 0 ? std::log(speed / (kGravity * h)) / std::log(1 / e) : 0;
      CHECK(std::abs(run.rest_time - ball.rest_time()) < 2 * h * (1 + bounces));
      // An impact is seen at most h |v| too late, on the way down and on the way up.
      CHECK(std::abs(run.path - ball.path()) < h * speed * (1 + e) / (1 - e));
    }
  }
}

TEST_CASE("Moreau-Jean is first order in the step on a bouncing ball") {
  for (const double e : {0.5, 0.8}) {
    CAPTURE(e);
    const BouncingBallConvergence c = bouncing_ball_convergence(e);
    CHECK(c.position.order() > 0.95);
    CHECK(c.position.order() < 1.1);
    // h log(1/h): one error of the order of h per bounce that a step resolves. That is below 1 by 1/log(v0/(g h)),
    // about 1/6 in the middle of these steps.
    CHECK(c.rest_time.order() > 0.83);
    CHECK(c.rest_time.order() < 1.1);
  }
}

TEST_CASE("an oblique impact sticks up to 7/2 mu (1 + e) |v_n| and slips above") {
  const double h = 1e-3, limit = 3.5 * 0.3 * 1.5;
  for (const double e_t : {0.0, 1.0}) {
    for (const double share : {0.2, 0.98, 1.02, 3.0}) {
      CAPTURE(e_t);
      CAPTURE(share);
      const double tangential = share * limit / (1 + e_t);
      const Measurement speed = oblique_impact({.tangential = tangential, .tangential_restitution = e_t}, h);
      CHECK((speed.law.find("sticks") != std::string::npos) == (share < 1));
      // Slip knows no arm. Stick does: it is shorter by half of an overlap of at most h v_n, here h v_n/r = 0.01, and
      // d(1/(1 + 5/2 a^2/r^2)) = 20/49 da/r.
      CHECK(speed.error() < (share < 1 ? 10.0 / 49.0 * (1 + e_t) * 0.01 : 1e-14));
    }
  }
  CHECK(oblique_impact_convergence().order() > 0.9);
}

TEST_CASE("where Newton's law with friction creates energy, the step reports it") {
  for (const double e : {0.9, 1.0}) {
    CAPTURE(e);
    const EnergyCreation rod = rod_creates_energy(e, 0);
    REQUIRE(rod.exact > 0);
    // The tip has a radius of 2e-6 of the rod's length.
    CHECK(rod.measured == doctest::Approx(rod.exact).epsilon(1e-5));
    CHECK(rod.contact_work > 0);
    CHECK(std::abs(rod.contact_work - rod.measured) < 1e-15);
    CHECK(std::abs(rod.balance_error) < 1e-15);
  }
}

TEST_CASE("Moreau's law with e_n = 0 and Fremond's law create no energy where Newton's does") {
  for (const double e : {0.0, 0.5, 0.9, 1.0}) {
    CAPTURE(e);
    const EnergyCreation rod = rod_creates_energy(e, 1);
    CHECK(rod.contact_work <= 1e-15);
    CHECK(rod.measured <= 1e-15);
    CHECK(rod.measured == doctest::Approx(rod.exact).epsilon(1e-5).scale(1e-6));
  }
  CHECK(rod_creates_energy(0, 0).contact_work < 0);
}
