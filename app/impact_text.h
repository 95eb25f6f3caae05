// An impact's outcome as people and programs read it.
#pragma once

#include "io/json.h"
#include "io/impact_file.h"

namespace carom {

// What one law made of the impact, or why it does not apply.
struct LawColumn {
  std::string law;
  std::optional<ImpactOutcome> outcome;
  std::string refusal;  // where there is no outcome
};

bool reached_an_end(const ImpactOutcome& outcome);  // done, or nothing to do
std::string status_text(const ImpactOutcome& outcome);
std::string inconsistency(const ImpactFile& file, const ImpactOutcome& outcome);  // "" when the outcome is consistent

std::string outcome_text(const std::string& file_name, const ImpactFile& file, const LawColumn& column);
std::string comparison_text(const std::string& file_name, const ImpactFile& file,
                            const std::vector<LawColumn>& columns);
JsonObject outcome_json(const ImpactFile& file, const LawColumn& column);
void add_impact(const ImpactFile& file, JsonObject& json);  // what is struck

}  // namespace carom
