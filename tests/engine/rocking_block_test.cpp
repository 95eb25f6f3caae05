// The planar block that turns about its corner A and strikes with B (Brogliato, Zhang, Liu 2012): contact 0 is B, 1 is
// A.
#include <doctest/doctest.h>

#include <functional>

#include "engine/impact/newton.h"
#include "engine/impact/restitution_matrix.h"
#include "impact_systems.h"

using namespace carom;

namespace {

constexpr double kRate = -0.7;  // theta_dot before the impact, rad/s

const std::vector<BlockSize> kSizes = {{.l = 0.3, .L = 1, .m = 2},
                                       {.l = 1, .L = 1, .m = 1},
                                       {.l = 1.4, .L = 1, .m = 3},
                                       {.l = 2, .L = 0.5, .m = 0.4},
                                       {.l = 5, .L = 1.5, .m = 700}};

MatrixXd rocking_matrix(double e21, double e12 = 0) {
  MatrixXd E(2, 2);
  E << 0, e12, e21, 0;
  return E;
}

struct Outcome {
  ImpactReport report;
  VectorXd p;
  VectorXd v;  // x, y, theta
};

Outcome strike(const ImpactSystem& block, const RestitutionMatrixOptions& options) {
  Outcome outcome;
  outcome.report = RestitutionMatrixLaw(options).apply(block.problem, outcome.p);
  outcome.v = block.velocity(outcome.p);
  return outcome;
}

Outcome slide(const BlockSize& size, double e21) {
  return strike(planar_block(size, turning_about_A(size, kRate)), {.matrix = rocking_matrix(e21)});
}
Outcome stick(const BlockSize& size, double e21, double mu) {
  return strike(planar_block(size, turning_about_A(size, kRate), mu),
                {.matrix = rocking_matrix(e21), .tangential = TangentialRule::Stick});
}

double sliding_bound(const BlockSize& s) { return (s.l * s.l - 2 * s.L * s.L) / (s.l * s.l + 4 * s.L * s.L); }
double sticking_bound(const BlockSize& s) { return (2 * s.l * s.l - s.L * s.L) / (2 * (s.l * s.l + s.L * s.L)); }

// Where f changes from false to true.
double threshold(double low, double high, const std::function<bool(double)>& f) {
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (f(middle) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TEST_CASE("a sliding block rocks on at e21 times its rate, with the impulses of the closed form") {
  for (const BlockSize& s : kSizes) {
    const double l2 = s.l * s.l, L2 = s.L * s.L;
    for (double e21 : {0.0, 0.2, 0.7, 1.0}) {
      const Outcome outcome = slide(s, e21);
      CHECK(outcome.v[2] == doctest::Approx(e21 * kRate).epsilon(1e-12));
      const double p1 = s.m / (12 * s.L) * ((l2 - 2 * L2) * e21 - (l2 + 4 * L2)) * kRate;
      const double p2 = s.m / (12 * s.L) * (-(4 * L2 + l2) * e21 - (2 * L2 - l2)) * kRate;
      CHECK(outcome.p[0] == doctest::Approx(p1).epsilon(1e-12));
      CHECK(std::abs(outcome.p[1] - p2) <= 1e-12 * std::abs(p1));
      CHECK(outcome.report.uniqueness == Uniqueness::Unique);
    }
  }
}

TEST_CASE("a sticking block's impulses are those of the closed form, by sticking and by E_tan = -e21") {
  for (const BlockSize& s : kSizes) {
    const double l2 = s.l * s.l, L2 = s.L * s.L;
    for (double e21 : {0.0, 0.4, 0.9}) {
      const double p1 = s.m / (6 * s.L) * ((2 * l2 - L2) * e21 - 2 * (l2 + L2)) * kRate;
      const double p2 = -s.m / (6 * s.L) * (2 * (l2 + L2) * e21 + L2 - 2 * l2) * kRate;
      const ImpactSystem block = planar_block(s, turning_about_A(s, kRate), 10);
      for (const RestitutionMatrixOptions& options :
           {RestitutionMatrixOptions{.matrix = rocking_matrix(e21), .tangential = TangentialRule::Stick},
            RestitutionMatrixOptions{.matrix = rocking_matrix(e21),
            .tangential = TangentialRule::Restitution,
            .tangential_coefficient = -e21}}) {
        const Outcome outcome = strike(block, options);
        CHECK(outcome.p[0] == doctest::Approx(p1).epsilon(1e-12));
        CHECK(std::abs(outcome.p[2] - p2) <= 1e-12 * std::abs(p1));
        CHECK(outcome.v[2] == doctest::Approx(e21 * kRate).epsilon(1e-12));
        // It turns about B now.
        CHECK(std::abs((block.H * outcome.v)[0]) <= 1e-12);
        CHECK(std::abs((block.H * outcome.v)[1]) <= 1e-12);
      }
    }
  }
}

TEST_CASE("e21 is admissible exactly in the ranges of the table") {
  constexpr double kStep = 1e-6;
  for (const BlockSize& s : kSizes) {
    for (bool sticking : {false, true}) {
      const double bound = sticking ? sticking_bound(s) : sliding_bound(s), least = std::max(0.0, bound);
      const auto at = [&](double e21) { return sticking ? stick(s, e21, 100).report : slide(s, e21).report; };
      CHECK(at(least + kStep).admissible);
      CHECK(at(0.5 * (least + 1)).consistent(1e-10));
      CHECK(at(1).admissible);
      CHECK(!at(least - kStep).admissible);
      CHECK(!at(1 + kStep).admissible);
      // What fails: A would pull below a positive bound, corners would sink below 0, energy grows above 1.
      CHECK((at(least - kStep).kinetic_violation > 1e-12) == (bound > 0));
      CHECK((at(least - kStep).kinematic_violation > 1e-12) == (bound <= 0));
      CHECK(at(1 + kStep).energy_growth > 0.1 * kStep);
    }
  }
}

TEST_CASE("sticking needs friction of at least (l/L) (1 - e21) / (1 + e21)") {
  for (const BlockSize& s : kSizes) {
    const double e21 = 0.5 * (std::max(0.0, sticking_bound(s)) + 1);
    const double least = s.l / s.L * (1 - e21) / (1 + e21);
    CHECK(stick(s, e21, least * (1 + 1e-6)).report.admissible);
    const ImpactReport slips = stick(s, e21, least * (1 - 1e-6)).report;
    CHECK(!slips.admissible);
    CHECK(slips.kinetic_violation > 0);
    CHECK(slips.message.find("friction cone") != std::string::npos);
  }
}

TEST_CASE("Housner's and the sliding block's ratios are those of p_A = 0") {
  for (const BlockSize& s : kSizes) {
    const double sine = s.L / std::hypot(s.l, s.L);
    const double housner = 1 - 1.5 * sine * sine;  // -r_H
    CHECK(housner == doctest::Approx(sticking_bound(s)).epsilon(1e-13));
    const Outcome sticking = stick(s, housner, 100), sliding = slide(s, sliding_bound(s));
    CHECK(std::abs(sticking.p[2]) <= 1e-12 * sticking.p[0]);
    CHECK(std::abs(sliding.p[1]) <= 1e-12 * sliding.p[0]);
  }
}

TEST_CASE("a diagonal matrix cannot make a block rock, and it half-rocks only up to l = sqrt(2) L") {
  for (const BlockSize& s : kSizes) {
    for (double e : {0.0, 0.3, 1.0}) {
      const ImpactSystem block = planar_block(s, turning_about_A(s, kRate), -1, {.restitution = e});
      const Outcome outcome = strike(block, {});  // by rule, without coupling
      const VectorXd u = block.H * outcome.v;
      CHECK(std::abs(u[1]) <= 1e-13);  // A never lifts
      CHECK(outcome.v[2] == doctest::Approx(-e * kRate).epsilon(1e-12));
      CHECK(outcome.report.admissible == (s.l <= std::sqrt(2.0) * s.L));
    }
  }
}

TEST_CASE("by rule with a coupling the block rocks") {
  const BlockSize s{.l = 2, .L = 1, .m = 1};
  const Outcome outcome = strike(planar_block(s, turning_about_A(s, kRate)), {.coupling = 0.8});
  CHECK(outcome.v[2] == doctest::Approx(0.8 * kRate));
  CHECK(outcome.report.consistent(1e-12));
}

TEST_CASE("critical aspect ratios: Moreau's plastic block lifts A when it is more slender") {
  // Lifts: u_A+ > 0 with e = 0. The friction acts on a block that slides all through the impact, or sticks.
  const auto lifts = [](double ratio, double mu, double slip) {
    const BlockSize s{.l = ratio, .L = 1, .m = 1};
    const Vec3 v = turning_about_A(s, kRate) + Vec3(slip, 0, 0);
    const ImpactSystem block = planar_block(s, v, mu);
    VectorXd p;
    const ImpactReport report = NewtonLaw({.preset = NewtonPreset::Moreau}).apply(block.problem, p);
    CHECK(report.status == ImpactStatus::Done);
    return velocity_after(block.problem, p)[2] > 1e-9;
  };
  const auto critical = [&](double mu, double slip) {
    return threshold(0.1, 4, [&](double ratio) { return lifts(ratio, mu, slip); });
  };
  CHECK(critical(0, 0) == doctest::Approx(std::sqrt(2.0)).epsilon(1e-7));
  CHECK(critical(50, 0) == doctest::Approx(1 / std::sqrt(2.0)).epsilon(1e-7));
  for (double mu : {0.1, 0.3, 0.6}) {
    const double root = std::sqrt(9 * mu * mu + 8);
    CHECK(critical(mu, 100) == doctest::Approx((-3 * mu + root) / 2).epsilon(1e-7));
    CHECK(critical(mu, -100) == doctest::Approx((3 * mu + root) / 2).epsilon(1e-7));
  }
}
