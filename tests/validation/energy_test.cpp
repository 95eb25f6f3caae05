#include <doctest/doctest.h>

#include <cmath>

#include "validation_cases.h"

using namespace carom;
using namespace carom::validation;

namespace {

void check_no_growth(const EnergyHistory& e, const PairLaw& law) {
  CAPTURE(e.law);
  CHECK(e.highest < e.start * (1 + 1e-9));
  CHECK(e.largest_rise < (law.restitution == 1 ? 0 : e.step_bound) + e.solve_bound);
  CHECK(e.worst_balance_error < 1e-14 * e.start);
  if (law.friction == 0 && law.restitution == 1) CHECK(std::abs(e.end - e.start) < 1e-9 * e.start);
  if (law.restitution < 1) CHECK(e.end < 0.5 * e.start);
}

}  // namespace

TEST_CASE("spheres in a box gain no energy in 100,000 steps where the law forbids it") {
  for (const EnergyLaw& law : energy_laws()) {
    const EnergyHistory e = spheres_in_a_box(law.name, law.law, 100000, 1e-3);
    check_no_growth(e, law.law);
    CHECK(e.failed_solves == 0);
  }
}

TEST_CASE("a block bounces no higher than it fell, and its energy balances while it tumbles") {
  for (const EnergyLaw& law : energy_laws()) {
    CAPTURE(law.name);
    const EnergyHistory e = bouncing_block(law.name, law.law, 20000, 1e-3);
    check_no_growth(e, law.law);
    // Corners a height dz apart cannot all stick when e_n and e_t differ: E u_minus is then no rigid motion, by
    // (e_t - e_n) dz |u_n| over their distance. Pushing them against each other until one slips takes Gauss-Seidel
    // a million sweeps; what it leaves must be of that size, here 0.2 * 1e-5 * 0.1/0.2 m/s.
    const bool consistent = law.law.friction == 0 || law.law.restitution == law.law.tangential_restitution;
    CHECK(e.worst_residual <= (consistent ? 1e-8 : 1e-6));
    CHECK(e.failed_solves <= (consistent ? 0 : 20));
  }
}
