// Sections 8 and 9: kinetic angles, and the rocking block.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "base/check.h"
#include "engine/systems/rocking_block.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

RockingBlockParameters block(double height, double width, double friction) {
  RockingBlockParameters p;
  p.height = height;
  p.width = width;
  p.mass = 2;
  p.friction = friction;
  return p;
}

// Corners A and B of the block as contacts 1 and 2, at an angle that need not touch.
SystemImpact on_corners(const RockingBlockParameters& parameters) {
  auto system = std::make_shared<RockingBlock>(parameters);
  const LagrangianState start = system->initial_state();
  return impact_at(std::move(system), 0, start, {0, 1});
}

// ---- 8. Kinetic angles ----

void angle_section(ReproducedSection& s) {
  // theta_12 = pi - arccos((l^2 - 2 L^2)/(l^2 + 4 L^2))
  for (const double ratio : {0.5, 1.0, 3.0}) {
    const double l = ratio, L = 1;
    const double closed = std::numbers::pi - std::acos((l * l - 2 * L * L) / (l * l + 4 * L * L));
    s.add(fmt::format("block, l/L = {}: theta_12, rad", ratio), closed,
          kinetic_angle(on_corners(block(l, L, 0)).problem, 0, 1), 1e-12);
  }
  const auto angle = [](double l) { return kinetic_angle(on_corners(block(l, 1, 0)).problem, 0, 1); };
  s.add("block, l = sqrt(2) L: theta_12, rad", std::numbers::pi / 2, angle(std::sqrt(2.0)), 1e-12);
  s.add("flat block, l/L = 1e-6: theta_12, rad", std::numbers::pi / 3, angle(1e-6), 1e-9);
  s.add("slender block, l/L = 1e6: theta_12, rad", std::numbers::pi, angle(1e6), 1e-5);

  const double m1 = 0.3, m2 = 0.7;
  BallChainParameters p;
  p.balls = 2;
  p.mass = {m1, m2};
  p.right_wall = true;
  const double cosine = std::sqrt(m1 / (m1 + m2));
  s.add("two balls on a wall, m1 = 0.3, m2 = 0.7: cos theta_12", -cosine,
        std::cos(kinetic_angle(struck_chain(p).problem, 0, 1)), 1e-12, 'a', cosine);
  s.explain('a',
            "by the definition cos(pi - theta_ij) = W_ij / sqrt(W_ii W_jj), with which the block's angles agree, the "
            "cosine is positive: -sqrt(m1/(m1 + m2)) is cos(pi - theta_12)");
}

// ---- 9. The rocking block ----

void add_delassus(ReproducedSection& s) {
  RockingBlockParameters p = block(1.2, 0.7, 0);
  p.angle = 0.3;
  const SystemImpact impact = on_corners(p);
  const double l = p.height, L = p.width, m = p.mass, I = m * (l * l + L * L) / 12, sn = std::sin(p.angle),
               cs = std::cos(p.angle);
  DelassusOperator W;
  W.assembled = impact.problem.W;
  const MatrixXd A = to_dense(W, impact.problem.cones);
  s.add("angle 0.3: A11, 1/kg", 1 / m + std::pow(l * sn + L * cs, 2) / (4 * I), A(0, 0), 1e-12);
  s.add("angle 0.3: A12, 1/kg", 1 / m + (l * l * sn * sn - L * L * cs * cs) / (4 * I), A(0, 1), 1e-12);
  s.add("angle 0.3: A22, 1/kg", 1 / m + std::pow(l * sn - L * cs, 2) / (4 * I), A(1, 1), 1e-12);
  s.add("angle 0.3: det A, 1/kg^2", L * L * cs * cs / (m * I), A.determinant(), 1e-12);
}

// The block turns about B and strikes with A.
SystemImpact falling(double height, double width, double friction) {
  RockingBlockParameters p = block(height, width, friction);
  p.angular_velocity = -1;
  return on_corners(p);
}

OptionValues rocking_matrix(double e12, double e21, bool stick) {
  OptionValues options = {{"matrix", fmt::format("0 {}; {} 0", e12, e21)}};
  if (stick) options["tangential"] = std::string("stick");
  return options;
}

double normal_impulse(const SystemImpact& impact, const ImpactOutcome& outcome, int contact) {
  return outcome.p[impact.problem.cones.offset(contact)];
}

void add_impulses(ReproducedSection& s) {
  const double l = 1.2, L = 0.7, m = 2, e = 0.6, rate = -1;
  const SystemImpact sliding = falling(l, L, 0), sticking = falling(l, L, 5);
  const ImpactOutcome slides = strike_with(sliding, "restitution_matrix", rocking_matrix(0.3, e, false));
  const ImpactOutcome sticks = strike_with(sticking, "restitution_matrix", rocking_matrix(0.3, e, true));
  s.add("sliding: rate after over rate before", e, slides.v[2] / rate, 1e-12);
  s.add("sliding: p1, N s", m / (12 * L) * ((l * l - 2 * L * L) * e - (l * l + 4 * L * L)) * rate,
        normal_impulse(sliding, slides, 0), 1e-12, 'a');
  s.add("sliding: p2, N s", m / (12 * L) * (-(4 * L * L + l * l) * e - (2 * L * L - l * l)) * rate,
        normal_impulse(sliding, slides, 1), 1e-12, 'a');
  s.add("sticking: rate after over rate before", e, sticks.v[2] / rate, 1e-9);
  s.add("sticking: p1, N s", m / (6 * L) * ((2 * l * l - L * L) * e - 2 * (l * l + L * L)) * rate,
        normal_impulse(sticking, sticks, 0), 1e-9);
  s.add("sticking: p2, N s", -m / (6 * L) * (2 * (l * l + L * L) * e + L * L - 2 * l * l) * rate,
        normal_impulse(sticking, sticks, 1), 1e-9);
  double tangential = 0, normal = 0;
  for (int k = 0; k < 2; ++k) {
    normal += normal_impulse(sticking, sticks, k);
    tangential += sticks.p[sticking.problem.cones.offset(k) + 1];
  }
  s.add("sticking: tangential over normal impulse", std::abs(l / L * (e - 1) / (e + 1)), std::abs(tangential / normal),
        1e-9);
  s.explain('a', "the paper drops the L of m/(12 L) in one place; the dimension decides");
}

