#include "app/comparison_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/stop_signal.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/timer.h"
#include "io/comparison_report.h"
#include "io/comparison_table.h"
#include "io/fclib.h"
#include "io/report/comparison_page.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr const char* kNoFile = "none";
constexpr const char* kPreferred = "auto";
constexpr int kUnlimitedWidth = 1 << 20;
constexpr double kLivePeriod = 0.1;    // s
constexpr double kPlainPeriod = 10.0;  // s

// ---- Arguments ----

OptionValue parsed_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto [rest, error] = std::from_chars(text.data(), end, integer); error == std::errc() && rest == end)
    return integer;
  double real = 0;
  if (const auto [rest, error] = std::from_chars(text.data(), end, real); error == std::errc() && rest == end)
    return real;
  return text;
}

// "solver.option=value", by solver.
std::map<std::string, OptionValues> parsed_options(const std::vector<std::string>& texts) {
  std::map<std::string, OptionValues> options;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.substr(0, equals).find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 == equals)
      throw InputError({"", 0, 0, "--option"}, "must read solver.option=value", text);
    options[text.substr(0, dot)][text.substr(dot + 1, equals - dot - 1)] = parsed_value(text.substr(equals + 1));
  }
  return options;
}

std::string listed(const std::vector<Contender>& contenders) {
  std::string names;
  for (const Contender& contender : contenders) names += (names.empty() ? "" : ", ") + contender.name;
  return names;
}

// Found out before hours of measuring rather than after.
void check_output(const std::string& file, const std::vector<std::string>& inputs) {
  if (file == kNoFile) return;
  std::error_code ignored;
  for (const std::string& input : inputs)
    if (std::filesystem::equivalent(input, file, ignored))
      throw InputError({file, 0, 0, ""}, "is one of the problems; name another file");
  if (std::filesystem::is_directory(file, ignored)) throw InputError({file, 0, 0, ""}, "is a folder, not a file");
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK) != 0) throw OutputError(file, "its folder does not exist or cannot be written");
}

void write_output(const std::string& file, const std::string& text) {
  if (file == kNoFile) return;
  write_text_file(file, text);
  fmt::print("wrote {}\n", file);
}

// ---- Progress ----

// One live line on a terminal, else a plain line now and then.
class ComparisonLine {
 public:
  explicit ComparisonLine(bool quiet) : quiet_(quiet), live_(is_live(stderr)), next_(live_ ? 0 : kPlainPeriod) {}
  ~ComparisonLine() { clear(); }
  ComparisonLine(const ComparisonLine&) = delete;
  ComparisonLine& operator=(const ComparisonLine&) = delete;

  void update(const ComparisonProgress& progress) {
    const double now = watch_.seconds();
    if (quiet_ || now < next_) return;
    std::string line =
        fmt::format("{}/{}  {}  {}  {:.0e}  after {}", progress.done + 1, progress.total, progress.problem,
                    progress.solver, progress.tolerance, duration_text(std::round(now)));
    if (live_) {
      line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, terminal_width(stderr) - 1))));
      fmt::print(stderr, "\r{}\x1b[K", line);
      std::fflush(stderr);
      shown_ = true;
    } else {
      fmt::print(stderr, "{}\n", line);
    }
    next_ = now + (live_ ? kLivePeriod : kPlainPeriod);
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool quiet_, live_;
  Stopwatch watch_;
  double next_;
  bool shown_ = false;
};

}  // namespace

