#include "io/impact_file.h"

#include <fmt/format.h>

#include "io/scene_parts.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::uintmax_t kMaxImpactBytes = 16u << 20;
constexpr double kTouching = 1e-9;  // m: gaps up to here are closed unless [impact] says otherwise

// Which contacts take part: those listed, or all that touch.
std::vector<int> read_closed(TomlTable* impact, const LagrangianSystem& system, double t, VectorIn q) {
  if (impact != nullptr) {
    impact->forbid_both("contacts", "gap_tolerance");
    if (const auto list = impact->find("contacts")) {
      std::vector<int> closed;
      for (const TomlValue& name : list->items()) closed.push_back(find_contact(system, name.text(), name.place()));
      std::sort(closed.begin(), closed.end());
      if (std::adjacent_find(closed.begin(), closed.end()) != closed.end()) list->fail("names a contact twice");
      if (closed.empty()) list->fail("must name at least one contact");
      return closed;
    }
  }
  const double tolerance = impact == nullptr ? kTouching : impact->real("gap_tolerance", not_negative(), kTouching);
  return closed_contacts(system, t, q, tolerance);
}

// Options of the chosen law stand in [impact], those of any law in [impact.LAW].
std::map<std::string, OptionValues> read_law_options(TomlTable& impact, const std::string& chosen) {
  std::map<std::string, OptionValues> options;
  options[chosen] = read_options(impact, find_law(chosen)->options);
  for (const std::string& law : law_names()) {
    auto own = impact.table(law);
    if (!own) continue;
    if (law == chosen)
      for (const auto& [name, value] : options[chosen])
        own->forbid(name, fmt::format("stands in [impact] already, which is for {} too", chosen));
    options[law].merge(read_options(*own, find_law(law)->options));
    own->finish();
  }
  return options;
}

std::string smallest_gap(const LagrangianSystem& system, double t, VectorIn q) {
  VectorXd g(system.contacts());
  system.gaps(t, q, g);
  int nearest = 0;
  g.minCoeff(&nearest);
  return fmt::format("the nearest is \"{}\" with a gap of {:.3g} m", system.contact_name(nearest), g[nearest]);
}

}  // namespace

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const ImpactLawInfo& info : impact_law_table()) {
    names.push_back(info.name);
    names.insert(names.end(), info.presets.begin(), info.presets.end());
  }
  return names;
}

const ImpactLawInfo* find_law(const std::string& name) {
  for (const ImpactLawInfo& info : impact_law_table())
    if (info.name == name || std::find(info.presets.begin(), info.presets.end(), name) != info.presets.end())
      return &info;
  return nullptr;
}

ImpactFile read_impact_file(const std::filesystem::path& file) {
  return parse_impact_file(read_text_file(file, kMaxImpactBytes), file.string());
}

ImpactFile parse_impact_file(const std::string& text, const std::string& file_name) {
  return build_impact(parse_toml(text, file_name), file_name);
}

ImpactFile build_impact(const TomlNode& tree, const std::string& file_name, std::span<const ContactSetting> settings) {
  TomlTable root(tree, file_name, "");
  if (root.empty())
    throw InputError({file_name, 0, 0, ""}, "the file is empty: it needs [system], and [impact] with a law");
  for (const char* section : {"system", "contact", "impact", "run", "solver", "output"}) root.allow(section);
  root.finish();

  ImpactFile file;
  file.name = std::filesystem::path(file_name).stem().string();
  file.section = read_system(root, settings);
  const LagrangianSystem& system = *file.section.system;
  const LagrangianState start = system.initial_state();

  auto impact = root.table("impact");
  file.place = impact ? impact->place() : Place{file_name, 0, 0, "impact"};
  const std::vector<std::string> laws = law_names();
  file.law = "newton";
  double t = 0;
  if (impact) {
    file.title = impact->text("title", "");
    t = impact->real("time", any_real(), 0);
    if (const auto law = impact->find("law")) file.law = laws[law->choice(laws)];
    impact->allow("threshold");  // of runs: [impact] serves both
    file.options = read_law_options(*impact, file.law);
  }
  std::vector<int> closed = read_closed(impact ? &*impact : nullptr, system, t, start.q);
  if (impact) impact->finish();
  if (closed.empty())
    throw InputError(file.place, "no contact is closed: " + smallest_gap(system, t, start.q) +
                                     "; [impact] gap_tolerance or contacts = [\"...\"] say which take part");

  file.impact = at_place(
      file.place, [&] { return impact_at(file.section.system, t, start, std::move(closed), file.section.preload); });
  try {
    check_impact(file.impact.problem);
  } catch (const InputError& error) {
    throw moved_to_contact(error, file.section, file.impact.closed, file.place);
  }
  return file;
}

std::unique_ptr<ImpactLaw> make_law_of(const ImpactFile& file, const std::string& law) {
  const auto given = file.options.find(law);
  return at_place(file.place,
                  [&] { return make_impact_law(law, given == file.options.end() ? OptionValues{} : given->second); });
}

bool ImpactNoise::covers(const ImpactReport& r) const {
  return r.energy_growth <= growth && r.kinematic_violation <= velocity && r.kinetic_violation <= impulse;
}

ImpactNoise noise_of(const SystemImpact& impact, const ImpactOutcome& outcome) {
  constexpr double kAccuracy = 1e-8;
  ImpactNoise noise;
  noise.velocity = kAccuracy * approach_speed(impact.problem);
  noise.impulse = kAccuracy * outcome.p.lpNorm<Eigen::Infinity>();
  return noise;
}

ImpactOutcome strike(const ImpactFile& file, ImpactLaw& law, const MomentObserver& observer) {
  try {
    return strike(file.impact, law, observer);
  } catch (const InputError& error) {
    throw moved_to_contact(error, file.section, file.impact.closed, file.place);
  }
}

}  // namespace carom
