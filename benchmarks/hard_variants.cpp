// How often a solver reaches its tolerance where problems are made hard on purpose:
//
//     bench_hard_variants [--solver auto] [--tol 1e-4,1e-8,1e-10] [--time-limit 10] [--structures] [FILES...]
//
// Each FCLIB file, and with --structures a set of walls, towers, arches and heaps made here, is solved as it is and in
// the variants of tests/support/problem_variants.h. Prints every solve that did not reach its tolerance, with the
// residual that rounding alone would leave (u and r cannot be known better than to 1e-16 of the terms they are sums
// of), and counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "io/fclib.h"
#include "problem_variants.h"
#include "solvers/registry.h"
#include "structured_problems.h"

using namespace carom;

namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string solver = "auto";
  std::vector<double> tolerances = {1e-4, 1e-8, 1e-10};
  double max_seconds = 10;
  bool structures = false;
  bool plain = false;    // no variants
  bool verbose = false;  // solved ones, too
  int seeds = 1;
  std::string only;   // variants whose name contains this
  std::string write;  // folder
};

// The natural map of an exact answer stored in doubles: eps (| |W| |r| + |q| | + |r|) / |q|.
double rounding_floor(const ConeProblem& problem, const VectorXd& r) {
  BlockSparse W = *problem.W.assembled;
  for (double& value : W.values) value = std::abs(value);
  VectorXd terms(r.size());
  apply(W, problem.cones, r.cwiseAbs(), problem.q.cwiseAbs(), terms);
  const double norm_q = problem.q.norm();
  return 1e-16 * (terms.norm() + r.norm()) / (norm_q > 0 ? norm_q : 1.0);
}

struct Count {
  int solves = 0, reached = 0, beyond_rounding = 0, dishonest = 0;
  double seconds = 0, slowest = 0;
};

void run(const Arguments& arguments, const std::string& name, const ProblemVariant& variant, Count& count) {
  for (const double tolerance : arguments.tolerances) {
    const auto solver =
        make_solver(arguments.solver, {{"tolerance", tolerance}, {"max_seconds", arguments.max_seconds}});
    VectorXd r = VectorXd::Zero(variant.problem.cones.rows());
    const std::clock_t begin = std::clock();
    const SolveReport report = solver->solve(variant.problem, r);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double residual = natural_map_residual(variant.problem, r);
    ++count.solves;
    count.seconds += seconds;
    count.slowest = std::max(count.slowest, seconds);
    count.dishonest += report.solved() && residual > tolerance;
    if (residual <= tolerance) ++count.reached;
    const bool missed = residual > tolerance;
    if (!missed && !arguments.verbose) continue;
    const double floor = rounding_floor(variant.problem, r);
    count.beyond_rounding += missed && tolerance < 3 * floor;
    fmt::print("{:<40} {:<22} {:>5} {:.0e} {:<14} {:.2e} floor {:.1e} {:8.4f} s  {}\n", name, variant.name,
               variant.problem.cones.count(), tolerance, name_of(report.status), residual, floor, seconds,
               told_by(report));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App program("A solver on problems made hard on purpose");
  program.add_option("files", arguments.files, "FCLIB problems");
  program.add_option("--solver", arguments.solver);
  program.add_option("--tol", arguments.tolerances)->allow_extra_args(false)->delimiter(',');
  program.add_option("--time-limit", arguments.max_seconds, "s");
  program.add_option("--seeds", arguments.seeds, "sets of variants");
  program.add_option("--only", arguments.only, "variants whose name contains this");
  program.add_option("--write", arguments.write, "Write the problems to this folder as FCLIB files instead");
  program.add_flag("--structures", arguments.structures, "walls, towers, arches and heaps made here, too");
  program.add_flag("--plain", arguments.plain, "without variants");
  program.add_flag("--verbose", arguments.verbose, "solved ones, too");
  CLI11_PARSE(program, argc, argv);

  std::vector<ProblemVariant> problems;
  for (const std::string& file : arguments.files)
    problems.push_back({file.substr(file.find_last_of('/') + 1), read_fclib(file).problem});
  if (arguments.structures) {
    for (ProblemVariant& structure : structured_problems()) problems.push_back(std::move(structure));
  }
  Count count;
  const auto treat = [&](const std::string& name, const ProblemVariant& variant) {
    if (variant.name.find(arguments.only) == std::string::npos) return;
    if (arguments.write.empty()) return run(arguments, name, variant, count);
    std::string file = fmt::format("{}/{}-{}.hdf5", arguments.write, name, variant.name);
    std::replace(file.begin(), file.end(), ' ', '_');
    write_problem(file, variant.problem, name);
  };
  for (const ProblemVariant& base : problems) {
    for (int seed = 1; seed <= arguments.seeds; ++seed) {
      std::vector<ProblemVariant> variants = {{"as it is", base.problem}};
      if (!arguments.plain) variants = problem_variants(base.problem, static_cast<std::uint64_t>(seed));
      for (const ProblemVariant& variant : variants) treat(base.name, variant);
    }
  }
  fmt::print(
      "{}: {} of {} solves reached the tolerance, {} of the others asked for more than rounding allows; {} said "
      "solved and were not; {:.1f} s of processor time, {:.2f} s at most\n",
      arguments.solver, count.reached, count.solves, count.beyond_rounding, count.dishonest, count.seconds,
      count.slowest);
  return 0;
}
