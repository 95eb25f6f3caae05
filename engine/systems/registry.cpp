#include "engine/systems/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "engine/systems/ball_chain.h"
#include "engine/systems/bead_column.h"
#include "engine/systems/bernoulli_balls.h"
#include "engine/systems/double_pendulum.h"
#include "engine/systems/painleve_rod.h"
#include "engine/systems/rocking_block.h"
#include "engine/systems/triple_contact.h"

namespace carom {

namespace {

struct Entry {
  SystemInfo info;
  std::unique_ptr<LagrangianSystem> (*make)(const OptionValues&);
};

template <class S>
Entry entry() {
  return {
      {std::string(S::kName), std::string(S::kSummary), describe_options<typename S::Parameters>()},
      [](const OptionValues& values) -> std::unique_ptr<LagrangianSystem> {
        return std::make_unique<S>(make_options<typename S::Parameters>(fmt::format("system {}", S::kName), values));
      }};
}

// One line per system.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      entry<BallChain>(),   entry<BeadColumn>(),    entry<BernoulliBalls>(), entry<RockingBlock>(),
      entry<PainleveRod>(), entry<TripleContact>(), entry<DoublePendulum>(),
  };
  return table;
}

}  // namespace

const std::vector<SystemInfo>& system_table() {
  static const std::vector<SystemInfo> table = [] {
    std::vector<SystemInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return table;
}

std::unique_ptr<LagrangianSystem> make_system(const std::string& name, const OptionValues& parameters) {
  std::string valid;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry.make(parameters);
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", entry.info.name);
  }
  throw InputError({"", 0, 0, "system"}, fmt::format("unknown system; known are {}", valid), name);
}

}  // namespace carom
