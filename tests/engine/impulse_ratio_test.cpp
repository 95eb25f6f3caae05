#include "engine/impact/impulse_ratio.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "engine/impact/binary.h"
#include "engine/impact/newton.h"
#include "impact_systems.h"

using namespace carom;

namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Outcome {
  ImpactReport report;
  VectorXd p, v;
};

Outcome three_balls(double e, const ImpulseRatioOptions& options) {
  const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = e});
  Outcome outcome;
  outcome.report = ImpulseRatioLaw(options).apply(row.problem, outcome.p);
  outcome.v = row.velocity(outcome.p);
  return outcome;
}

}  // namespace

TEST_CASE("impulse ratio: the first ball of the published experiments") {
  // v1 = 1 - (1 + e) / (2 - alpha), from measured e and alpha of four materials
  struct Row {
    double e, alpha, v1;
  };
  for (const Row& row :
       {Row{0.97, 0.167, -0.0747}, Row{0.36, 0.310, 0.1953}, Row{0.27, 0.338, 0.2359}, Row{0.85, 0.080, 0.0365}}) {
    const Outcome outcome = three_balls(row.e, {.ratio = row.alpha, .restitution = RatioRestitution::Contact});
    CHECK(outcome.v[0] == doctest::Approx(1 - (1 + row.e) / (2 - row.alpha)).epsilon(1e-13));
    CHECK(std::abs(outcome.v[0] - row.v1) <= 1e-4);
    CHECK(outcome.report.consistent(1e-12));
    CHECK(outcome.report.admissible);
  }
}

TEST_CASE("impulse ratio: by contacts, the second contact returns what it took up in both events") {
  // p1 = (1 + e)/(2 - alpha); contact 2 takes up p1^2 (1 - 2 alpha)/4 in all and returns e^2 of it as u2+^2/4.
  for (double alpha : {0.1, 0.3, 0.49}) {
    for (double e : {0.9, 1.0}) {  // lively enough for the first ball not to be caught up
      const Outcome outcome = three_balls(e, {.ratio = alpha, .restitution = RatioRestitution::Contact});
      const double p1 = (1 + e) / (2 - alpha);
      CHECK(outcome.report.events == 2);
      CHECK(outcome.v[2] - outcome.v[1] == doctest::Approx(e * p1 * std::sqrt(1 - 2 * alpha)).epsilon(1e-12));
      CHECK(outcome.p[0] == doctest::Approx(p1).epsilon(1e-13));
      if (e == 1) CHECK(std::abs(outcome.report.ker - 1) <= 1e-13);
    }
  }
}

TEST_CASE("impulse ratio: with global restitution it leads from binary collisions to Moreau's law") {
  for (double e : {0.0, 0.5, 1.0}) {
    const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0}, false, {.restitution = e});
    VectorXd p;
    NewtonLaw().apply(row.problem, p);
    const Outcome half = three_balls(e, {.ratio = 0.5, .restitution = RatioRestitution::Global});
    CHECK((half.p - p).norm() <= 1e-13);
    CHECK(half.report.events == 1);
    BinaryLaw().apply(row.problem, p);
    for (RatioRestitution restitution : choices_of(RatioRestitution{}))
      CHECK((three_balls(e, {.ratio = 0, .restitution = restitution}).p - p).norm() <= 1e-13);
  }
}

TEST_CASE("impulse ratio: one event with global restitution reverses r.u and takes (1 - e^2) of its energy") {
  // Contacts 0 and 1 of a block that falls flat; equal ratios keep it flat in one event.
  const double e = 0.6;
  const ImpactSystem block = planar_block({.l = 1, .L = 2, .m = 3}, Vec3(0, -2, 0), -1, {.restitution = e});
  VectorXd p;
  const ImpactReport report =
      ImpulseRatioLaw({.ratio = 1, .restitution = RatioRestitution::Global}).apply(block.problem, p);
  CHECK(report.events == 1);
  CHECK((block.velocity(p) + e * block.v).norm() <= 1e-13);
  CHECK(report.ker == doctest::Approx(e * e).epsilon(1e-13));
}

TEST_CASE("impulse ratio: the ratio of the first event is the one given, pair by pair") {
  const ImpactSystem row = ball_chain({1, 2, 1, 1}, {0, 1, 0, 0}, false, {.restitution = 0.5});
  MatrixXd ratios = MatrixXd::Zero(3, 3);
  ratios(1, 2) = 0.3;
  for (RatioRestitution restitution : choices_of(RatioRestitution{})) {
    ImpulseRatioLaw law({.ratios = ratios, .restitution = restitution});
    std::vector<VectorXd> impulses;
    law.observe([&](const ImpactSample& sample) { impulses.emplace_back(sample.p); });
    VectorXd p;
    law.apply(row.problem, p);
    REQUIRE(impulses.size() > 1);
    CHECK(impulses[1][2] == doctest::Approx(0.3 * impulses[1][1]).epsilon(1e-13));
    CHECK(impulses[1][0] == 0);  // it separates
  }
}

TEST_CASE("impulse ratio: a ratio that cannot be had is reported, and creates no energy") {
  const Outcome outcome = three_balls(1, {.ratio = 0.6, .restitution = RatioRestitution::Contact});
  CHECK(!outcome.report.admissible);
  CHECK(says(outcome.report.message, "too large"));
  CHECK(outcome.report.consistent(1e-12));
  // Contacts that push each other off by themselves have no claim to a ratio: Bernoulli's two balls.
  ImpactSystem balls;
  balls.M = MatrixXd::Identity(6, 6);
  balls.v = VectorXd::Zero(6);
  balls.v[0] = 1;
  balls.H.setZero(2, 6);
  const double c = std::cos(0.5), s = std::sin(0.5);
  balls.H.row(0) << -c, -s, c, s, 0, 0;
  balls.H.row(1) << -c, s, 0, 0, c, -s;
  balls.problem = impact_problem(balls, frictionless_cones(2), {.restitution = 1});
  VectorXd p;
  const ImpactReport report = ImpulseRatioLaw({.ratio = 1}).apply(balls.problem, p);
  CHECK(report.admissible);
  CHECK(report.consistent(1e-12));
  // Struck together with ratio 1 the two leave alike: x = 2 / (3 + tan^2), ball 2 at 1 - 2 x
  const double x = 2 / (3 + std::pow(s / c, 2));
  const VectorXd v = balls.velocity(p);
  CHECK(v[2] == doctest::Approx(x).epsilon(1e-12));
  CHECK(v[4] == doctest::Approx(x).epsilon(1e-12));
  CHECK(v[0] == doctest::Approx(1 - 2 * x).epsilon(1e-12));
}

TEST_CASE("impulse ratio: limits, sizes and friction are spoken of") {
  const ImpactSystem row = ball_chain({1, 1, 1}, {1, 0, 0});
  VectorXd p;
  const ImpactReport stopped = ImpulseRatioLaw({.ratio = 0, .max_events = 3}).apply(row.problem, p);
  CHECK(stopped.status == ImpactStatus::EventLimit);
  CHECK(!stopped.terminated);
  std::string text;
  try {
    ImpulseRatioLaw({.ratios = MatrixXd::Zero(3, 3)}).apply(row.problem, p);
  } catch (const InputError& error) {
    text = error.what();
  }
  CHECK(says(text, "must be 2 x 2"));
  const ImpactSystem block = planar_block({}, turning_about_A({}, -1), 0.5);
  const ImpactReport report = ImpulseRatioLaw().apply(block.problem, p);
  CHECK(says(report.message, "friction"));
  CHECK(p[1] == 0);
  CHECK(p[3] == 0);
}
