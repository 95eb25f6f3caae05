// Sections 10 and 11: restitution matrices and Moreau's law on chains.
#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

// ---- 10. Four balls with a restitution matrix ----

SystemImpact four_balls(std::vector<double> velocity) {
  BallChainParameters p;
  p.balls = 4;
  p.velocity = std::move(velocity);
  return struck_chain(p);
}

OptionValues matrix(const MatrixXd& E) { return {{"matrix", matrix_text(E)}}; }

// Momentum sum and separation speeds c of the three contacts give
//     v = (s - 3 c1 - 2 c2 - c3, s + c1 - 2 c2 - c3, s + c1 + 2 c2 - c3, s + c1 + 2 c2 + 3 c3) / 4
std::vector<double> velocities(double s, const Vec3& c) {
  return {(s - 3 * c[0] - 2 * c[1] - c[2]) / 4, (s + c[0] - 2 * c[1] - c[2]) / 4, (s + c[0] + 2 * c[1] - c[2]) / 4,
          (s + c[0] + 2 * c[1] + 3 * c[2]) / 4};
}

void matrix_section(ReproducedSection& s) {
  const Vec3 e(0.3, 0.2, 0.4);  // e1, e21, e31
  MatrixXd E = MatrixXd::Zero(3, 3);
  E.col(0) = e;
  const SystemImpact one = four_balls({1, 0, 0, 0});
  const ImpactOutcome outcome = strike_with(one, "restitution_matrix", matrix(E));
  s.add_row("v", velocities(1, e), to_list(outcome.v), 1e-12, 'a');
  s.add_row(
      "impulse ",
      {(3 + 3 * e[0] + 2 * e[1] + e[2]) / 4, (1 + e[0] + 2 * e[1] + e[2]) / 2, (1 + e[0] + 2 * e[1] + 3 * e[2]) / 4},
      to_list(outcome.p), 1e-12, 'a');
  s.explain('a', "closed forms at e1 = 0.3, e21 = 0.2, e31 = 0.4");

  // 16 KER - 4 = 12 e1^2 + 16 e21^2 + 12 e31^2 + 16 e1 e21 + 8 e1 e31 + 16 e21 e31, at most 12
  const double form =
      12 * e[0] * e[0] + 16 * e[1] * e[1] + 12 * e[2] * e[2] + 16 * e[0] * e[1] + 8 * e[0] * e[2] + 16 * e[1] * e[2];
  s.add("energy form, at most 12", form, 16 * outcome.report.ker - 4, 1e-12, 'b');
  E.col(0) = Vec3::Constant(0.57);
  const ImpactOutcome printed = strike_with(one, "restitution_matrix", matrix(E));
  s.add_finding("e1 = e21 = e31 = 0.57 adds energy, and the law says so",
                printed.report.ker > 1 && printed.report.energy_growth > 0, 'b');
  E.col(0) = Vec3(1, 0, 0);
  s.add("e1 = 1 alone: KER", 1, strike_with(one, "restitution_matrix", matrix(E)).report.ker, 1e-12, 'b');
  s.explain(
      'b',
      "the printed condition e1^2 + e21^2 + e31^2 <= 1 is not exact: 3 * 0.57^2 = 0.97 would be allowed; it agrees "
      "with the energy form only where a single one of e1, e31 is not zero");

  MatrixXd both = MatrixXd::Zero(3, 3);
  both.col(0) = Vec3(0.2, 0.1, 0.15);
  both.col(2) = Vec3(0.15, 0.1, 0.2);
  const ImpactOutcome ends = strike_with(four_balls({1, 0, 0, -2}), "restitution_matrix", matrix(both));
  s.add_row("v4 = -2: v", velocities(-1, both.col(0) + 2 * both.col(2)), to_list(ends.v), 1e-12);
}

// ---- 11. Moreau's law on chains ----

SystemImpact three_balls(std::vector<double> restitution) {
  BallChainParameters p;
  p.restitution = std::move(restitution);
  return struck_chain(p);
}

void moreau_section(ReproducedSection& s) {
  const ImpactOutcome elastic = strike_with(three_balls({1}), "newton");
  s.add_row("e = 1: v", {-1 / 3.0, 2 / 3.0, 2 / 3.0}, to_list(elastic.v), 1e-12);
  s.add("e = 1: KER", 1, elastic.report.ker, 1e-12);
  s.add("e = 1: C_KE", std::sqrt(2.0) / 3, elastic.dispersion, 1e-12, 'a');
  s.explain('a', "from its definition, std(T_i)/mean(T_i), at (1, 4, 4)/18 J");
  for (const double e : {0.0, 0.3, 0.8}) {
    const ImpactOutcome outcome = strike_with(three_balls({e}), "newton");
    const std::string name = fmt::format("e = {}: ", e);
    s.add(name + "U+ of 1-2 over -U-", e, outcome.u[0], 1e-12);
    s.add(name + "U+ of 2-3 (Moreau's line)", 0, outcome.u[1], 1e-12);
    // v = (1 - 2e, 1 + e, 1 + e)/3, so T+/T- = (1 + 2 e^2)/3
    s.add(name + "KER", (1 + 2 * e * e) / 3, outcome.report.ker, 1e-12);
  }

  // Poisson's law stays on or short of v3 = 2/3 for e <= 1; (0, 0, 1) takes e = 1/2 and 2.
  double farthest = 0;
  for (int i = 0; i <= 10; ++i)
    for (int j = 0; j <= 10; ++j)
      farthest = std::max(farthest, strike_with(three_balls({i / 10.0, j / 10.0}), "poisson").v[2]);
  s.add("poisson, e in [0, 1]: largest v3", 2 / 3.0, farthest, 1e-9);
  s.add_row("poisson, e = (1/2, 2): v", {0, 0, 1}, to_list(strike_with(three_balls({0.5, 2}), "poisson").v), 1e-9);
}

}  // namespace

void reproduce_matrices(ReproducedSection& section) {
  CAROM_CHECK(section.number == 10 || section.number == 11, "one of the sections of this file");
  section.number == 10 ? matrix_section(section) : moreau_section(section);
}

}  // namespace carom
