#include "io/system_section.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/systems/overridden.h"
#include "engine/systems/registry.h"
#include "engine/systems/stated.h"
#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr const char* kExplicit = "explicit";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// What [[contact]] may say. Upper limits of restitution are the impact laws' own.
struct ContactKey {
  const char* name;
  RealRange range;
  double PairLaw::*field;  // nullptr: preload
};
const std::vector<ContactKey>& contact_keys() {
  static const std::vector<ContactKey> keys = {
      {"friction", not_negative(), &PairLaw::friction},
      {"restitution", not_negative(), &PairLaw::restitution},
      {"tangential_restitution", within(-1, 1), &PairLaw::tangential_restitution},
      {"stiffness", positive(), &PairLaw::stiffness},
      {"exponent", {1, std::numeric_limits<double>::infinity(), false}, &PairLaw::exponent},
      {"preload", not_negative(), nullptr},
  };
  return keys;
}

// The numbers of all contacts while they are gathered.
struct ContactNumbers {
  std::vector<PairLaw> law;
  std::vector<double> preload;
  std::vector<Place> place;

  double& field(const ContactKey& key, int i) { return key.field == nullptr ? preload[at(i)] : law[at(i)].*key.field; }
};

void read_contact_numbers(TomlTable& table, int i, ContactNumbers& numbers) {
  for (const ContactKey& key : contact_keys()) {
    double& field = numbers.field(key, i);
    field = table.real(key.name, key.range, field);
  }
  numbers.place[at(i)] = table.place();
}

// ---- An impact stated by numbers ----

std::vector<double> read_list(const TomlValue& value) {
  std::vector<double> numbers;
  for (const TomlValue& item : value.items()) numbers.push_back(item.real());
  return numbers;
}

