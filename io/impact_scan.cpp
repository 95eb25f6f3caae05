#include "io/impact_scan.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/systems/registry.h"
#include "io/impact_evolution.h"
#include "io/scene_parts.h"
#include "io/toml_edit.h"

namespace carom {

namespace {

constexpr std::size_t kMostPoints = 10'000'000;

Place place_of(const std::string& name) { return {"", 0, 0, "--scan " + name}; }

double to_number(const std::string& word, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    throw InputError({"", 0, 0, "--scan"}, fmt::format("\"{}\" is not a finite number", word), text);
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// from:to:count or from:to:log:count, ends exactly as given.
std::vector<double> range_values(const std::vector<std::string>& parts, const std::string& text) {
  const bool log = parts.size() == 4 && parts[2] == "log";
  if (parts.size() != 3 && !log)
    throw InputError({"", 0, 0, "--scan"}, "must read name=from:to:count, name=from:to:log:count or name=a,b,c", text);
  const double from = to_number(parts[0], text), to = to_number(parts[1], text);
  const double count = to_number(parts.back(), text);
  if (count != std::floor(count) || count < 1 || count > static_cast<double>(kMostPoints))
    throw InputError({"", 0, 0, "--scan"}, fmt::format("the count must be a whole number in [1, {}]", kMostPoints),
                     text);
  if (log && !(from > 0 && to > 0)) throw InputError({"", 0, 0, "--scan"}, "a logarithmic scale needs ends > 0", text);
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> values(n, from);
  for (std::size_t i = 1; i < n; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(n - 1);
    values[i] = i + 1 == n ? to : log ? from * std::pow(to / from, share) : from + (to - from) * share;
  }
  return values;
}

// ---- What an axis changes ----

struct Target {
  ScanAxis axis;
  std::string path;        // of the tree, or ""
  ContactSetting contact;  // where path is ""
  bool mass_ratio = false;
};

bool has_option(const std::vector<OptionInfo>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const OptionInfo& option) { return option.name == name; });
}

const std::vector<OptionInfo>& law_options(const std::string& law) {
  static const std::vector<OptionInfo> none;
  const ImpactLawInfo* info = find_law(law);
  return info == nullptr ? none : info->options;
}

const std::vector<OptionInfo>& system_parameters(const std::string& type) {
  static const std::vector<OptionInfo> none;
  for (const SystemInfo& info : system_table())
    if (info.name == type) return info.parameters;
  return none;
}

struct Alias {
  const char* name;
  const char* key;
  bool relative;
};
constexpr Alias kAliases[] = {{"e", "restitution", false},
                              {"e_t", "tangential_restitution", false},
                              {"mu", "friction", false},
                              {"eta", "exponent", false},
                              {"stiffness_ratio", "stiffness", true}};

// A bare name that is no alias: a parameter of the system, an option of the law, or a key that all contacts have.
void resolve_bare(const ImpactFile& file, const std::string& law, Target& target) {
  const std::string& name = target.axis.name;
  if (has_option(system_parameters(file.section.type), name)) {
    target.path = "system." + name;
  } else if (has_option(law_options(law), name)) {
    target.path = law == file.law ? "impact." + name : fmt::format("impact.{}.{}", law, name);
  } else {
    std::vector<std::string> known = {"mass_ratio"};
    for (const Alias& alias : kAliases) known.emplace_back(alias.name);
    for (const OptionInfo& option : system_parameters(file.section.type)) known.push_back(option.name);
    for (const OptionInfo& option : law_options(law)) known.push_back(option.name);
    throw InputError(place_of(name), "is no number of this impact" + suggestion(name, known));
  }
}

Target resolve(const ScanAxis& axis, const ImpactFile& file, const std::string& law) {
  Target target;
  target.axis = axis;
  target.contact.place = place_of(axis.name);
  for (const Alias& alias : kAliases) {
    if (axis.name != alias.name) continue;
    target.contact.contact = "*";
    target.contact.key = alias.key;
    target.contact.relative = alias.relative;
    return target;
  }
  const std::size_t first = axis.name.find('.'), last = axis.name.rfind('.');
  if (axis.name == "mass_ratio") {
    const bool listed = std::any_of(
        system_parameters(file.section.type).begin(), system_parameters(file.section.type).end(),
        [](const OptionInfo& parameter) { return parameter.name == "mass" && parameter.type == "numbers"; });
    if (!listed && file.section.type != "explicit")
      throw InputError(target.contact.place, "this system has no list of masses; name its parameters instead");
    target.mass_ratio = true;
  } else if (axis.name.starts_with("contact.") && last > first) {
    target.contact.contact = axis.name.substr(first + 1, last - first - 1);
    target.contact.key = axis.name.substr(last + 1);
  } else if (first == std::string::npos) {
    resolve_bare(file, law, target);
  } else {
    target.path = axis.name;
  }
  return target;
}

// mass = [m, m ratio, m ratio, ...] with the first mass that the file has.
void set_mass_ratio(TomlNode& tree, const ImpactFile& base, const Place& place, double ratio) {
  const TomlNode* mass = find_node(tree, "system.mass");
  const auto* list = mass == nullptr ? nullptr : std::get_if<TomlArray>(&mass->value);
  const std::string file;
  double unit = 1;
  if (list != nullptr && !list->empty()) unit = TomlValue((*list)[0], file, "system.mass").real(positive());
  if (list == nullptr && mass != nullptr) unit = TomlValue(*mass, file, "system.mass").real(positive());
  const std::size_t bodies =
      list != nullptr && list->size() > 1 ? list->size() : static_cast<std::size_t>(base.section.system->coordinates());
  std::vector<double> masses(bodies, unit * ratio);
  masses[0] = unit;
  set_numbers(tree, "system.mass", masses, place);
}

// The file at one point of the grid.
ImpactFile build_point(TomlNode tree, const std::string& file_name, const ImpactFile& base,
                       const std::vector<Target>& targets, const std::vector<double>& values) {
  std::vector<ContactSetting> settings;
  for (std::size_t a = 0; a < targets.size(); ++a) {
    const Target& target = targets[a];
    if (target.mass_ratio) {
      set_mass_ratio(tree, base, target.contact.place, values[a]);
    } else if (!target.path.empty()) {
      set_number(tree, target.path, values[a], target.contact.place);
    } else {
      settings.push_back(target.contact);
      settings.back().value = values[a];
    }
  }
  return build_impact(tree, file_name, settings);
}

// ---- The grid ----

void name_columns(const ImpactFile& file, ImpactScan& scan) {
  const LagrangianSystem& system = *file.impact.system;
  for (int i = 0; i < system.coordinates(); ++i) scan.coordinates.push_back(system.coordinate_name(i));
  for (int i : file.impact.closed) scan.contacts.push_back(system.contact_name(i));
  scan.rows = row_names(file.impact);
}

void reserve_points(std::size_t points, ImpactScan& scan) {
  scan.velocity.resize(points * scan.coordinates.size());
  scan.impulse.resize(points * scan.rows.size());
  for (auto* column : {&scan.ker, &scan.dispersion, &scan.energy_change, &scan.energy_growth, &scan.kinematic_violation,
                       &scan.kinetic_violation, &scan.duration})
    column->resize(points);
  scan.events.resize(points);
  scan.status.resize(points);
  scan.consistent.resize(points);
}

void keep_point(std::size_t i, const SystemImpact& impact, const ImpactOutcome& outcome, ImpactScan& scan) {
  const ImpactReport& r = outcome.report;
  std::copy(outcome.v.begin(), outcome.v.end(),
            scan.velocity.begin() + static_cast<std::ptrdiff_t>(i) * outcome.v.size());
  std::copy(outcome.p.begin(), outcome.p.end(),
            scan.impulse.begin() + static_cast<std::ptrdiff_t>(i) * outcome.p.size());
  scan.ker[i] = r.ker;
  scan.dispersion[i] = outcome.dispersion;
  scan.energy_change[i] = r.energy_change;
  scan.energy_growth[i] = r.energy_growth;
  scan.kinematic_violation[i] = r.kinematic_violation;
  scan.kinetic_violation[i] = r.kinetic_violation;
  scan.duration[i] = r.duration;
  scan.events[i] = r.events;
  scan.status[i] = static_cast<std::uint8_t>(r.status);
  scan.consistent[i] = noise_of(impact, outcome).covers(r);
}

}  // namespace

