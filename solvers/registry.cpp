#include "solvers/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "solvers/admm.h"
#include "solvers/apgd.h"
#include "solvers/auto_solver.h"
#include "solvers/ipm.h"
#include "solvers/lemke.h"
#include "solvers/newton.h"
#include "solvers/nsgs.h"
#include "solvers/pgs.h"
#include "solvers/proximal.h"
#include "solvers/small_exact.h"
#include "solvers/stewart_trinkle.h"

namespace carom {

namespace {

struct Entry {
  SolverInfo info;
  std::unique_ptr<Solver> (*make)(const OptionValues&);
};

template <class S>
Entry entry(const char* summary) {
  int most_blocks = 0;
  if constexpr (requires { S::kMostBlocks; }) most_blocks = S::kMostBlocks;
  return {{std::string(S::kName), summary, S::kTakes, most_blocks, describe_options<typename S::Options>()},
          [](const OptionValues& values) -> std::unique_ptr<Solver> {
            return std::make_unique<S>(make_options<typename S::Options>(fmt::format("solver {}", S::kName), values));
          }};
}

// One line per solver.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      entry<Auto>("the fastest sure way by size and tolerance; the report tells what ran"),
      entry<SmallExact>("active-set Newton in fixed arrays: up to ten blocks, to machine precision, in microseconds"),
      entry<Nsgs>("block Gauss-Seidel with exact one-contact solves: sure, for everything large"),
      entry<Newton>("semismooth Newton on the Alart-Curnier function after a few sweeps of nsgs: all digits"),
      entry<Ipm>("primal-dual interior point on the cones: accurate, and at ease with redundant contacts"),
      entry<Proximal>("proximal points with newton inside: slow and sure, where newton and ipm get lost"),
      entry<Lemke>("Lemke's pivoting on sparse bases: frictionless contacts and joints, to full accuracy"),
      entry<StewartTrinkle>("friction cones cut into facets, the LCP solved by pivoting or sweeps"),
      entry<Pgs>("projected Gauss-Seidel: the cheapest sweeps, for quick answers and complementarity problems"),
      entry<Admm>("operator splitting with one factorization and accelerated iterations: stiff and redundant problems"),
      entry<Apgd>("accelerated projected gradients: one product with W per iteration, nothing factored"),
  };
  return table;
}

}  // namespace

const std::vector<SolverInfo>& solver_table() {
  static const std::vector<SolverInfo> table = [] {
    std::vector<SolverInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return table;
}

bool takes(const SolverInfo& solver, const Cones& cones) {
  return (solver.most_blocks == 0 || cones.count() <= solver.most_blocks) && takes_all(solver.takes, cones);
}

std::unique_ptr<Solver> make_solver(const std::string& name, const OptionValues& options) {
  std::string valid;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry.make(options);
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", entry.info.name);
  }
  throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = "solver"},
                   fmt::format("unknown solver; known are {}", valid), name);
}

}  // namespace carom