VectorXd to_vector(const std::vector<double>& numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

MatrixXd read_square(const TomlValue& value, Eigen::Index n) {
  MatrixXd matrix(n, n);
  const std::vector<TomlValue> rows = value.items();
  if (static_cast<Eigen::Index>(rows.size()) != n) value.fail_type(fmt::format("{} rows, one per velocity", n));
  for (Eigen::Index i = 0; i < n; ++i)
    matrix.row(i) = to_vector(rows[static_cast<std::size_t>(i)].reals(static_cast<std::size_t>(n))).transpose();
  return matrix;
}

// mass, mass_matrix or inverse_mass_matrix, whichever there is.
MatrixXd read_mass_matrix(TomlTable& system, Eigen::Index n) {
  for (const char* other : {"mass_matrix", "inverse_mass_matrix"}) system.forbid_both("mass", other);
  system.forbid_both("mass_matrix", "inverse_mass_matrix");
  if (const auto full = system.find("mass_matrix")) return read_square(*full, n);
  if (const auto inverse = system.find("inverse_mass_matrix")) {
    const Eigen::LLT<MatrixXd> factor(read_square(*inverse, n));
    if (factor.info() != Eigen::Success) inverse->fail_plainly("must be symmetric and positive definite");
    return factor.solve(MatrixXd::Identity(n, n));
  }
  return to_vector(system.need("mass").reals(static_cast<std::size_t>(n), positive())).asDiagonal();
}

std::vector<std::string> read_names(TomlTable& system, std::size_t n) {
  std::vector<std::string> names;
  const auto given = system.find("names");
  if (given && given->items().size() != n) given->fail_type(fmt::format("a list of {} names", n));
  for (std::size_t i = 0; i < n; ++i) names.push_back(given ? given->items()[i].text() : fmt::format("v{}", i + 1));
  return names;
}

StatedContact read_stated_contact(TomlTable& table, std::size_t number, std::size_t n) {
  StatedContact contact;
  contact.name = table.text("name", fmt::format("{}", number));
  contact.support = table.flag("support", false);
  const TomlValue normal = table.need("normal");
  contact.rows.push_back(to_vector(normal.reals(n)));
  if (contact.rows[0].isZero(0)) normal.fail("is zero: neither body of this contact can be moved");
  if (const auto tangent = table.find("tangent")) {
    const bool two = tangent->is_list() && !tangent->items().empty() && tangent->items()[0].is_list();
    if (!two) contact.rows.push_back(to_vector(tangent->reals(n)));
    if (two)
      for (const TomlValue& row : tangent->items()) contact.rows.push_back(to_vector(row.reals(n)));
    if (contact.rows.size() > 3) tangent->fail_type("one direction or two");
  }
  return contact;
}

SystemSection read_stated(TomlTable& system, TomlTable& root) {
  StatedImpact impact;
  const TomlValue velocities = system.need("velocities");
  impact.v = to_vector(read_list(velocities));
  if (impact.v.size() == 0) velocities.fail("must name at least one velocity");
  const auto n = static_cast<std::size_t>(impact.v.size());
  if (const auto coordinates = system.find("coordinates")) impact.q = to_vector(coordinates->reals(n));
  impact.mass = read_mass_matrix(system, impact.v.size());
  impact.name = read_names(system, n);
  system.finish();

  ContactNumbers numbers;
  std::vector<TomlTable> tables = root.tables("contact");
  if (tables.empty()) system.fail("an explicit impact needs a [[contact]] with a normal");
  numbers.law.resize(tables.size());
  numbers.preload.resize(tables.size(), 0);
  numbers.place.resize(tables.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    impact.contacts.push_back(read_stated_contact(tables[i], i + 1, n));
    read_contact_numbers(tables[i], static_cast<int>(i), numbers);
    tables[i].finish();
    if (numbers.law[i].friction > 0 && impact.contacts[i].rows.size() == 1)
      tables[i].fail("friction needs a \"tangent\"");
    impact.contacts[i].law = numbers.law[i];
    for (std::size_t j = 0; j < i; ++j)
      if (impact.contacts[j].name == impact.contacts[i].name)
        tables[i].fail("this name is taken", impact.contacts[i].name);
  }
  return {at_place(system.place(), [&] { return std::make_shared<StatedSystem>(std::move(impact)); }), kExplicit,
          std::move(numbers.preload), std::move(numbers.place)};
}

// ---- A system of the library ----

// coordinates = [...] or velocities = { theta = -1 }: all of them, or some by name.
void read_state_part(TomlTable& table, const char* key, const LagrangianSystem& system, VectorXd& part) {
  const auto value = table.find(key);
  if (!value) return;
  if (value->is_list()) {
    part = to_vector(value->reals(at(system.coordinates())));
    return;
  }
  if (!value->is_table()) value->fail_type("a list, one number per coordinate, or a table of some by name");
  TomlTable named = value->table();
  for (int i = 0; i < system.coordinates(); ++i) part[i] = named.real(system.coordinate_name(i), any_real(), part[i]);
  named.finish();
}

void apply_setting(const ContactSetting& setting, const LagrangianSystem& system, ContactNumbers& numbers) {
  std::vector<std::string> names;
  const ContactKey* key = nullptr;
  for (const ContactKey& k : contact_keys()) {
    names.emplace_back(k.name);
    if (setting.key == k.name) key = &k;
  }
  if (key == nullptr) throw InputError(setting.place, "unknown key of a contact" + suggestion(setting.key, names));
  const bool all = setting.contact == "*";
  const int only = all ? -1 : find_contact(system, setting.contact, setting.place);
  const double unit = setting.relative ? numbers.field(*key, 0) : 1.0;
  for (int i = 0; i < system.contacts(); ++i) {
    if (all ? (setting.relative && i == 0) : i != only) continue;
    const double value = setting.value * unit;
    if (!key->range.contains(value))
      throw InputError(setting.place, fmt::format("{} must be {}", key->name, key->range.text()),
                       fmt::format("{}", value));
    numbers.field(*key, i) = value;
  }
}

// The system with what [[contact]], coordinates, velocities and settings say instead of its own numbers.
SystemSection overridden(std::unique_ptr<LagrangianSystem> base, LagrangianState start, ContactNumbers numbers,
                         const std::string& type, const Place& place) {
  return {at_place(place,
                   [&] {
                     return std::make_shared<OverriddenSystem>(std::move(base), std::move(numbers.law),
                                                               std::move(start));
                   }),
          type, std::move(numbers.preload), std::move(numbers.place)};
}

ContactNumbers numbers_of(const LagrangianSystem& system, const Place& place) {
  ContactNumbers numbers;
  for (int i = 0; i < system.contacts(); ++i) numbers.law.push_back(system.contact_law(i));
  numbers.preload.resize(numbers.law.size(), 0);
  numbers.place.resize(numbers.law.size(), place);
  return numbers;
}

}  // namespace

