// carom solve: one contact problem from a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/command.h"
#include "io/json.h"
#include "app/option_text.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/fclib.h"
#include "io/text_file.h"
#include "solvers/problem_figures.h"
#include "solvers/registry.h"

namespace carom {

namespace {

struct SolveArguments {
  std::string problem;
  std::string solver;
  std::string tolerance, measure, max_iterations, time_limit;  // as given, "" otherwise
  std::vector<std::string> options;                            // name=value
  std::string solution, dump, history;                         // files to write
  bool guess = false;
  bool json = false;
};

struct Solved {
  FclibProblem file;
  ProblemFigures figures;
  const SolverInfo* solver = nullptr;  // row of the table
  OptionValues options;
  Residuals before;  // of the first guess
  SolveReport report;
  VectorXd r;
  ContactStates states;
  std::vector<std::string> written;
};

// ---- Solver and options ----

const SolverInfo* find_solver(const std::string& name) {
  for (const SolverInfo& info : solver_table()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string default_solver() { return find_solver("auto") != nullptr ? "auto" : "nsgs"; }

OptionValues option_values(const SolveArguments& a) {
  OptionValues values;
  const auto add_if_given = [&](const char* name, const std::string& text) {
    if (!text.empty()) add_option_value(values, name, text);
  };
  add_if_given("tolerance", a.tolerance);
  add_if_given("measure", a.measure);
  add_if_given("max_iterations", a.max_iterations);
  add_if_given("max_seconds", a.time_limit);
  for (const auto& [name, value] : parse_options(a.options))
    if (!values.emplace(name, value).second)
      throw InputError({"", 0, 0, "--option " + name}, "is given twice", text_of(value));
  if (!a.history.empty()) values.insert_or_assign("record_history", true);
  return values;
}

// The value an option has: the one given, or its default.
std::string option_text(const Solved& s, const std::string& name) {
  if (const auto given = s.options.find(name); given != s.options.end()) {
    const double* real = std::get_if<double>(&given->second);
    return real != nullptr ? fmt::format("{:g}", *real) : text_of(given->second);
  }
  for (const OptionInfo& option : s.solver->options) {
    if (option.name == name) return option.default_value;
  }
  return "";
}

// ---- Words ----

std::string status_text(SolveStatus status) {
  switch (status) {
    case SolveStatus::Solved:
      return "solved";
    case SolveStatus::MaxIterations:
      return "not solved: the iteration limit was reached";
    case SolveStatus::MaxTime:
      return "not solved: the time limit was reached";
    case SolveStatus::Stalled:
      return "not solved: the residual stopped falling";
    case SolveStatus::NumericalError:
      return "not solved: a number stopped being finite or a factorization failed";
    case SolveStatus::Infeasible:
      return "not solved: the problem has no solution";
    case SolveStatus::RayTermination:
      return "not solved: the pivoting left along a ray";
  }
  return "not solved";
}

std::string advice(const SolveArguments& a, const Solved& s) {
  std::vector<std::string> ideas;
  if (s.report.status == SolveStatus::MaxIterations)
    ideas.push_back(fmt::format("--max-iterations above {}", option_text(s, "max_iterations")));
  if (s.report.status == SolveStatus::MaxTime)
    ideas.push_back(fmt::format("--time-limit above {}", option_text(s, "max_seconds")));
  if (s.report.status == SolveStatus::Stalled)
    ideas.push_back(fmt::format(
        "--tol above the {:.2g} reached",
        measured(s.report.residuals,
                 option_text(s, "measure") == name_of(Measure::Velocity) ? Measure::Velocity : Measure::NaturalMap)));
  std::vector<std::string> others;
  for (const SolverInfo& info : solver_table()) {
    if (info.name != s.solver->name) others.push_back(info.name);
  }
  if (!others.empty()) ideas.push_back(fmt::format("--solver {}", fmt::join(others, "|")));
  if (a.dump.empty())
    ideas.push_back("--dump FILE to keep the best impulses, which carom solve FILE --guess goes on from");
  else
    ideas.push_back(fmt::format("carom solve {} --guess, which goes on from the best impulses", a.dump));
  return fmt::format("{}", fmt::join(ideas, ", or "));
}

std::string plural(std::int64_t count, const char* one) {
  return fmt::format("{} {}{}", with_commas(count), one, count == 1 ? "" : "s");
}

std::string problem_text(const Solved& s) {
  const ProblemFigures& f = s.figures;
  std::string text = fmt::format("{} in {}D, {}, {} of W", plural(f.contacts, "contact"), s.file.dimension,
                                 plural(f.rows, "unknown"), plural(f.nonzeros, "nonzero"));
  if (f.free_blocks > 0) text += fmt::format(", {}", plural(f.free_blocks, "bilateral row"));
  if (s.file.global)
    text += fmt::format(", condensed from {}", plural(s.file.global->f.size(), "degree") + " of freedom");
  return text;
}

std::string friction_text(const ProblemFigures& f) {
  return f.mu_min == f.mu_max ? fmt::format("{:g}", f.mu_max) : fmt::format("{:g} to {:g}", f.mu_min, f.mu_max);
}

std::string residual_text(const Residuals& r) {
  std::string text = fmt::format("{:.3g} natural map, relative to |q|; {:.3g} m/s", r.natural_map, r.velocity_worst);
  if (r.worst_block >= 0) text += fmt::format(" at the worst contact, {}", r.worst_block);
  return text;
}

std::string solver_text(const Solved& s) {
  const std::string tolerance = option_text(s, "tolerance");
  if (tolerance.empty()) return s.solver->name;
  const bool velocity = option_text(s, "measure") == name_of(Measure::Velocity);
  return fmt::format("{} to {} {}", s.solver->name, tolerance,
                     velocity ? "m/s at the worst contact" : "by the natural map");
}

void print_text(const SolveArguments& a, const Solved& s) {
  std::string text = fmt::format("{}{}\n", a.problem, s.file.info.title.empty() ? "" : ": " + s.file.info.title);
  text += row("problem", problem_text(s));
  text += row("friction", friction_text(s.figures));
  text += row("asymmetry", fmt::format("{:.2g} = max|W - W^T| / max|W|", s.figures.asymmetry));
  text += row("solver", solver_text(s));
  if (a.guess) text += row("guess", residual_text(s.before));
  text += row("status", status_text(s.report.status));
  text += row("iterations", fmt::format("{} in {}", with_commas(s.report.iterations), duration_text(s.report.seconds)));
  text += row("residual", residual_text(s.report.residuals));
  text += row("contacts", fmt::format("{} open, {} sticking, {} sliding", with_commas(s.states.open),
                                      with_commas(s.states.sticking), with_commas(s.states.sliding)));
  if (const std::string told = told_by(s.report); !told.empty()) text += row("message", told);
  for (const std::string& file : s.written) text += row("written", file);
  if (!s.report.solved()) {
    if (!a.solution.empty()) text += row("not written", a.solution + ", since this is no solution");
    text += row("try", advice(a, s));
  }
  fmt::print("{}", text);
}

JsonObject residual_json(const Residuals& residuals) {
  JsonObject json;
  json.add("natural_map", residuals.natural_map);
  json.add("velocity_worst", residuals.velocity_worst);
  json.add("velocity_rms", residuals.velocity_rms);
  json.add("worst_contact", residuals.worst_block);
  return json;
}

void print_json(const SolveArguments& a, const Solved& s, int exit_code) {
  JsonObject problem, contacts, json;
  problem.add("contacts", s.figures.contacts);
  problem.add("bilateral_rows", s.figures.free_blocks);
  problem.add("dimension", s.file.dimension);
  problem.add("unknowns", s.figures.rows);
  problem.add("nonzeros", s.figures.nonzeros);
  problem.add("mu_min", s.figures.mu_min);
  problem.add("mu_max", s.figures.mu_max);
  problem.add("asymmetry", s.figures.asymmetry);
  problem.add("global", s.file.global.has_value());
  contacts.add("open", s.states.open);
  contacts.add("sticking", s.states.sticking);
  contacts.add("sliding", s.states.sliding);
  json.add("file", a.problem);
  json.add("title", s.file.info.title);
  json.add("problem", problem);
  json.add("solver", s.solver->name);
  json.add("tolerance", std::strtod(option_text(s, "tolerance").c_str(), nullptr));
  json.add("measure", option_text(s, "measure"));
  json.add("status", name_of(s.report.status));
  json.add("solved", s.report.solved());
  json.add("exit_code", exit_code);
  json.add("iterations", s.report.iterations);
  json.add("seconds", s.report.seconds);
  json.add("residuals", residual_json(s.report.residuals));
  json.add("contacts", contacts);
  json.add("message", told_by(s.report));
  json.add("written", s.written);
  fmt::print("{}\n", json.text());
}

// ---- The work ----

// Whatever would make the answer useless is found before the solve.
void check_outputs(const SolveArguments& a) {
  for (const std::string& file : {a.solution, a.dump, a.history}) {
    if (file.empty()) continue;
    std::error_code ignored;
    if (std::filesystem::equivalent(file, a.problem, ignored))
      throw InputError({file, 0, 0, ""}, "is the problem itself; name another file");
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      throw OutputError(file, "cannot be created: no such folder");
  }
}

void write_history(const std::string& file, const SolveReport& report) {
  std::string text = "iteration,seconds,natural_map,velocity_worst,velocity_rms,worst_contact\n";
  for (const HistoryEntry& entry : report.history) {
    const Residuals& r = entry.residuals;
    text += fmt::format("{},{:.6g},{},{},{},{}\n", entry.iteration, entry.seconds, r.natural_map, r.velocity_worst,
                        r.velocity_rms, r.worst_block);
  }
  write_text_file(file, text);
}

void write_outputs(const SolveArguments& a, Solved& s) {
  if (!a.history.empty()) {
    write_history(a.history, s.report);
    s.written.push_back(a.history);
  }
  if (!a.solution.empty() && s.report.solved()) {
    write_solution(a.solution, s.file, s.r);
    s.written.push_back(a.solution);
  }
  if (!a.dump.empty() && !s.report.solved()) {
    FclibProblem dump = s.file;
    dump.guesses = {split_impulses(s.file, s.r)};
    write_fclib(a.dump, dump);
    s.written.push_back(a.dump);
  }
}

int solve_command(const SolveArguments& a) {
  Solved s;
  const std::string name = a.solver.empty() ? default_solver() : a.solver;
  s.options = option_values(a);
  const std::unique_ptr<Solver> solver = make_solver(name, s.options);
  s.solver = find_solver(name);
  check_outputs(a);

  s.file = read_fclib(a.problem);
  const ConeProblem& problem = s.file.problem;
  check_kinds(name, s.solver->takes, problem.cones);
  s.figures = figures_of(problem);
  if (a.guess && s.file.guesses.empty()) throw InputError({a.problem, 0, 0, "/guesses"}, "the file holds no guess");
  s.r = a.guess ? stacked_impulses(problem.cones, s.file.guesses[0]) : VectorXd::Zero(problem.cones.rows());

  VectorXd u(s.r.size());
  s.before = compute_residuals(problem, s.r, u);
  s.report = solver->solve(problem, s.r);
  s.report.residuals = compute_residuals(problem, s.r, u);
  s.states = count_states(problem, s.r, u);

  std::string disk_error;
  try {
    write_outputs(a, s);
  } catch (const OutputError& error) {
    disk_error = error.what();
  }
  const int code = s.report.solved() && disk_error.empty() ? kSuccess : kRunFailed;
  if (a.json)
    print_json(a, s, code);
  else
    print_text(a, s);
  if (!s.report.solved()) print_error(fmt::format("{}: {}", a.problem, status_text(s.report.status)));
  if (!disk_error.empty()) print_error(disk_error);
  return code;
}

}  // namespace

void add_solve_command(CLI::App& program, Action& chosen) {
  auto a = std::make_shared<SolveArguments>();
  CLI::App* command = program.add_subcommand("solve", "Solve one contact problem (FCLIB) from a file");
  command->add_option("PROBLEM", a->problem, "Problem, FCLIB's local or global form (.hdf5)")->required();
  command->add_option("--solver", a->solver,
                      fmt::format("Name of the solver (default: {}); carom solvers lists them", default_solver()));
  command->add_option("--tol,--tolerance", a->tolerance, "Solved when the recomputed residual is at most this");
  command->add_option("--measure", a->measure, "Which residual: natural_map (relative to |q|) or velocity (m/s)");
  command->add_option("--max-iterations", a->max_iterations, "Iteration limit");
  command->add_option("--time-limit", a->time_limit, "Time limit, s");
  command->add_option("--option", a->options, "Any option of the solver, name=value; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--guess", a->guess, "Start from the file's first guess instead of zero");
  command->add_option("--solution", a->solution, "Write problem and solution here (FCLIB), when solved");
  command->add_option("--dump", a->dump, "Write problem and best impulses as guess here (FCLIB), when not solved");
  command->add_option("--history", a->history, "Write the residuals of every check here (CSV)");
  command->add_flag("--json", a->json, "Print one JSON object");
  command->footer(
      "Exit codes: 0 solved, 2 bad input, 3 not solved or full disk.\n"
      "Examples:\n  carom solve pile.step00000042.hdf5 --tol 1e-10 --solution answer.hdf5\n"
      "  carom solve tower.hdf5 --solver nsgs --option relaxation=1.2 --max-iterations 100000 --dump left.hdf5");
  command->callback([a, &chosen] { chosen = [a] { return solve_command(*a); }; });
}

}  // namespace carom
