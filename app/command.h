// The commands, one file each. A command registers its options with the parser and, when it is the one called, leaves
// in `chosen` what to do.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace carom {

// What the program returns. A run ended by a signal returns 128 + its number: 130 for SIGINT, 143 for SIGTERM.
enum ExitCode : int {
  kSuccess = 0,
  kBadInput = 2,   // usage, scene or output file, before anything ran
  kRunFailed = 3,  // numerics or the disk, once a run was under way
};

using Action = std::function<int()>;

void add_run_command(CLI::App& program, Action& chosen);
void add_rockfall_command(CLI::App& program, Action& chosen);
void add_solve_command(CLI::App& program, Action& chosen);
void add_impact_command(CLI::App& program, Action& chosen);
void add_info_command(CLI::App& program, Action& chosen);
void add_export_command(CLI::App& program, Action& chosen);
void add_report_command(CLI::App& program, Action& chosen);
void add_plot_command(CLI::App& program, Action& chosen);
void add_new_command(CLI::App& program, Action& chosen);
void add_compare_command(CLI::App& program, Action& chosen);
void add_solvers_command(CLI::App& program, Action& chosen);

}  // namespace carom
