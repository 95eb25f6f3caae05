// What a run tells of its joints and interfaces: `carom run` and `carom info` share it.
#pragma once

#include "io/json.h"
#include "io/run_reader.h"
#include "io/run_summary.h"

namespace carom {

struct StructureReport {
  std::size_t joints = 0;
  std::size_t bonds = 0;                        // interfaces bonded at the start
  std::array<std::size_t, 4> interfaces = {};   // at the end, by status
  CollapseRecord found;
  std::string fallen;                           // name of the block that fell first
  std::array<std::size_t, 4> mechanism = {};    // by status
  std::vector<std::string> opened;              // interfaces of the mechanism, in words, the widest first
  double weight = 0;                            // N, of what moves
  std::optional<double> tilt;                   // degrees, where the collapse began
};

StructureReport structure_of(const Scene& scene);
// `scene` as the run was made from it, where it is still understood.
StructureReport structure_of(const RunReader& run, const Scene* scene);

std::string structure_text(const StructureReport& report, const RunSummary& summary);
void add_structure(const StructureReport& report, const RunSummary& summary, JsonObject& json);

}  // namespace carom
