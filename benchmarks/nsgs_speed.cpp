// Time per sweep of nsgs on a large pile, with one thread and with two, and what leaving out settled contacts and
// relaxation are worth there.
//
//     bench_nsgs_speed [spheres = 20000] [settle steps = 150] [rounds = 60] [file to dump the problem to = none]
//
// Spheres settle in a pit; the problem of the last step is taken as it is (factors) and assembled. Threads alternate,
// round by round, a few sweeps each; the fastest round of each counts, because other programs only ever slow one down.
// The load of the machine is printed with it.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "benchmarks/sphere_pit.h"
#include "io/fclib.h"
#include "solvers/nsgs.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr int kSweeps = 5;  // of one measurement

std::size_t at(int i) { return static_cast<std::size_t>(i); }

ConeProblem pile_problem(int spheres, int steps) {
  World world = make_pit(spheres, 2);
  // A budget of sweeps is enough while grains fall.
  world.set_solver(make_solver("nsgs", {{"measure", "velocity"},
                                        {"tolerance", 1e-3},
                                        {"max_iterations", std::int64_t{20}},
                                        {"threads", std::int64_t{2}}}));
  for (int i = 0; i < steps; ++i) world.step(5e-3);
  return world.last_problem();
}

double load_of_machine() {
  double load = std::numeric_limits<double>::quiet_NaN();
  ::getloadavg(&load, 1);
  return load;
}

// A solver about to sweep, without ever looking at residuals.
class Sweeper {
 public:
  Sweeper(const ConeProblem& problem, Ordering ordering, int threads)
      : problem_(problem), nsgs_(options(ordering, threads)) {
    r_ = VectorXd::Zero(problem.cones.rows());
    const NsgsOptions o = options(ordering, threads);
    stop_.start(problem, o.stop, o.check, r_, {threads});
    nsgs_.prepare(problem);
    nsgs_.sweep_until(stop_, problem_, kSweeps, r_);
  }
  double seconds_per_sweep() {
    const Stopwatch watch;
    nsgs_.sweep_until(stop_, problem_, kSweeps, r_);
    return watch.seconds() / kSweeps;
  }
  const VectorXd& r() const { return r_; }

 private:
  static NsgsOptions options(Ordering ordering, int threads) {
    NsgsOptions o;
    o.stop.tolerance = 0;
    o.stop.max_iterations = o.check.check_every = std::numeric_limits<int>::max();
    o.check.stall_checks = 0;
    o.skip_settled = false;
    o.ordering = ordering;
    o.threads = threads;
    return o;
  }

  const ConeProblem& problem_;
  Nsgs nsgs_;
  StopTest stop_;
  VectorXd r_;
};

// How even two threads' halves of each colour are in stored blocks (or contacts): the time of a perfect machine over
// half the whole.
double balance_of_two(const ConeProblem& problem, const Colouring& colouring) {
  double whole = 0, longest = 0;
  const auto work = [&](int i) {
    return problem.W.factors ? 1.0 : double(problem.W.assembled->first[at(i + 1)] - problem.W.assembled->first[at(i)]);
  };
  for (int c = 0; c < colouring.colours(); ++c) {
    const auto blocks = colouring[c];
    double first = 0, second = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) (k < blocks.size() / 2 ? first : second) += work(blocks[k]);
    whole += first + second;
    longest += std::max(first, second);
  }
  return longest / (0.5 * whole);
}

// What a sweep must at least read and write once.
double bytes_per_sweep(const ConeProblem& problem) {
  const double contacts = problem.cones.count(), packed = sizeof(ContactSweep::Contact);
  if (problem.W.factors)
    return contacts * (packed + 3 * sizeof(FactorRow) + 9 * sizeof(double) + 2 * 3 * sizeof(double)) +
           static_cast<double>(problem.W.factors->inverse_mass.size()) * (sizeof(InverseMass) + 2 * sizeof(Twist));
  const double blocks = static_cast<double>(problem.W.assembled->column.size());
  return contacts * (packed + 2 * 3 * sizeof(double)) + (blocks - contacts) * (9 * sizeof(double) + sizeof(int));
}

void measure_threads(const ConeProblem& problem, std::string_view body, int rounds) {
  Colouring colouring;
  if (!colouring.colour(problem, problem.cones.count())) {
    fmt::print("{}: W has no symmetric pattern, no colours\n", body);
    return;
  }
  int smallest = problem.cones.count(), largest = 0;
  for (int c = 0; c < colouring.colours(); ++c) {
    smallest = std::min(smallest, colouring.first(c + 1) - colouring.first(c));
    largest = std::max(largest, colouring.first(c + 1) - colouring.first(c));
  }
  Sweeper natural(problem, Ordering::Natural, 1), one(problem, Ordering::Coloured, 1),
      two(problem, Ordering::Coloured, 2);
  std::array<double, 3> fastest;
  fastest.fill(std::numeric_limits<double>::infinity());
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const std::array<double, 3> seconds = {natural.seconds_per_sweep(), one.seconds_per_sweep(),
                                           two.seconds_per_sweep()};
    for (std::size_t k = 0; k < 3; ++k) fastest[k] = std::min(fastest[k], seconds[k]);
    ratios.push_back(seconds[1] / seconds[2]);
  }
  std::sort(ratios.begin(), ratios.end());
  const double bytes = bytes_per_sweep(problem);
  fmt::print("\n{}: {} colours of {} to {} contacts, two halves of each even to {:.3f}, {:.1f} MB per sweep\n", body,
             colouring.colours(), smallest, largest, balance_of_two(problem, colouring), 1e-6 * bytes);
  const auto line = [&](std::string_view name, double seconds) {
    fmt::print("  {:<22}{:>10.1f} us/sweep{:>8.1f} ns/contact{:>8.1f} GB/s\n", name, 1e6 * seconds,
               1e9 * seconds / problem.cones.count(), 1e-9 * bytes / seconds);
  };
  line("natural, 1 thread", fastest[0]);
  line("coloured, 1 thread", fastest[1]);
  line("coloured, 2 threads", fastest[2]);
  fmt::print("  2 threads are {:.2f}x faster (rounds: median {:.2f}, best {:.2f}); same bits: {}; load {:.1f}\n",
             fastest[1] / fastest[2], ratios[ratios.size() / 2], ratios.back(), one.r() == two.r() ? "yes" : "NO",
             load_of_machine());
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int spheres = argument(1, 20000), steps = argument(2, 150), rounds = argument(3, 60);
  Stopwatch settling;
  const ConeProblem factors = pile_problem(spheres, steps);
  ConeProblem assembled;
  assembled.W.assembled = assemble(*factors.W.factors, factors.cones);
  assembled.q = factors.q;
  assembled.cones = factors.cones;
  const double contacts = factors.cones.count();
  fmt::print("{} spheres after {} steps: {} contacts, {:.1f} blocks per row of W; {:.1f} s to make\n", spheres, steps,
             contacts, static_cast<double>(assembled.W.assembled->column.size()) / contacts, settling.seconds());
  if (argc > 4) write_problem(argv[4], assembled, "settling pile of spheres");
  measure_threads(assembled, "assembled", rounds);
  measure_threads(factors, "factors", rounds);
  return 0;
}