// Where a figure changes its sign between low and high.
double bisect(double low, double high, const std::function<double(double)>& figure) {
  const bool rising = figure(high) > 0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    ((figure(middle) > 0) == rising ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

void add_admissible(ReproducedSection& s) {
  const double l = 1.6, L = 0.7;
  const SystemImpact sliding = falling(l, L, 0), sticking = falling(l, L, 5);
  // The smallest e21 at which neither corner is pulled.
  const auto smallest = [&](const SystemImpact& impact, bool stick) {
    return bisect(0, 1, [&](double e) {
      return normal_impulse(impact, strike_with(impact, "restitution_matrix", rocking_matrix(0, e, stick)), 1);
    });
  };
  s.add("sliding: smallest e21", (l * l - 2 * L * L) / (l * l + 4 * L * L), smallest(sliding, false), 1e-9);
  s.add("sticking: smallest e21", (2 * l * l - L * L) / (2 * (l * l + L * L)), smallest(sticking, true), 1e-9);
  const auto largest = [&](const SystemImpact& impact, bool stick) {
    return bisect(0.5, 1.5, [&](double e) {
      return strike_with(impact, "restitution_matrix", rocking_matrix(0, e, stick)).report.energy_change;
    });
  };
  s.add("sliding: largest e21 that adds no energy", 1, largest(sliding, false), 1e-9);
  s.add("sticking: largest e21 that adds no energy", 1, largest(sticking, true), 1e-9);

  const auto diagonal = [](double height) {
    const SystemImpact impact = falling(height, 1, 0);
    return strike_with(impact, "restitution_matrix", {{"matrix", std::string("0.5 0; 0 0.5")}});
  };
  const ImpactOutcome half = diagonal(1);
  s.add("diagonal E_n: corner B leaves the ground at, m/s", 0, half.u[1], 1e-12, 'b');
  s.add("diagonal E_n: half-rocking needs l/L at most", std::sqrt(2.0),
        bisect(0.5, 3, [&](double height) { return diagonal(height).p[1]; }), 1e-9, 'b');
  s.explain('b', "rocking would lift B: a diagonal matrix leaves it on the ground, and pulls it beyond l = sqrt(2) L");
}

void add_angular_laws(ReproducedSection& s) {
  const double l = 1.6, L = 0.7;
  const OptionValues plain;
  SystemImpact sliding = falling(l, L, 0), sticking = falling(l, L, 5);
  const ImpactOutcome slides = strike_with(sliding, "newton", plain), sticks = strike_with(sticking, "newton", plain);
  s.add("angular law, sliding: r", (2 * L * L - l * l) / (4 * L * L + l * l), -slides.v[2] / sliding.v[2], 1e-9, 'c');
  const double housner = -(2 * l * l - L * L) / (2 * (l * l + L * L)), slope = std::sin(std::atan(L / l));
  s.add("Housner, sticking: r_H", housner, -sticks.v[2] / sticking.v[2], 1e-9, 'c');
  s.add("Housner: -(1 - 3/2 sin^2 alpha)", -(1 - 1.5 * slope * slope), -sticks.v[2] / sticking.v[2], 1e-9, 'c');
  s.explain('c', "newton with e = 0: the corner that is left (B) takes no impulse; r is counted as -rate after/before");

  // A plastic impact lifts B beyond the critical aspect ratio: u of B after, by which B has been pulled below it.
  const auto lift = [](double height, double friction, double slip) {
    RockingBlockParameters p = block(height, 1, friction);
    p.angular_velocity = -1;
    auto system = std::make_shared<RockingBlock>(p);
    LagrangianState start = system->initial_state();
    start.v[0] += slip;  // m/s: fast enough to slide throughout
    const SystemImpact impact = impact_at(std::move(system), 0, start, {0, 1});
    const ImpactOutcome outcome = strike_with(impact, "newton");
    return outcome.u[impact.problem.cones.offset(1)] - 1e-12;
  };
  s.add("critical l/L, sliding", std::sqrt(2.0), bisect(0.3, 4, [&](double h) { return lift(h, 0, 0); }), 1e-6);
  s.add("critical l/L, sticking", 1 / std::sqrt(2.0), bisect(0.3, 4, [&](double h) { return lift(h, 50, 0); }), 1e-6);
  const double mu = 0.2, root = std::sqrt(9 * mu * mu + 8);
  s.add("critical l/L, friction 0.2 that helps", (-3 * mu + root) / 2,
        bisect(0.3, 4, [&](double h) { return lift(h, mu, -100); }), 1e-6);
  s.add("critical l/L, friction 0.2 that hinders", (3 * mu + root) / 2,
        bisect(0.3, 4, [&](double h) { return lift(h, mu, 100); }), 1e-6);
}

void block_section(ReproducedSection& s) {
  add_delassus(s);
  add_impulses(s);
  add_admissible(s);
  add_angular_laws(s);
}

}  // namespace

void reproduce_block(ReproducedSection& section) {
  CAROM_CHECK(section.number == 8 || section.number == 9, "one of the sections of this file");
  section.number == 8 ? angle_section(section) : block_section(section);
}

}  // namespace carom
