// All solvers on real problems: impulses need not be unique, velocities are.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/fclib.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr int kLargest = 120;   // contacts: larger ones are left to the benchmarks
constexpr double kSeconds = 1;  // many times what those need that reach it at all

std::vector<std::filesystem::path> shared_problems() {
  const std::filesystem::path folder = std::filesystem::path(CAROM_SOURCE_DIR) / ".." / "shared" / "fclib";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// With enough friction a body can wedge itself in more than one way: here ipm finds other velocities than the rest, and
// both hold to 1e-10.
constexpr const char* kSeveralSolutions = "OneObject-i100000-316.hdf5";

// The velocities that a solver finds, or nothing where it does not reach 1e-10 in time.
VectorXd velocities_by(const std::string& name, const ConeProblem& problem) {
  const auto solver = make_solver(name, {{"tolerance", 1e-10}, {"max_seconds", kSeconds}});
  VectorXd r = VectorXd::Zero(problem.cones.rows()), u(r.size());
  if (!solver->solve(problem, r).solved()) return {};
  CHECK(compute_residuals(problem, r, u).natural_map <= 1e-10);
  return u;
}

}  // namespace

TEST_CASE("solvers agree on the velocities of the shared problems to 1e-6 of |q|") {
  const auto files = shared_problems();
  if (files.empty()) {
    MESSAGE("skipped: no problems at ../shared/fclib");
    return;
  }
  std::map<std::string, int> solved;
  int problems = 0;
  for (const auto& file : files) {
    const ConeProblem problem = read_fclib(file.string()).problem;
    if (problem.cones.count() > kLargest) continue;
    CAPTURE(file.filename().string());
    ++problems;
    const VectorXd reference = velocities_by("auto", problem);
    REQUIRE(reference.size() > 0);
    for (const SolverInfo& info : solver_table()) {
      if (!takes(info, problem.cones)) continue;
      const VectorXd u = velocities_by(info.name, problem);
      if (u.size() == 0) continue;
      ++solved[info.name];
      if (file.filename() != kSeveralSolutions)
        CHECK_MESSAGE((u - reference).norm() <= 1e-6 * problem.q.norm(), info.name);
    }
  }
  CHECK(problems > 15);
  for (const auto& [name, count] : solved) MESSAGE(name << ": " << count << " of " << problems);
  for (const char* name : {"auto", "newton", "ipm"}) CHECK(solved[name] == problems);
}
