#include "io/impact_evolution.h"

namespace carom {

std::vector<std::string> row_names(const SystemImpact& impact) {
  constexpr const char* kPlane[] = {"n", "t"};
  constexpr const char* kSpace[] = {"n", "t1", "t2"};
  std::vector<std::string> names;
  for (int i : impact.closed) {
    const int dim = impact.system->contact_dim(i);
    for (int k = 0; k < dim; ++k)
      names.push_back(fmt::format("{} {}", impact.system->contact_name(i), dim == 3 ? kSpace[k] : kPlane[k]));
  }
  return names;
}

EvolutionFile::EvolutionFile(const std::string& file, const SystemImpact& impact) : impact_(impact), table_(file) {}

// Forces and stored energies are columns where the law has them.
void EvolutionFile::write_header(const ImpactMoment& first) {
  const LagrangianSystem& system = *impact_.system;
  const std::vector<std::string> rows = row_names(impact_);
  std::string header = first.force.size() > 0 ? "time [s]" : "stage";
  const auto add = [&](const std::string& text) { header += "," + csv_text(text); };
  for (int i = 0; i < system.coordinates(); ++i) add("v " + system.coordinate_name(i));
  for (const std::string& row : rows) add("u " + row + " [m/s]");
  for (const std::string& row : rows) add("p " + row + " [N s]");
  if (first.force.size() > 0)
    for (const std::string& row : rows) add("force " + row + " [N]");
  if (first.energy.size() > 0)
    for (int i : impact_.closed) add("energy " + system.contact_name(i) + " [J]");
  add("kinetic [J]");
  add("potential [J]");
  table_.row("{}", header);
}

void EvolutionFile::add(const ImpactMoment& moment) {
  if (moments_++ == 0) write_header(moment);
  std::string line = fmt::format("{}", moment.time);
  for (const VectorXd* part : {&moment.v, &moment.u, &moment.p, &moment.force, &moment.energy})
    for (double value : *part) fmt::format_to(std::back_inserter(line), ",{}", value);
  table_.row("{},{},{}", line, moment.kinetic, moment.potential);
}

void EvolutionFile::finish() { table_.finish(); }

}  // namespace carom
