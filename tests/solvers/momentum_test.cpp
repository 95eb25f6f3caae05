#include "solvers/momentum.h"

#include <doctest/doctest.h>

#include "solvers/nsgs.h"

using namespace carom;

namespace {

// n beads on each other under an impulse of gravity of one each: bead i presses n - i times that on what is below.
ConeProblem column(int n) {
  ConeProblem problem;
  DelassusFactors& factors = problem.W.factors.emplace();
  for (int i = 0; i < n; ++i) {
    factors.inverse_mass.push_back({1, Mat3::Identity()});
    factors.bodies.push_back({i, i - 1});
    factors.rows.push_back({Vec3::UnitX(), Vec3::Zero(), Vec3::Zero()});
    problem.cones.add({ConeKind::Orthant, 1, 0});
  }
  problem.q.assign(n, 0.0);
  problem.q[0] = -1;
  return problem;
}

int sweeps_needed(int n, MomentumUse use, bool packed) {
  const ConeProblem problem = column(n);
  NsgsOptions options{.stop = {.tolerance = 1e-6, .measure = Measure::Velocity, .max_iterations = 1000000},
                      .momentum = use,
                      .relaxation = packed ? 1 : 1 + 1e-12};  // the general way
  options.check.stall_checks = 0;
  Nsgs nsgs(options);
  VectorXd r = VectorXd::Zero(n);
  const SolveReport report = nsgs.solve(problem, r);
  REQUIRE(report.solved());
  if (use == MomentumUse::On) {
    for (int i = 0; i < n; i += n / 10) CHECK(r[i] == doctest::Approx(n - i).epsilon(0.05));
  }
  return report.iterations;
}

}  // namespace

// Plain sweeps carry weight down by diffusion, with momentum it travels like a wave.
// Not true of tall columns since momentum is begun anew where a sweep moves anyone three times as far as before:
// docs/solvers.md tells the figures.
TEST_CASE("sweeps through a column grow with its height, not with the square of it" * doctest::may_fail()) {
  for (const bool packed : {true, false}) {
    const int low = sweeps_needed(40, MomentumUse::On, packed), high = sweeps_needed(160, MomentumUse::On, packed);
    CAPTURE(packed);
    CAPTURE(low);
    CHECK(high <= 6 * low);
    CHECK(sweeps_needed(40, MomentumUse::Off, packed) > 5 * low);
  }
}