void add_compare_options(CLI::App& command, CompareArguments& arguments) {
  command.add_option("FILES", arguments.files, "Problems, FCLIB files (HDF5)")->required();
  command.add_option("--solvers", arguments.solvers, "Solvers, separated by commas (default: all)")->delimiter(',');
  command
      .add_option("--tol", arguments.tolerances, "Tolerances of the natural-map residual (default: 1e-4,1e-8,1e-10)")
      ->delimiter(',');
  command.add_option("--time-limit", arguments.max_seconds, "Seconds that one solve may take (default: 30)");
  command.add_option("--repeat", arguments.repeats, "Measured solves at least; short ones get more (default: 3)");
  command.add_option("--option", arguments.options, "Option of one solver, as in nsgs.relaxation=1.3; repeatable")
      ->allow_extra_args(false);
  command.add_option("--csv", arguments.csv, "Every solve, or none (default: compare.csv)");
  command.add_option("--svg", arguments.svg, "Performance profiles, or none (default: compare.svg)");
  command.add_option("--html", arguments.html, "Profiles, convergence and table as one page (default: none)");
  command.add_option("--history", arguments.history,
                     "Residuals over iterations and time to the tightest tolerance, as CSV (default: none)");
  command.add_flag("--details", arguments.details, "Print iterations, status and residuals of every solve");
  command.add_flag("-q,--quiet", arguments.quiet, "No progress");
}

std::vector<Contender> registry_contenders(const CompareArguments& arguments) {
  std::map<std::string, OptionValues> options = parsed_options(arguments.options);
  std::vector<Contender> contenders;
  for (const SolverInfo& solver : solver_table()) {
    contenders.push_back(registry_contender(solver, options[solver.name]));
    options.erase(solver.name);
  }
  if (!options.empty())
    throw InputError({"", 0, 0, "--option"}, fmt::format("no such solver; there are {}", listed(contenders)),
                     options.begin()->first);
  std::stable_partition(contenders.begin(), contenders.end(), [](const Contender& c) { return c.name == kPreferred; });
  return contenders;
}

std::vector<Contender> chosen_contenders(const CompareArguments& arguments, std::vector<Contender> all) {
  if (arguments.solvers == std::vector<std::string>{"all"}) return all;
  std::vector<Contender> chosen;
  for (const std::string& name : arguments.solvers) {
    const auto named = [&](const Contender& contender) { return contender.name == name; };
    const auto found = std::find_if(all.begin(), all.end(), named);
    if (found == all.end())
      throw InputError({"", 0, 0, "--solvers"}, fmt::format("no such solver; there are all or {}", listed(all)), name);
    if (std::none_of(chosen.begin(), chosen.end(), named)) chosen.push_back(*found);
  }
  return chosen;
}

std::vector<LoadedProblem> load_problems(const std::vector<std::string>& files) {
  std::map<std::string, int> stems;
  const auto stem = [](const std::string& file) { return std::filesystem::path(file).stem().string(); };
  for (const std::string& file : files) ++stems[stem(file)];
  std::vector<LoadedProblem> problems;
  for (const std::string& file : files)
    problems.push_back({stems[stem(file)] == 1 ? stem(file) : file, read_fclib(file).problem});
  return problems;
}

Comparison run_comparison(const CompareArguments& arguments, const std::vector<LoadedProblem>& problems,
                          const std::vector<Contender>& contenders) {
  for (const std::string* file : {&arguments.csv, &arguments.svg, &arguments.history, &arguments.html})
    check_output(*file, arguments.files);
  ComparisonOptions options;
  options.tolerances = arguments.tolerances;
  options.max_seconds = arguments.max_seconds;
  options.repeats = arguments.repeats;
  options.record_history = arguments.history != kNoFile || arguments.html != kNoFile;
  std::vector<NamedProblem> named;
  for (const LoadedProblem& loaded : problems) named.push_back({loaded.name, &loaded.problem});

  catch_stop_signals();
  ComparisonLine line(arguments.quiet);
  const Comparison comparison = compare(named, contenders, options, [&](const ComparisonProgress& progress) {
    line.update(progress);
    return stop_signal() == 0;
  });
  line.clear();

  if (arguments.details) fmt::print("{}\n", comparison_details(comparison));
  fmt::print("{}", comparison_table(comparison, is_live(stdout) ? terminal_width(stdout) : kUnlimitedWidth));
  const Machine machine = describe_machine();
  write_output(arguments.csv, comparison_csv(comparison, machine));
  write_output(arguments.svg, profile_svg(comparison, machine));
  write_output(arguments.history, history_csv(comparison, machine));
  if (arguments.html != kNoFile) write_output(arguments.html, make_comparison_page(comparison, machine));
  return comparison;
}

}  // namespace carom