ScanAxis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    throw InputError({"", 0, 0, "--scan"}, "must read name=from:to:count, name=from:to:log:count or name=a,b,c", text);
  ScanAxis axis;
  axis.name = text.substr(0, equals);
  const std::string rest = text.substr(equals + 1);
  if (rest.find(':') != std::string::npos) {
    axis.values = range_values(split(rest, ':'), text);
  } else {
    for (const std::string& word : split(rest, ',')) axis.values.push_back(to_number(word, text));
  }
  return axis;
}

double ImpactScan::axis_value(std::size_t point, std::size_t axis) const {
  std::size_t stride = 1;
  for (std::size_t a = axis + 1; a < axes.size(); ++a) stride *= axes[a].values.size();
  return axes[axis].values[point / stride % axes[axis].values.size()];
}

ImpactScan scan_impact(const std::string& text, const std::string& file_name, const std::string& law,
                       const OptionValues& options, const std::vector<ScanAxis>& axes, Threads threads) {
  const TomlNode tree = parse_toml(text, file_name);
  const ImpactFile base = build_impact(tree, file_name);
  ImpactScan scan;
  scan.name = base.name;
  scan.system = base.section.type;
  scan.law = law.empty() ? base.law : law;
  scan.axes = axes;
  name_columns(base, scan);

  std::size_t points = 1;
  std::vector<Target> targets;
  for (const ScanAxis& axis : axes) {
    for (const Target& other : targets)
      if (other.axis.name == axis.name) throw InputError(place_of(axis.name), "is given twice");
    if (axis.values.size() > kMostPoints / points)
      throw InputError(place_of(axis.name), fmt::format("the grid would have more than {} points", kMostPoints));
    points *= axis.values.size();
    targets.push_back(resolve(axis, base, scan.law));
  }
  reserve_points(points, scan);

  // Every point builds its own impact and law: nothing is shared, so nothing depends on who computes it.
  const auto compute = [&](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    std::vector<double> values;
    for (std::size_t a = 0; a < axes.size(); ++a) values.push_back(scan.axis_value(i, a));
    try {
      ImpactFile file = build_point(tree, file_name, base, targets, values);
      for (const auto& [name, value] : options) file.options[scan.law].insert_or_assign(name, value);
      if (file.impact.v.size() != static_cast<Eigen::Index>(scan.coordinates.size()) ||
          file.impact.problem.u_minus.size() != static_cast<Eigen::Index>(scan.rows.size()))
        throw InputError("the number of coordinates or of closed contacts changes along the scan");
      keep_point(i, file.impact, strike(file, *make_law_of(file, scan.law)), scan);
    } catch (const InputError& error) {
      std::string where;
      for (std::size_t a = 0; a < axes.size(); ++a)
        where += fmt::format("{}{}={:g}", a == 0 ? "at " : ", ", axes[a].name, values[a]);
      throw InputError(fmt::format("{} ({})", error.what(), where));
    }
  };
  parallel_for(threads, static_cast<std::ptrdiff_t>(points), compute, 2);
  return scan;
}

ScanSummary summarize(const ImpactScan& scan) {
  ScanSummary summary;
  for (std::size_t i = 0; i < scan.points(); ++i) {
    if (scan.status[i] > static_cast<std::uint8_t>(ImpactStatus::NothingApproaches)) ++summary.failed;
    if (scan.consistent[i] == 0) ++summary.inconsistent;
  }
  if (scan.points() == 0) return summary;
  const auto [ker_low, ker_high] = std::minmax_element(scan.ker.begin(), scan.ker.end());
  const auto [low, high] = std::minmax_element(scan.dispersion.begin(), scan.dispersion.end());
  summary.ker_min = *ker_low;
  summary.ker_max = *ker_high;
  summary.dispersion_min = *low;
  summary.dispersion_max = *high;
  return summary;
}

}  // namespace carom
