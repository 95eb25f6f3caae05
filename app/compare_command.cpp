// carom compare: solvers side by side on problem files.
#include <CLI/CLI.hpp>

#include "app/command.h"
#include "app/comparison_run.h"
#include "app/stop_signal.h"

namespace carom {

namespace {

int run_compare(const CompareArguments& arguments) {
  const std::vector<Contender> contenders = chosen_contenders(arguments, registry_contenders(arguments));
  run_comparison(arguments, load_problems(arguments.files), contenders);
  return stop_signal() != 0 ? 128 + stop_signal() : int{kSuccess};
}

}  // namespace

void add_compare_command(CLI::App& program, Action& chosen) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = program.add_subcommand(
      "compare", "Time solvers side by side on problems; writes a table (csv) and performance profiles (svg)");
  add_compare_options(*command, *arguments);
  command->footer(
      "Examples:\n  carom compare problems/*.hdf5\n  carom compare wall.hdf5 --solvers nsgs --tol 1e-3,1e-6 "
      "--time-limit 5 --option nsgs.relaxation=1.2\n  carom compare wall.hdf5 --html compare.html --svg none\n\n"
      "A time counts only when the residual recomputed from the answer is within the tolerance.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_compare(*arguments); }; });
}

}  // namespace carom
