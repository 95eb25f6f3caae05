// carom solvers: the table of solvers with their options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/command.h"
#include "app/option_text.h"
#include "solvers/registry.h"

namespace carom {

void add_solvers_command(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("solvers", "List the solvers and their options");
  command->footer("Example:\n  carom solvers\nIn a scene:\n  [solver]\n  name = \"nsgs\"\n  tolerance = 1e-9");
  command->callback([&chosen] {
    chosen = [] {
      bool first = true;
      for (const SolverInfo& solver : solver_table()) {
        if (!first) fmt::print("\n");
        fmt::print("{}", described(solver.name, solver.summary, solver.options));
        first = false;
      }
      return int{kSuccess};
    };
  });
}

}  // namespace carom
