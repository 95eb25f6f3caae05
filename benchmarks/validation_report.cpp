// Runs every validation case and prints docs/validation.md:  bench_validation_report > docs/validation.md
#include <cmath>
#include <numbers>

#include "benchmarks/validation_tables.h"
#include "system_validation_cases.h"

namespace carom::validation {
namespace {

void print_introduction() {
  fmt::print(
      "# Validation\n\n"
      "Closed forms of mechanics, and what the engine makes of them. This page is printed by\n"
      "`bench_validation_report` from the cases in `tests/support/validation_cases.h` and `block_cases.h`;\n"
      "`tests/validation/` holds the same cases to tolerances in `./check`. g = 9.81 m/s^2, solver `nsgs` with its "
      "residual at 1e-8 m/s\n"
      "or below (from \"Standing still\" on: `auto`, 1e-10 m/s), theta = 1/2. Errors are relative to the exact value, "
      "or to the scale that the law names.\n"
      "\n"
      "Moreau-Jean does not look for the instant of an impact: it falls anywhere within a step, which makes the "
      "scheme\n"
      "first order wherever something lands. Where nothing lands, forces that are constant in time give exact\n"
      "velocities, and errors are those of rounding or of the solver's tolerance.\n");
}

void print_convergence() {
  fmt::print(
      "\n## Order of convergence\n\n"
      "| quantity | largest step, s | smallest step, s | error | error | order | expected |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  for (const double e : {0.5, 0.8}) {
    const BouncingBallConvergence ball = bouncing_ball_convergence(e);
    print_order(ball.position, "1", fmt::format("e = {}", e));
    print_order(ball.rest_time, "1, less a logarithm [1]", fmt::format("e = {}", e));
  }
  print_order(incline_landing_convergence(), "1");
  print_order(oblique_impact_convergence(), "1 [2]");
  print_order(turntable_convergence(), "1");
  const LeavingSphereConvergence slides = leaving_a_sphere_convergence(false);
  print_order(slides.flight, "1");
  print_order(slides.last_contact, "1/2 [3]");
  const LeavingSphereConvergence rolls = leaving_a_sphere_convergence(true);
  print_order(rolls.flight, "1/2 [3]");
  print_order(rolls.last_contact, "1/2 [3]");
  print_order(symmetric_precession_convergence(), "2: no contact");
  print_order(cradle_under_lzb_convergence(), "1");
  print_order(column_under_lzb_convergence(), "1");
  print_order(painleve_convergence(), "1");
  fmt::print(
      "\n[1] Each bounce adds an error of the order of h to the time, and the bounces down to the length of a step "
      "are\n"
      "log(1/h) many. [2] The contact is found with the overlap of half a step, so its arm is shorter by a quarter of\n"
      "h times the normal speed. [3] The normal of a curved contact turns by h v/R within a step, which throws the\n"
      "ball up with a speed of the order of h; where the contact force fades out linearly, it does not come back in\n"
      "the last sqrt(h) of time. Sliding has no force left to miss there. Rolling has: its friction does not fade.\n");
}

void print_impacts() {
  head("Impacts");
  for (const double e : {0.0, 0.5, 0.8})
    for (const double h : {1e-3, 1e-4}) print_rows(bouncing_ball(e, h), fmt::format("e = {}", e));
  for (const double e_t : {0.0, 1.0})
    for (const double v : {0.5, 5.0})
      print_row(oblique_impact({.tangential = v, .tangential_restitution = e_t}, 1e-3),
                fmt::format("v_t = {}, e_t = {}", v, e_t));
}

void print_sliding() {
  head("Sliding");
  for (const double angle : {10.0, 16.6, 16.8, 30.0})
    print_row(incline_acceleration(angle, 0.3, 1e-3), fmt::format("{} degrees, mu = 0.3", angle));
  for (const double h : {1e-3, 1e-4}) print_row(stopping_distance(2, 0.3, h), "2 m/s, mu = 0.3");
  for (const double degrees : {0.0, 15.0, 30.0, 45.0, 60.0})
    print_row(push_threshold(degrees, 0.3), fmt::format("pushed along {} degrees", degrees));
  const Creep creep = block_below_friction_angle(0.9, 0.3, 10000, 1e-3);
  fmt::print("| block at tan = 0.9 mu on a ramp: creep in 9,900 steps, m | 0 | {0} | {0} | 0.001 |\n",
             number(creep.drift));
  fmt::print(
      "\nThe cone is round: a pyramid of four facets would ask for {:.2f} mu m g along its corners, 41% more. The "
      "block\n"
      "of the creep row starts exactly in touch; a velocity within the solver's tolerance opens some of its corners,\n"
      "and it settles by {:.1e} m (g h^2 = {:.1e} m) before all of them carry for good.\n",
      std::sqrt(2.0), creep.settling, kGravity * 1e-6);
}

void print_rolling() {
  head("Rolling");
  for (const Roller& roller : {solid_sphere(), cylinder(), hoop()}) {
    print_rows(slip_to_roll(roller, 2, 0.3, 1e-3), "2 m/s, mu = 0.3");
    print_row(rolling_down(roller, 20, 0.5, 1e-3), "20 degrees, mu = 0.5");
    print_row(rolling_down(roller, 60, 0.3, 1e-3), "60 degrees, mu = 0.3");
    print_row(rolling_down_resisted(roller, 0.1, 1e-3), "20 degrees, mu_r = 0.1");
    print_row(rolling_to_rest(roller, 1, 0.05, 1e-3), "1 m/s, mu_r = 0.05");
  }
  for (const bool rolls : {false, true}) {
    const LeavingSphere run = leaving_a_sphere(rolls, 10 * std::numbers::pi / 180, 1e-4);
    print_rows({run.flight, run.last_contact}, "over that of the start");
  }
  print_rows(turntable(3, 1e-3));
}

void print_rotation() {
  head("Free rotation");
  print_rows(free_rotation_invariants(1e-2));
  for (const double h : {1e-2, 1e-3}) print_row(symmetric_precession(h));
  for (const double h : {1e-2, 1e-3}) print_row(middle_axis_flip(h));
}

void print_systems() {
  head("Multiple impacts and systems in generalized coordinates");
  for (const double e : {0.0, 0.5, 1.0}) print_rows(three_ball_cradle(e), fmt::format("e = {}", e));
  print_rows(three_ball_cradle_lzb(), "published to four digits");
  for (const double h : {1e-4, 1e-5}) print_rows(rocking_block(h));
  for (const double h : {1e-3, 1e-4}) print_row(rocking_uplift(h));
  for (const double h : {1e-4, 1e-5}) print_rows(painleve_jump(h));
  fmt::print(
      "\nThe block has l/L = 10 and starts at 0.4 alpha. `carom impact --reproduce` holds single impacts to the "
      "figures of\nthe papers (docs/impact_laws.md).\n");
}

void print_stacks() {
  fmt::print(
      "\n## Stacks and rest\n\n"
      "Spheres piled into a column; the step is 1 ms. The base must carry the weight. `mass ratio` is the top "
      "sphere's\n"
      "mass over the bottom one's. Gauss-Seidel carries the weight down one contact per sweep, so that the first\n"
      "solve, from nothing, needs about the square of the height; warm starts make all later ones cheap.\n\n"
      "| height | mass ratio | base reaction: error | iterations, first step | iterations, settled | solves at the "
      "limit of 10,000 |\n| ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const double ratio : {1.0, 100.0})
    for (const int height : {5, 10, 20, 40}) {
      const Stack s = sphere_stack(height, ratio);
      fmt::print("| {} | {} | {:.1e} | {} | {:.2f} | {} |\n", height, ratio, s.base_error, s.first_iterations,
                 s.settled_iterations, s.failed_solves);
    }
  fmt::print(
      "\n| at rest for 1,000 steps | iterations, mean | iterations, worst | moved, m |\n"
      "| --- | ---: | ---: | ---: |\n");
  for (const RestCost& cost :
       {sphere_at_rest(1000), box_at_rest(1000), tripod_at_rest(1000), sphere_in_corner_at_rest(1000)})
    fmt::print("| {} | {:.2f} | {} | {} |\n", cost.body, cost.mean_iterations, cost.worst_iterations,
               number(cost.drift));
}

void print_history(const EnergyHistory& e) {
  fmt::print("| {} | {:.3f} | {:.3f} | {:.1e} | {:.1e} | {:.1e} | {:.1e} | {} |\n", e.law, e.start, e.end,
             (e.highest - e.start) / e.start, e.largest_rise / e.start, e.step_bound / e.start,
             e.worst_balance_error / e.start, e.failed_solves);
}

void print_energy() {
  fmt::print(
      "\n## Energy\n\n"
      "10^5 steps of 1 ms: eight spheres thrown about in a closed box, and a block dropped on its corner. Energies "
      "are\n"
      "kinetic + potential above the floor; the next four columns are over the energy at the start. With e_n < 1 a\n"
      "contact that opens slowly is closed again by gravity within the step, which may add m (g h)^2/8 (the bound).\n"
      "The balance error is what the step's own account of work leaves unexplained. Solves short of\n"
      "the tolerance come where e_n and e_t differ: corners at different heights then cannot all stick, and pushing\n"
      "them against each other until one slips takes Gauss-Seidel too long. They stay within 1e-6 m/s.\n\n"
      "| law | start, J | end, J | highest - start | largest rise in a step | bound | balance error | solves short |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const EnergyLaw& law : energy_laws())
    print_history(spheres_in_a_box("spheres, " + law.name, law.law, 100000, 1e-3));
  for (const EnergyLaw& law : energy_laws()) print_history(bouncing_block("block, " + law.name, law.law, 100000, 1e-3));

  fmt::print(
      "\nNewton's law with friction may create energy when e_n > 0 and e_t = 0. A rod falls on one end at 45 degrees\n"
      "while it slides; the impact throws the end back, friction stops it and so pushes along the way it slid\n"
      "before. The step reports what was created as positive contact work; Fremond's law (e_t = 1) creates none.\n\n"
      "| rod | energy gained, exact, J | ours, J | contact work reported, J | balance error, J |\n"
      "| --- | ---: | ---: | ---: | ---: |\n");
  for (const double e_t : {0.0, 1.0})
    for (const double e : {0.0, 0.5, 0.9, 1.0}) {
      const EnergyCreation r = rod_creates_energy(e, e_t);
      const double exact = std::abs(r.exact) < 1e-15 ? 0 : r.exact;
      fmt::print("| e_n = {}, e_t = {} | {} | {} | {} | {:.1e} |\n", e, e_t, number(exact), number(r.measured),
                 number(r.contact_work), r.balance_error);
    }
}

void print_invariances() {
  fmt::print(
      "\n## Invariances\n\n"
      "Five spheres and a block fall, bounce and slide beside a wall for 0.4 s; largest distance, in m of the plain\n"
      "scene, between it and the same scene written down another way.\n\n| scene | difference, m |\n| --- | ---: |\n");
  fmt::print("| lengths x 0.1, same times | {:.1e} |\n", scaled_scene_error(0.1, 1));
  fmt::print("| masses x 1000 | {:.1e} |\n", scaled_scene_error(1, 1000));
  fmt::print("| lengths x 0.1, same gravity, times x sqrt(0.1) | {:.1e} |\n", froude_scene_error(0.1));
  fmt::print("| turned by 1.1 rad about (1, -2, 0.5) | {:.1e} |\n",
             turned_scene_error(Quat(Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()))));
  fmt::print(
      "\nA cloud of 27 free, spinning spheres falls into itself; changes of momentum over the sum of the "
      "magnitudes.\n\n"
      "| law | contacts with an impulse | linear | angular | kinetic energy left |\n"
      "| --- | ---: | ---: | ---: | ---: |\n");
  for (const EnergyLaw& law : energy_laws()) {
    const MomentumChange c = colliding_free_spheres(law.law, 1000, 1e-3);
    fmt::print("| {} | {} | {:.1e} | {:.1e} | {:.6f} |\n", law.name, c.collisions, c.linear, c.angular, c.energy_ratio);
  }
}

}  // namespace
}  // namespace carom::validation

int main() {
  using namespace carom::validation;
  print_introduction();
  print_convergence();
  print_impacts();
  print_sliding();
  print_rolling();
  print_rotation();
  print_systems();
  print_stacks();
  print_energy();
  print_invariances();
  print_blocks();
}
