// Liu, Zhao and Brogliato's law without friction, held to closed forms, limits, symmetries and the impulse-scale
// algorithm of the paper.
#include "engine/impact/lzb.h"

#include <doctest/doctest.h>

#include <numbers>

#include "allocation_counter.h"
#include "impact_cases.h"
#include "impact_energy.h"
#include "impulse_scale_oracle.h"

using namespace carom;

namespace {

constexpr ImpactContact kElastic{.restitution = 1, .stiffness = 1, .exponent = 1};

VectorXd outcome(const ImpactCase& system, const LzbOptions& options = {}) {
  Lzb law(options);
  VectorXd p;
  const ImpactReport report = law.apply(system.problem, p);
  REQUIRE(report.status == ImpactStatus::Done);
  return system.velocities_after(p);
}

ImpactCase three_balls(double stiffness_ratio, const ImpactContact& contact = kElastic) {
  ImpactContact second = contact;
  second.stiffness *= stiffness_ratio;
  return chain_case({1, 1, 1}, {1, 0, 0}, {contact, second});
}

// A root of f, which changes its sign once between low and high.
template <class F>
double bisect(F&& f, double low, double high) {
  const bool sign = f(low) > 0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    ((f(middle) > 0) == sign ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TEST_CASE("three balls with equal linear springs follow the closed form, through the first separation to the end") {
  const double w = std::sqrt(3.0);
  // Velocities at t, and what the springs hold: q1 - q2, q2 - q3.
  const auto v1 = [&](double t) { return 1.0 / 3 + std::cos(t) / 2 + std::cos(w * t) / 6; };
  const auto v2 = [&](double t) { return 1.0 / 3 - std::cos(w * t) / 3; };
  const auto v3 = [&](double t) { return 1.0 / 3 - std::cos(t) / 2 + std::cos(w * t) / 6; };
  const auto first = [&](double t) { return std::sin(t) / 2 + std::sin(w * t) / (2 * w); };
  const auto second = [&](double t) { return std::sin(t) / 2 - std::sin(w * t) / (2 * w); };
  const double separation = bisect(first, 2, 3);
  CHECK(separation == doctest::Approx(2.5548).epsilon(1e-4));
  // Then balls 2 and 3 vibrate about their common motion at sqrt(2): u = v3 - v2, x = q2 - q3.
  const double x = second(separation), u = v3(separation) - v2(separation),
               mean = (v2(separation) + v3(separation)) / 2;
  const double s = std::sqrt(2.0);
  const double rest = bisect([&](double t) { return x * std::cos(s * t) - u / s * std::sin(s * t); }, 0, 1.5);
  const double u_end = u * std::cos(s * rest) + x * s * std::sin(s * rest);
  const Vec3 expected(v1(separation), mean - u_end / 2, mean + u_end / 2);

  Lzb law;
  VectorXd p;
  const ImpactCase system = three_balls(1);
  REQUIRE(law.apply(system.problem, p).status == ImpactStatus::Done);
  CHECK((system.velocities_after(p) - expected).norm() < 1e-8);
  CHECK((expected - Vec3(-0.1303, 0.1502, 0.9801)).norm() < 1e-4);
  CHECK(std::abs(law.record(0).last_separation - separation) < 1e-6);
  CHECK(std::abs(law.record(1).last_separation - (separation + rest)) < 1e-6);
  CHECK(law.record(1).last_separation == doctest::Approx(3.427).epsilon(1e-3));
}

TEST_CASE("a common factor of all stiffnesses changes nothing but time") {
  for (double exponent : {1.0, 1.5, 2.7}) {
    ImpactCase system = chain_case({1, 0.4, 3, 0.8, 1}, {1, 0, 0, -0.3, 0},
                                   {{.restitution = 0.9, .stiffness = 1, .exponent = exponent},
                                    {.restitution = 0.6, .stiffness = 30, .exponent = exponent},
                                    {.restitution = 1, .stiffness = 0.1, .exponent = exponent},
                                    {.restitution = 0.2, .stiffness = 4, .exponent = exponent}});
    const VectorXd v = outcome(system);
    for (double factor : {1e-9, 3.7, 1e12}) {
      ImpactCase scaled = system;
      for (ImpactContact& contact : scaled.problem.contacts) contact.stiffness *= factor;
      CHECK((outcome(scaled) - v).norm() < 1e-10);
    }
  }
}

TEST_CASE("ratios of stiffness tend to the limits of simultaneous and of successive collisions") {
  double stiff_before = 1, soft_before = 1;
  for (double ratio : {1e2, 1e4, 1e6}) {
    const double stiff = (outcome(three_balls(ratio)) - Vec3(-1.0 / 3, 2.0 / 3, 2.0 / 3)).norm();
    const double soft = (outcome(three_balls(1 / ratio)) - Vec3(0, 0, 1)).norm();
    // The rigid pair's vibration holds a speed of the order of the ratio of frequencies, the square root of the ratio.
    CHECK(stiff < 2 / std::sqrt(ratio));
    CHECK(soft < 4 / ratio);
    CHECK(stiff < stiff_before);
    CHECK(soft < soft_before);
    stiff_before = stiff;
    soft_before = soft;
  }
}

TEST_CASE("one contact gives back e of its approach speed, whatever its spring and model") {
  for (LzbModel model : {LzbModel::BiStiffness, LzbModel::MonoStiffness})
    for (double e : {0.0, 1e-3, 0.5, 0.9, 1.0})
      for (double exponent : {1.0, 1.5, 2.2}) {
        const ImpactCase system =
            chain_case({1, 3}, {2, -1}, {{.restitution = e, .stiffness = 7, .exponent = exponent}});
        const VectorXd v = outcome(system, {.model = model});
        CHECK(std::abs(v[1] - v[0] - 3 * e) < 3e-8);
        CHECK(std::abs(v[0] + 3 * v[1] + 1) < 1e-12);
      }
}

TEST_CASE("without loss both models are one") {
  const ImpactCase system = chain_case(
      {1, 2, 0.5, 1}, {1, 0, 0, 0},
      {{.restitution = 1, .stiffness = 1}, {.restitution = 1, .stiffness = 5}, {.restitution = 1, .stiffness = 0.3}});
  CHECK((outcome(system, {.model = LzbModel::MonoStiffness}) - outcome(system)).norm() < 1e-8);
}

TEST_CASE("plastic contacts need no stiffness: symmetric ones come to rest as the inelastic shock says") {
  for (double exponent : {1.0, 1.5})
    for (double stiffness : {1e-3, 1.0, 1e6}) {
      const ImpactContact plastic{.restitution = 0, .stiffness = stiffness, .exponent = exponent};
      // Bernoulli's problem at 30 degrees: x1 = 2/(3 + tan^2) halved by the plastic impact; T = 0.2 J.
      const ImpactCase system = bernoulli_case(std::numbers::pi / 6, plastic, plastic);
      const VectorXd v = outcome(system);
      CHECK(std::abs(system.energy(v) - 0.2) < 1e-8);
      CHECK((system.H * v).norm() < 1e-8);
    }
}

TEST_CASE("a preloaded contact is a spring in both directions") {
  // A light ball runs into a heavy one, which a load presses against a wall so hard that it never lifts. Linear
  // springs, e = 1: 0.1 q1'' = -(q1 - q2), q2'' = (q1 - q2) - q2 until q1 = q2. The heavy ball, coming back, is too
  // slow to strike again.
  ImpactContact wall = kElastic;
  wall.preload = 10;
  const ImpactCase system = chain_case({0.1, 1}, {1, 0}, {kElastic, wall});
  const Vec2 root = system.mass.cwiseSqrt();
  Eigen::Matrix2d A;
  A << 1, -1, -1, 2;
  A = root.cwiseInverse().asDiagonal() * A * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> modes(A);
  const Vec2 share = modes.eigenvectors().transpose() * Vec2(root[0], 0);
  const auto position = [&](double t) -> Vec2 {
    Vec2 z = Vec2::Zero();
    for (int k = 0; k < 2; ++k) {
      const double w = std::sqrt(modes.eigenvalues()[k]);
      z += share[k] * std::sin(w * t) / w * modes.eigenvectors().col(k);
    }
    return z.cwiseQuotient(root);
  };
  const double end = bisect([&](double t) { return position(t)[0] - position(t)[1]; }, 0.3, 1.5);
  const double v1 = (position(end + 1e-5) - position(end - 1e-5))[0] / 2e-5;
  CHECK(v1 < -0.5);
  CHECK(std::abs(outcome(system)[0] - v1) < 1e-7);
}

TEST_CASE("loads alone move nothing") {
  ImpactContact loaded = kElastic;
  loaded.preload = 3;
  const ImpactCase system = chain_case({1, 1}, {0, 0}, {loaded, loaded});
  Lzb law;
  VectorXd p;
  CHECK(law.apply(system.problem, p).status == ImpactStatus::NothingApproaches);
  CHECK(p.norm() == 0);
}

TEST_CASE("the impulse-scale algorithm of the paper ends where the integration in time does") {
  for (int k = 0; k < 12; ++k) {
    RandomStream random(11, static_cast<std::uint64_t>(k));
    const int balls = 3 + static_cast<int>(random.below(3));
    const double exponent = k % 2 == 0 ? 1.0 : 1.5;
    std::vector<double> masses, velocities;
    std::vector<ImpactContact> contacts;
    for (int i = 0; i < balls; ++i) {
      masses.push_back(random.uniform(0.5, 2));
      velocities.push_back(i == 0 ? 1.0 : 0.0);
      if (i > 0)
        contacts.push_back({.restitution = random.uniform(0.5, 1),
                            .stiffness = std::pow(10.0, random.uniform(-0.5, 0.5)),
                            .exponent = exponent});
    }
    const ImpactCase system = chain_case(masses, velocities, contacts);
    const VectorXd v = outcome(system);
    const VectorXd P = ImpulseScaleOracle(system.problem).run(5e-5);
    REQUIRE(P.size() > 0);
    CAPTURE(k);
    CHECK((system.velocities_after(P) - v).cwiseAbs().maxCoeff() < 1e-3);
  }
}

TEST_CASE("a stiff contact that a soft one presses while it vibrates is softened, as far off as the report says") {
  // Both balls run at a wall of high stiffness, which the second one strikes again and again while the first one
  // presses.
  const auto run = [](double stiffness, int chatter, ImpactReport& report) {
    const ImpactCase system = chain_case({1, 1}, {1, 1},
                                         {{.restitution = 0.9, .stiffness = 1, .exponent = 1},
                                          {.restitution = 0.5, .stiffness = stiffness, .exponent = 1}});
    Lzb law({.chatter = chatter});
    VectorXd p;
    report = law.apply(system.problem, p);
    CHECK(report.status == ImpactStatus::Done);
    CHECK(report.energy_growth == 0);
    return system.velocities_after(p);
  };
  ImpactReport exact, softened, stiffer;
  const VectorXd v = run(1e8, 0, exact), w = run(1e8, 100, softened);
  run(1e14, 100, stiffer);
  CHECK(exact.events > 1000);
  CHECK(exact.message.empty());
  CHECK(softened.message.find("softened") != std::string::npos);
  CHECK((w - v).cwiseAbs().maxCoeff() < 0.05);  // of the speed of 1 m/s: about one over the cycles allowed
  // A thousand times the frequency takes ten more halvings, of 25 phases each.
  CHECK(softened.events < 500);
  CHECK(stiffer.events < softened.events + 10 * 25 + 50);
}

TEST_CASE("substeps touch the pulse only: about five balls, however long the chain") {
  long substeps = 0;
  for (int balls : {50, 200}) {
    const ImpactCase system = equal_chain_case(balls, 1, {.restitution = 1, .exponent = 1.5});
    Lzb law;
    VectorXd p;
    const ImpactReport report = law.apply(system.problem, p);
    REQUIRE(report.status == ImpactStatus::Done);
    CHECK(report.energy_growth < 1e-10);
    // Contacts that move, and one on either side of them.
    CHECK(static_cast<double>(law.work()) / static_cast<double>(report.substeps) < 10);
    if (substeps > 0) CHECK(report.substeps < 5 * substeps);
    substeps = report.substeps;
  }
}

TEST_CASE("steady use allocates nothing for substeps") {
  const ImpactCase shorter = equal_chain_case(10, 1, {.restitution = 0.9}),
                   longer = equal_chain_case(60, 1, {.restitution = 0.9});
  Lzb law;
  VectorXd p, q;
  law.apply(longer.problem, p);
  law.apply(shorter.problem, q);
  const auto allocations = [&](const ImpactCase& system, VectorXd& impulses) {
    AllocationCounter counter;
    law.apply(system.problem, impulses);
    return counter.count();
  };
  const long few = allocations(shorter, q), many = allocations(longer, p);
  if (!AllocationCounter::available()) return;
  CHECK(few == many);
  CHECK(many <= 1);  // the report's velocities
}
