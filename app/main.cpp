// The program: parses the command line, calls the command, and turns what went wrong into a message and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "app/command.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/version.h"
#include "io/toml_reader.h"

namespace carom {

namespace {

void describe_program(CLI::App& program, Action& chosen) {
  program.name("carom");
  program.set_version_flag("--version", std::string("carom ") + kVersion);
  program.require_subcommand(0, 1);
  add_run_command(program, chosen);
  add_rockfall_command(program, chosen);
  add_solve_command(program, chosen);
  add_impact_command(program, chosen);
  add_info_command(program, chosen);
  add_report_command(program, chosen);
  add_plot_command(program, chosen);
  add_export_command(program, chosen);
  add_new_command(program, chosen);
  add_compare_command(program, chosen);
  add_solvers_command(program, chosen);
  program.footer(
      "Example:\n  carom new newton_cradle\n  carom run newton_cradle.toml\n  carom info newton_cradle.h5\n\ncarom "
      "COMMAND --help tells more.");
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// What the parser did not expect, with the nearest thing it would have.
std::string usage_problem(const CLI::App& program, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const auto called = program.get_subcommands();
  const CLI::App& command = called.empty() ? program : *called.front();
  const std::vector<std::string> extras = program.remaining(true);
  if (extras.empty()) return error.what();
  const std::string& word = extras.front();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option {}{}", name, suggestion(name, option_names(command)));
  }
  if (called.empty()) return fmt::format("unknown command \"{}\"{}", word, suggestion(word, command_names(program)));
  return fmt::format("\"{}\" was not expected", word);
}

int run_program(int argc, char** argv) {
  CLI::App program("Carom simulates rigid bodies that touch, rub and collide.");
  Action chosen;
  describe_program(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    const auto called = program.get_subcommands();
    const std::string command = called.empty() ? "" : called.front()->get_name() + " ";
    print_error(fmt::format("{}\ntry: carom {}--help", usage_problem(program, error), command));
    return kBadInput;
  }
  if (!chosen) {
    fmt::print("{}", program.help());
    return kSuccess;
  }
  return chosen();
}

int guarded(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const InputError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const OutputError& error) {
    print_error(error.what());
    return kBadInput;
  } catch (const InternalError& error) {
    print_error(fmt::format("{}\nthis is a bug of carom: please report it, with the scene", error.what()));
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kRunFailed;
}

}  // namespace

}  // namespace carom

int main(int argc, char** argv) {
  // A file-size limit shall be a failed write that we report, not a kill.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = carom::guarded(argc, argv);
  if (std::fflush(stdout) == 0) return code;
  carom::print_error("standard output could not be written");
  return code == carom::kSuccess ? carom::kRunFailed : code;
}