int find_contact(const LagrangianSystem& system, const std::string& word, const Place& place) {
  std::vector<std::string> names;
  for (int i = 0; i < system.contacts(); ++i) {
    names.push_back(system.contact_name(i));
    if (names.back() == word) return i;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size()) {
    if (number >= 1 && number <= system.contacts()) return number - 1;
    throw InputError(place, fmt::format("there are {} contacts, numbered from 1", system.contacts()), word);
  }
  throw InputError(place, "there is no contact of this name" + suggestion(word, names), "\"" + word + "\"");
}

InputError moved_to_contact(const InputError& error, const SystemSection& section, std::span<const int> closed,
                            const Place& place) {
  if (!error.place().file.empty()) return error;
  std::size_t k = 0;
  const std::string& item = error.place().item;
  constexpr std::string_view kWord = "contact ";
  if (!item.starts_with(kWord)) return relocated(error, place);
  const auto [end, problem] = std::from_chars(item.data() + kWord.size(), item.data() + item.size(), k);
  if (problem != std::errc{} || end != item.data() + item.size() || k >= closed.size()) return relocated(error, place);
  Place where = section.contact_places[at(closed[k])];
  where.item = fmt::format("contact \"{}\"", section.system->contact_name(closed[k]));
  return {where, error.problem(), error.value()};
}

SystemSection read_system(TomlTable& root, std::span<const ContactSetting> settings) {
  auto found = root.table("system");
  if (!found)
    throw InputError({root.file(), 0, 0, "system"}, "the section [system] is missing: it says what is struck");
  TomlTable& table = *found;
  std::vector<std::string> types;
  for (const SystemInfo& info : system_table()) types.push_back(info.name);
  types.emplace_back(kExplicit);
  const std::size_t choice = table.need("type").choice(types);
  if (types[choice] == kExplicit) {
    SystemSection section = read_stated(table, root);
    if (settings.empty()) return section;
    ContactNumbers numbers = numbers_of(*section.system, table.place());
    numbers.preload = section.preload;
    numbers.place = section.contact_places;
    for (const ContactSetting& setting : settings) apply_setting(setting, *section.system, numbers);
    auto base = std::make_unique<StatedSystem>(dynamic_cast<const StatedSystem&>(*section.system));
    LagrangianState start = base->initial_state();
    return overridden(std::move(base), std::move(start), std::move(numbers), kExplicit, table.place());
  }

  const SystemInfo& info = system_table()[choice];
  const OptionValues parameters = read_options(table, info.parameters);
  std::unique_ptr<LagrangianSystem> base = at_place(table.place(), [&] { return make_system(info.name, parameters); });
  LagrangianState start = base->initial_state();
  if (parameters.count("coordinates") == 0) read_state_part(table, "coordinates", *base, start.q);
  if (parameters.count("velocities") == 0) read_state_part(table, "velocities", *base, start.v);
  table.finish();

  ContactNumbers numbers = numbers_of(*base, table.place());
  std::vector<int> given;
  for (TomlTable& contact : root.tables("contact")) {
    const TomlValue name = contact.need("name");
    const int i = find_contact(*base, name.text(), name.place());
    if (std::find(given.begin(), given.end(), i) != given.end()) name.fail("this contact was given already");
    given.push_back(i);
    read_contact_numbers(contact, i, numbers);
    contact.finish();
  }
  for (const ContactSetting& setting : settings) apply_setting(setting, *base, numbers);
  return overridden(std::move(base), std::move(start), std::move(numbers), info.name, table.place());
}

}  // namespace carom
