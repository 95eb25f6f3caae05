#include "engine/impact/registry.h"

#include <fmt/format.h>

#include "base/error.h"
#include "engine/impact/binary.h"
#include "engine/impact/impulse_ratio.h"
#include "engine/impact/lzb.h"
#include "engine/impact/newton.h"
#include "engine/impact/poisson.h"
#include "engine/impact/restitution_matrix.h"

namespace carom {

namespace {

// A name for a law with one of its options fixed.
struct Preset {
  const char* name;
  const char* option;
  const char* value;
};

struct Entry {
  ImpactLawInfo info;
  std::vector<Preset> presets;
  std::unique_ptr<ImpactLaw> (*make)(const OptionValues&);
};

template <class L>
Entry entry(const char* summary, std::vector<Preset> presets = {}) {
  Entry made{{.name = std::string(L::kName),
              .summary = summary,
              .restitution = std::string(L::kRestitution),
              .most_restitution = L::kMostRestitution,
              .friction = L::kFriction,
              .presets = {},
              .options = describe_options<typename L::Options>()},
             std::move(presets),
             [](const OptionValues& values) -> std::unique_ptr<ImpactLaw> {
               return std::make_unique<L>(make_options<typename L::Options>(fmt::format("law {}", L::kName), values));
             }};
  for (const Preset& preset : made.presets) made.info.presets.emplace_back(preset.name);
  return made;
}

// One row per law; a law added here is known to files, command line and documentation. The class tells its kName,
// kRestitution, kMostRestitution and kFriction, and has Options.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      entry<NewtonLaw>("each contact reversed by its own coefficients; one cone problem",
                       {{"moreau", "preset", "moreau"}, {"fremond", "preset", "fremond"}}),
      entry<RestitutionMatrixLaw>("coupled contacts, reversed by a matrix in the kinetic metric"),
      entry<PoissonLaw>("compression, then expansion that returns a part of its impulses (Pfeiffer-Glocker)"),
      entry<BinaryLaw>("sequences of two-body collisions in a stated order"),
      entry<ImpulseRatioLaw>("neighbours take a constant share of a contact's impulse (Ceanga-Hurmuzlu)"),
      entry<Lzb>("contacts are springs that return part of their work, impulses spread by it (Liu-Zhao-Brogliato)"),
  };
  return table;
}

}  // namespace

const std::vector<ImpactLawInfo>& impact_law_table() {
  static const std::vector<ImpactLawInfo> table = [] {
    std::vector<ImpactLawInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return table;
}

std::unique_ptr<ImpactLaw> make_impact_law(const std::string& name, const OptionValues& options) {
  std::string valid;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry.make(options);
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", entry.info.name);
    for (const Preset& preset : entry.presets) {
      if (preset.name == name) {
        OptionValues values = options;
        if (const auto [given, added] = values.emplace(preset.option, std::string(preset.value)); !added)
          throw InputError({"", 0, 0, preset.option}, fmt::format("is fixed by the law {}", name),
                           text_of(given->second));
        return entry.make(values);
      }
      valid += fmt::format(", {}", preset.name);
    }
  }
  throw InputError({"", 0, 0, "law"}, fmt::format("unknown impact law; known are {}", valid), name);
}

}  // namespace carom
