// What `carom compare` and benchmarks/peers share: the options, reading problems, progress, the table and the files.
#pragma once

#include "solvers/comparison.h"

namespace CLI {
class App;
}

namespace carom {

struct CompareArguments {
  std::vector<std::string> files;
  std::vector<std::string> solvers = {"all"};
  std::vector<double> tolerances = ComparisonOptions().tolerances;
  double max_seconds = ComparisonOptions().max_seconds;
  int repeats = ComparisonOptions().repeats;
  std::vector<std::string> options;  // "solver.option=value"
  std::string csv = "compare.csv";   // "none": not written
  std::string svg = "compare.svg";
  std::string history = "none";
  std::string html = "none";
  bool details = false;
  bool quiet = false;
};
void add_compare_options(CLI::App& command, CompareArguments& arguments);

// All solvers of the registry with the options given for them, auto first where there is one.
std::vector<Contender> registry_contenders(const CompareArguments& arguments);

// Those that were asked for, in the order asked. Throws InputError listing the names there are.
std::vector<Contender> chosen_contenders(const CompareArguments& arguments, std::vector<Contender> all);

// A problem of a file, named after it.
struct LoadedProblem {
  std::string name;
  ConeProblem problem;
};

// Reads and checks every file: the first that is no problem throws InputError naming it.
std::vector<LoadedProblem> load_problems(const std::vector<std::string>& files);

// Compares, prints the table and writes the files; on a stop signal with what there is until then.
Comparison run_comparison(const CompareArguments& arguments, const std::vector<LoadedProblem>& problems,
                          const std::vector<Contender>& contenders);

}  // namespace carom
