// carom solvers: the table of solvers with their options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "app/command.h"
#include "solvers/registry.h"

namespace carom {

namespace {

std::string range_text(const OptionRange& range) {
  const bool low = std::isfinite(range.low), high = std::isfinite(range.high);
  if (low && high) return fmt::format("{:g} to {:g}", range.low, range.high);
  if (low) return fmt::format(">= {:g}", range.low);
  if (high) return fmt::format("<= {:g}", range.high);
  return "";
}

void print_solver(const SolverInfo& solver) {
  fmt::print("{}: {}\n", solver.name, solver.summary);
  for (const OptionInfo& option : solver.options) {
    std::string about = fmt::format("{}, default {}", option.type, option.default_value);
    const std::string range = range_text(option.range);
    if (!range.empty()) about += ", " + range;
    if (!option.unit.empty()) about += ", " + option.unit;
    fmt::print("  {:<22} {}\n  {:<22} ({})\n", option.name, option.help, "", about);
  }
}

}  // namespace

void add_solvers_command(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("solvers", "List the solvers and their options");
  command->footer("Example:\n  carom solvers\nIn a scene:\n  [solver]\n  name = \"nsgs\"\n  tolerance = 1e-9");
  command->callback([&chosen] {
    chosen = [] {
      bool first = true;
      for (const SolverInfo& solver : solver_table()) {
        if (!first) fmt::print("\n");
        print_solver(solver);
        first = false;
      }
      return int{kSuccess};
    };
  });
}

}  // namespace carom
