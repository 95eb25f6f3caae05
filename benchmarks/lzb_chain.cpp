// A long row of equal balls, one end struck: what Liu, Zhao and Brogliato's impact costs, and how the cost grows.
//
//     bench_lzb_chain [seconds allowed for a peer's run = 40]
//
// Hertz contacts (eta = 3/2), e = 1. Prints substeps, contacts touched per substep, time (least of three), the error of
// velocities against a run at 1e-12 and that of energy. Where Siconos is present (libsiconos-kernel-dev) its multiple
// impact (OSNSMultipleImpact) runs the same chains in the same run at several steps; ours is then run at the coarsest
// tolerance whose velocities are at least as accurate, and the ratio of times printed.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/timer.h"
#include "engine/impact/lzb.h"
#include "impact_cases.h"
#ifdef CAROM_SICONOS
#include "siconos_chain.h"
#endif

using namespace carom;

namespace {

struct Run {
  VectorXd v;
  long substeps = 0, work = 0;
  double seconds = 0;
  bool done = false;
};

Run run_chain(const ImpactCase& chain, double tolerance, int repeats) {
  Run run;
  for (int k = 0; k < repeats; ++k) {
    Lzb law({.tolerance = tolerance, .max_substeps = 100000000});
    VectorXd p;
    Stopwatch watch;
    const ImpactReport report = law.apply(chain.problem, p);
    const double seconds = watch.seconds();
    run.seconds = k == 0 ? seconds : std::min(run.seconds, seconds);
    run.v = chain.velocities_after(p);
    run.substeps = report.substeps;
    run.work = law.work();
    run.done = report.status == ImpactStatus::Done;
  }
  return run;
}

double velocity_error(const VectorXd& v, const VectorXd& exact) { return (v - exact).cwiseAbs().maxCoeff(); }
double energy_error(const ImpactCase& chain, const VectorXd& v) { return std::abs(2 * chain.energy(v) - 1); }

void print_growth() {
  fmt::print("{:>8}{:>10}{:>10}{:>14}{:>12}{:>14}{:>12}{:>12}\n", "balls", "tolerance", "substeps", "contacts each",
             "ms", "ns per contact", "velocities", "energy");
  for (int balls : {100, 1000, 10000}) {
    const ImpactCase chain = equal_chain_case(balls, 1, {.restitution = 1, .exponent = 1.5});
    const Run exact = run_chain(chain, 1e-12, 1);
    for (double tolerance : {1e-4, 1e-8}) {
      const Run run = run_chain(chain, tolerance, 3);
      fmt::print("{:>8}{:>10.0e}{:>10}{:>14.1f}{:>12.2f}{:>14.0f}{:>12.1e}{:>12.1e}{}\n", balls, tolerance,
                 run.substeps, static_cast<double>(run.work) / static_cast<double>(run.substeps), 1e3 * run.seconds,
                 1e9 * run.seconds / static_cast<double>(run.work), velocity_error(run.v, exact.v),
                 energy_error(chain, run.v), run.done ? "" : "  not done");
      std::fflush(stdout);
    }
  }
}

#ifdef CAROM_SICONOS
void print_peer(double most_seconds) {
  fmt::print("\nBeside Siconos' multiple impact, at the coarsest tolerance of ours that is at least as accurate:\n");
  fmt::print("{:>8}{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>10}\n", "balls", "its step", "its s", "velocities",
             "energy", "tolerance", "our ms", "velocities", "ratio");
  for (int balls : {10, 100, 1000}) {
    const ImpactCase chain = equal_chain_case(balls, 1, {.restitution = 1, .exponent = 1.5});
    const Run exact = run_chain(chain, 1e-12, 1);
    for (double step : {1e-2, 1e-3, 1e-4}) {
      const SiconosOutcome peer = run_siconos_chain({.balls = balls, .step = step, .most_seconds = most_seconds});
      if (!peer.done) {
        const Run ours = run_chain(chain, 1e-8, 3);
        fmt::print("{:>8}{:>10.0e}  not finished after {:.1f} s; ours at 1e-8 takes {:.3f} ms: ratio above {:.0f}\n",
                   balls, step, peer.seconds, 1e3 * ours.seconds, peer.seconds / ours.seconds);
        std::fflush(stdout);
        break;
      }
      const VectorXd v = Eigen::Map<const VectorXd>(peer.velocities.data(), balls);
      const double error = velocity_error(v, exact.v);
      double tolerance = 1e-2;
      Run ours = run_chain(chain, tolerance, 1);
      while (!(velocity_error(ours.v, exact.v) <= error) && tolerance > 2e-12)
        ours = run_chain(chain, tolerance *= 0.1, 1);
      ours = run_chain(chain, tolerance, 5);
      fmt::print("{:>8}{:>10.0e}{:>12.3f}{:>12.1e}{:>12.1e}{:>12.0e}{:>12.3f}{:>12.1e}{:>10.0f}\n", balls, step,
                 peer.seconds, error, energy_error(chain, v), tolerance, 1e3 * ours.seconds,
                 velocity_error(ours.v, exact.v), peer.seconds / ours.seconds);
      std::fflush(stdout);
    }
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const double most_seconds = argc > 1 ? std::atof(argv[1]) : 40;
  print_growth();
#ifdef CAROM_SICONOS
  print_peer(most_seconds);
#else
  fmt::print("\nSiconos (libsiconos-kernel-dev) was not found when this was built: no comparison ({} s unused).\n",
             most_seconds);
#endif
  return 0;
}
