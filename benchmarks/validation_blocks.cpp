// The part of docs/validation.md about blocks, piles, masonry and mechanisms.
#include "benchmarks/validation_tables.h"

namespace carom::validation {

namespace {

void print_standing() {
  fmt::print(
      "\n## Standing still\n\n"
      "Blocks that touch at the start, solver `auto` at 1e-12 m/s, steps of 1 ms. Speeds are the worst of any block "
      "in\n"
      "any step, spin times half the diagonal included; drift is the largest distance from the start at any time, "
      "over\n"
      "the shortest edge. No contact comes or goes. Steps per second are of processor time on one core.\n\n"
      "| structure | blocks | contacts | steps | worst speed, m/s | drift | iterations, first step | iterations, mean "
      "| "
      "solves short | steps/s |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Standing& s : {standing_stack(20, 100000), standing_wall(10, 100000)})
    fmt::print("| {} | {} | {} | {} | {:.1e} | {:.1e} | {} | {:.2f} | {} | {:.0f} |\n", s.structure, s.blocks,
               s.contacts, s.steps, s.worst_speed, s.drift, s.first_iterations, s.mean_iterations, s.failed_solves,
               s.steps_per_second);
  fmt::print(
      "\nA wall of four courses whose last brick is pushed, at a tenth of its size and times sqrt(1/10): "
      "{:.1e} m apart\nafter 200 steps, in m of the large one.\n",
      scaled_wall_difference(4, 200));
  fmt::print(
      "\nStacks of boxes; `mass ratio` is the top box's mass over the bottom one's.\n\n"
      "| height | mass ratio | base reaction: error | iterations, first step | iterations, settled | fall of the top, "
      "m | solves short |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const double ratio : {1.0, 100.0})
    for (const int height : {5, 10, 20, 40}) {
      const Stack s = box_stack(height, ratio);
      fmt::print("| {} | {} | {:.1e} | {} | {:.2f} | {:.1e} | {} |\n", height, ratio, s.base_error, s.first_iterations,
                 s.settled_iterations, s.fall, s.failed_solves);
    }
}

void print_rocking() {
  head("Rocking");
  for (const double slenderness : {2.0, 4.0, 10.0})
    for (const double h : {1e-3, 2.5e-4}) {
      const Rocking r = rocking_block(slenderness, 0.5, h);
      print_rows({r.impact_time, r.housner_time, r.rate_ratio}, fmt::format("height/width = {}", slenderness));
    }
  for (const double slenderness : {2.0, 4.0})
    print_row(uplift_acceleration(slenderness), fmt::format("height/width = {}", slenderness));
  fmt::print(
      "\nRigid boxes in space on a half-space, let go at half the angle at which they fall over. The time is that of\n"
      "the nonlinear pendulum; Housner's (1/p) acosh(1/(1 - theta/alpha)) takes angles for their sines. The ratio of\n"
      "rates, 1 - 3/2 sin^2(alpha), is Moreau's law with e = 0 and friction enough to stick.\n");
}

void print_piles() {
  head("Piles, props and columns: where they stop standing");
  for (const bool ground : {false, true}) print_row(three_cylinders(ground));
  for (const bool ground : {false, true}) print_row(four_spheres(ground));
  for (const double degrees : {10.0, 20.0, 35.0})
    print_row(card_house(degrees), fmt::format("{} degrees from the vertical", degrees));
  for (const double degrees : {30.0, 50.0})
    print_row(ladder(degrees), fmt::format("{} degrees from the vertical", degrees));
  for (const int bricks : {1, 2, 3, 5, 8}) print_row(overhang(bricks), fmt::format("{} bricks", bricks));
  for (const int blocks : {1, 5}) {
    print_row(tilted_column(blocks, 0.8, 0.4), fmt::format("{} blocks, b/h = 0.8, mu = 0.4", blocks));
    print_row(tilted_column(blocks, 0.25, 0.6), fmt::format("{} blocks, b/h = 0.25, mu = 0.6", blocks));
  }
  for (const double h : {2e-3, 1e-3}) print_row(newmark_slip(0.4, 0.5, 0.3, h), "mu = 0.4, 0.5 g for 0.3 s");
  print_row(newmark_slip(0.2, 0.5, 0.4, 1e-3), "mu = 0.2, 0.5 g for 0.4 s");
  fmt::print(
      "\nThresholds by bisection: what moves by 1e-8 m within 0.2 s falls. Cards and ladder are 1 m long with round\n"
      "ends of 1 mm, which the exact values know of.\n");
}

void print_arches() {
  fmt::print(
      "\n## Arches\n\n"
      "Semicircular, radial joints, friction 1.5: the least thickness over radius that stands, by bisection, against\n"
      "the line of thrust for the same voussoirs and against joints anywhere, 0.1075 (Milankovitch). Hinges at the\n"
      "intrados in degrees from the crown, of an arch 1% thinner than the limit.\n\n"
      "| voussoirs | ours | line of thrust | error | off 0.1075 | hinge, ours | hinge, line of thrust |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const int voussoirs : {11, 16, 20, 31, 40}) {
    const ArchLimit a = arch_limit(voussoirs);
    fmt::print("| {} | {:.5f} | {:.5f} | {:.1e} | {:.1f}% | {:.1f} | {:.1f} |\n", voussoirs, a.ours, a.line_of_thrust,
               std::abs(a.ours / a.line_of_thrust - 1), 100 * (a.ours / a.continuous - 1), a.hinge_degrees,
               a.hinge_expected);
  }
}

void print_motions() {
  fmt::print(
      "\n## Dominoes and Euler's disc\n\n"
      "Dominoes of height l, thickness l/8, l/2 apart: the front's speed over sqrt(g l) must not depend on l or g.\n\n"
      "| l, m | g, m/s^2 | step, s | front, m/s | over sqrt(g l) | unevenness | solves short |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  const struct {
    double length, gravity, h;
  } rows[] = {{0.05, 9.81, 5e-4}, {0.2, 9.81, 5e-4}, {0.2, 9.81, 2.5e-4}, {0.2, 1.62, 1e-3}};
  for (const auto& row : rows) {
    const Dominoes d = dominoes(row.length, row.gravity, row.h);
    fmt::print("| {} | {} | {} | {:.4f} | {:.4f} | {:.1e} | {} |\n", d.length, d.gravity, row.h, d.front_speed,
               d.froude, d.evenness, d.failed_solves);
  }
  fmt::print(
      "\nA disc (radius 40 mm, 2 mm thick) rolls round on its rim, ten turns: Omega^2 sin(a) R/(4 g), 1 for a thin "
      "one.\n\n"
      "| a, degrees | step, s | exact | ours | error | centre wandered, R | a after, mean |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const double degrees : {20.0, 10.0, 5.0, 2.0})
    for (const double h : {2e-5, 1e-5}) {
      const EulerDisc d = euler_disc(degrees, h);
      fmt::print("| {} | {} | {:.5f} | {:.5f} | {:.1e} | {:.1e} | {:.3f} |\n", degrees, h, d.exact, d.ratio,
                 std::abs(d.ratio / d.exact - 1), d.centre_wandered, d.degrees);
    }
}

void print_mechanisms() {
  fmt::print(
      "\n## Mechanisms\n\n"
      "| quantity | largest step, s | smallest step, s | error | error | order | expected |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  const PendulumConvergence pendulum = double_pendulum_convergence();
  print_order(pendulum.place, "2");
  print_order(pendulum.energy, "2");
  fmt::print(
      "\nAfter 40 s the mean energy of the double pendulum is off by {:.1e} at 4 ms and by {:.1e} at 2 ms.\n\n"
      "| driven mechanism | solver | joints open, m | off the closed form, m | iterations, worst | solves short |\n"
      "| --- | --- | ---: | ---: | ---: | ---: |\n",
      double_pendulum_drift(4e-3), double_pendulum_drift(2e-3));
  for (const ClosedLoop& loop : {four_bar("nsgs"), four_bar("auto"), slider_crank("nsgs"), slider_crank("auto")})
    fmt::print("| {} | {} | {:.1e} | {:.1e} | {} | {} |\n", loop.mechanism, loop.solver, loop.open, loop.place,
               loop.worst_iterations, loop.failed_solves);
}

}  // namespace

void print_blocks() {
  print_standing();
  print_rocking();
  print_piles();
  print_arches();
  print_motions();
  print_mechanisms();
}

}  // namespace carom::validation
