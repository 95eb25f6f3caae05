// How an impact goes on, as a table: velocities, impulses, forces and energies at every moment that the law tells of.
#pragma once

#include "engine/system_impact.h"
#include "io/table_file.h"

namespace carom {

// The names of the rows of an impact problem: contact, then "n", "t", "t1" or "t2".
std::vector<std::string> row_names(const SystemImpact& impact);

class EvolutionFile {
 public:
  EvolutionFile(const std::string& file, const SystemImpact& impact);

  void add(const ImpactMoment& moment);
  void finish();
  std::int64_t moments() const { return moments_; }

 private:
  void write_header(const ImpactMoment& first);

  const SystemImpact& impact_;
  TableFile table_;
  std::int64_t moments_ = 0;
};

}  // namespace carom
