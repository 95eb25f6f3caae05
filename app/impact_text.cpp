#include "app/impact_text.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "app/terminal.h"

namespace carom {

namespace {

constexpr std::size_t kMostLines = 40;  // of one table on a terminal

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string number(double x) { return std::isnan(x) ? "unknown" : fmt::format("{:.6g}", x == 0 ? 0.0 : x); }

// Lines of a table that is too long to be read keep their ends.
std::string shortened(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > kMostLines && i == kMostLines / 2) {
      text += fmt::format("    ... {} more lines; --json has all\n", lines.size() - kMostLines);
      i = lines.size() - kMostLines / 2;
    }
    text += lines[i];
  }
  return text;
}

std::string block(const SystemImpact& impact, int k, VectorIn rows) {
  const int offset = impact.problem.cones.offset(k), dim = impact.problem.cones.dim(k);
  std::string text = number(rows[offset]);
  for (int d = 1; d < dim; ++d) text += ", " + number(rows[offset + d]);
  return text;
}

std::string velocities_text(const SystemImpact& impact, const ImpactOutcome& outcome) {
  std::string text = fmt::format("\n  {:<13} {:>14} {:>14}   (m/s or rad/s)\n", "velocity of", "before", "after");
  std::vector<std::string> lines;
  for (int i = 0; i < impact.system->coordinates(); ++i)
    lines.push_back(fmt::format("  {:<13} {:>14} {:>14}\n", impact.system->coordinate_name(i), number(impact.v[i]),
                                number(outcome.v[i])));
  return text + shortened(lines);
}

std::string contacts_text(const SystemImpact& impact, const ImpactOutcome& outcome) {
  bool friction = false;
  for (int k = 0; k < impact.problem.cones.count(); ++k) friction = friction || impact.problem.cones.dim(k) > 1;
  const int width = friction ? 24 : 14;
  std::string text = fmt::format("\n  {:<13} {:>{}} {:>{}} {:>{}}\n", "contact", "before [m/s]", width, "after [m/s]",
                                 width, "impulse [N s]", width);
  std::vector<std::string> lines;
  for (int k = 0; k < impact.problem.cones.count(); ++k)
    lines.push_back(fmt::format("  {:<13} {:>{}} {:>{}} {:>{}}\n", impact.system->contact_name(impact.closed[at(k)]),
                                block(impact, k, impact.problem.u_minus), width, block(impact, k, outcome.u), width,
                                block(impact, k, outcome.p), width));
  text += shortened(lines);
  if (friction) text += "  (normal, then tangential; separation is positive)\n";
  return text;
}

// Pairs of contacts that feel each other: the others stand at 90 degrees.
std::string angles_text(const SystemImpact& impact) {
  const ImpactProblem& problem = impact.problem;
  std::vector<std::string> lines;
  for (int i = 0; i < problem.cones.count(); ++i)
    for (int e = problem.W.diagonal[at(i)] + 1; e < problem.W.first[at(i) + 1]; ++e) {
      const int j = problem.W.column[at(e)];
      const double angle = kinetic_angle(problem, i, j);
      lines.push_back(
          row(lines.empty() ? "kinetic angle" : "",
              fmt::format("{} / {}: {:.6g} rad, {:.4g} degrees", impact.system->contact_name(impact.closed[at(i)]),
                          impact.system->contact_name(impact.closed[at(j)]), angle, angle * 180 / std::numbers::pi)));
    }
  return shortened(lines);
}

const char* verdict(bool holds) { return holds ? "yes" : "NO "; }

std::string consistencies_text(const SystemImpact& impact, const ImpactOutcome& outcome) {
  const ImpactReport& r = outcome.report;
  const ImpactNoise noise = noise_of(impact, outcome);
  std::string text = row("consistent", fmt::format("energetic   {}  energy grows by {} of what was at stake",
                                                   verdict(r.energy_growth <= noise.growth), number(r.energy_growth)));
  text += row("", fmt::format("kinematic   {}  contacts still approach at {} m/s",
                              verdict(r.kinematic_violation <= noise.velocity), number(r.kinematic_violation)));
  text += row("", fmt::format("kinetic     {}  impulses leave their cones by {} N s",
                              verdict(r.kinetic_violation <= noise.impulse), number(r.kinetic_violation)));
  text += row("", fmt::format("parameters  {}", r.admissible ? "yes  where the law is known to be consistent"
                                                             : "NO   the law promises no consistency here"));
  text += row("", fmt::format("uniqueness  {}", r.uniqueness == Uniqueness::Unique ? "yes  velocities and impulses"
                                                : r.uniqueness == Uniqueness::VelocitiesOnly
                                                    ? "yes  of velocities; other impulses give the same ones"
                                                    : "?    no theorem covers this case"));
  std::string work = fmt::format("{} event{}", with_commas(r.events), r.events == 1 ? "" : "s");
  if (r.substeps > 0) work += fmt::format(", {} substeps", with_commas(r.substeps));
  return text + row("", fmt::format("termination {}  {}", verdict(r.terminated), work));
}

std::string energy_text(const ImpactOutcome& outcome) {
  const ImpactReport& r = outcome.report;
  std::string text = row("energy", fmt::format("{} J before, {} J after, change {} J", number(outcome.kinetic_before),
                                               number(outcome.kinetic_after), number(r.energy_change)));
  text += row("", fmt::format("KER = T+/T- = {}", number(r.ker)));
  text += row("", fmt::format("C_KE = {}, dispersion over {} bod{}", number(outcome.dispersion),
                              outcome.body_energies.size(), outcome.body_energies.size() == 1 ? "y" : "ies"));
  return text;
}

std::string head_text(const std::string& file_name, const ImpactFile& file) {
  const SystemImpact& impact = file.impact;
  std::string text = fmt::format("{}{}\n", file_name, file.title.empty() ? "" : ": " + file.title);
  const int open = impact.system->contacts() - static_cast<int>(impact.closed.size());
  const auto counted = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  return text + row("system", fmt::format("{}, {}, {}{}", impact.system->name(),
                                          counted(at(impact.system->coordinates()), "coordinate"),
                                          counted(impact.closed.size(), "contact"),
                                          open > 0 ? fmt::format(" (open and left out: {})", open) : ""));
}

}  // namespace

bool reached_an_end(const ImpactOutcome& outcome) { return outcome.report.status <= ImpactStatus::NothingApproaches; }

std::string status_text(const ImpactOutcome& outcome) {
  switch (outcome.report.status) {
    case ImpactStatus::Done:
      return "done";
    case ImpactStatus::NothingApproaches:
      return "nothing to do: no contact approaches, so velocities stay as they are";
    case ImpactStatus::EventLimit:
      return "stopped by the limit on events or substeps: the velocities are what had been reached";
    case ImpactStatus::NotSolved:
      return "a problem inside the law was not solved to its tolerance";
    case ImpactStatus::NumericalError:
      return "a number stopped being finite";
  }
  return "unknown";
}

std::string inconsistency(const ImpactFile& file, const ImpactOutcome& outcome) {
  const ImpactReport& r = outcome.report;
  const ImpactNoise noise = noise_of(file.impact, outcome);
  std::vector<std::string> found;
  if (r.energy_growth > noise.growth) found.push_back(fmt::format("energy grows by {:.3g} J", r.energy_change));
  if (r.kinematic_violation > noise.velocity)
    found.push_back(fmt::format("contacts still approach at {:.3g} m/s", r.kinematic_violation));
  if (r.kinetic_violation > noise.impulse)
    found.push_back(fmt::format("impulses leave their cones by {:.3g} N s", r.kinetic_violation));
  return fmt::format("{}", fmt::join(found, ", "));
}

std::string outcome_text(const std::string& file_name, const ImpactFile& file, const LawColumn& column) {
  const ImpactOutcome& outcome = *column.outcome;
  std::string text = head_text(file_name, file);
  text += row("law", column.law);
  text += row("status", status_text(outcome));
  if (!outcome.report.message.empty()) text += row("message", outcome.report.message);
  text += velocities_text(file.impact, outcome);
  text += contacts_text(file.impact, outcome) + "\n";
  text += energy_text(outcome);
  text += consistencies_text(file.impact, outcome);
  if (outcome.report.duration > 0)
    text +=
        row("duration", fmt::format("{} s, if stiffness is meant in N/m^exponent", number(outcome.report.duration)));
  return text + angles_text(file.impact);
}

// ---- Laws side by side ----

namespace {

class LawTable {
 public:
  explicit LawTable(const std::vector<LawColumn>& columns) : columns_(columns) {}

  template <class Cell>
  void line(const std::string& label, Cell&& cell) {
    std::vector<std::string> cells = {label};
    for (const LawColumn& column : columns_) cells.push_back(column.outcome ? cell(*column.outcome) : std::string("-"));
    lines_.push_back(std::move(cells));
  }
  void heading(const std::string& label) { lines_.push_back({label}); }

  std::string text() const {
    std::vector<std::size_t> width(columns_.size() + 1, 0);
    for (std::size_t c = 0; c < columns_.size(); ++c) width[c + 1] = columns_[c].law.size();
    for (const auto& cells : lines_)
      for (std::size_t c = 0; c < cells.size(); ++c)
        if (cells.size() > 1) width[c] = std::max(width[c], cells[c].size());
    std::string text = fmt::format("  {:<{}}", "", width[0]);
    for (std::size_t c = 0; c < columns_.size(); ++c) text += fmt::format("  {:>{}}", columns_[c].law, width[c + 1]);
    text += "\n";
    for (const auto& cells : lines_) {
      text += fmt::format("  {:<{}}", cells[0], width[0]);
      for (std::size_t c = 1; c < cells.size(); ++c) text += fmt::format("  {:>{}}", cells[c], width[c]);
      text += "\n";
    }
    return text;
  }

 private:
  const std::vector<LawColumn>& columns_;
  std::vector<std::vector<std::string>> lines_;
};

std::string short_number(double x) {
  return std::isnan(x) ? "?" : fmt::format("{:.5g}", std::abs(x) < 5e-13 ? 0.0 : x);
}

}  // namespace

std::string comparison_text(const std::string& file_name, const ImpactFile& file,
                            const std::vector<LawColumn>& columns) {
  const SystemImpact& impact = file.impact;
  LawTable table(columns);
  table.heading("velocity after");
  for (int i = 0; i < impact.system->coordinates(); ++i)
    table.line("  " + impact.system->coordinate_name(i), [&](const ImpactOutcome& o) { return short_number(o.v[i]); });
  table.heading("impulse, N s");
  for (int k = 0; k < impact.problem.cones.count(); ++k)
    for (int d = 0; d < impact.problem.cones.dim(k); ++d)
      table.line(fmt::format("  {}{}", impact.system->contact_name(impact.closed[at(k)]), d == 0 ? "" : " tangential"),
                 [&](const ImpactOutcome& o) { return short_number(o.p[impact.problem.cones.offset(k) + d]); });
  table.line("energy after, J", [](const ImpactOutcome& o) { return short_number(o.kinetic_after); });
  table.line("KER", [](const ImpactOutcome& o) { return short_number(o.report.ker); });
  table.line("C_KE", [](const ImpactOutcome& o) { return short_number(o.dispersion); });
  const auto judged = [](double violation, double noise) {
    return violation <= noise ? std::string("yes") : fmt::format("NO {:.2g}", violation);
  };
  table.line("energetic",
             [&](const ImpactOutcome& o) { return judged(o.report.energy_growth, noise_of(impact, o).growth); });
  table.line("kinematic", [&](const ImpactOutcome& o) {
    return judged(o.report.kinematic_violation, noise_of(impact, o).velocity);
  });
  table.line("kinetic",
             [&](const ImpactOutcome& o) { return judged(o.report.kinetic_violation, noise_of(impact, o).impulse); });
  table.line("parameters", [](const ImpactOutcome& o) { return std::string(o.report.admissible ? "yes" : "NO"); });
  table.line("uniqueness", [](const ImpactOutcome& o) { return std::string(name_of(o.report.uniqueness)); });
  table.line("termination", [](const ImpactOutcome& o) { return std::string(o.report.terminated ? "yes" : "NO"); });
  table.line("events", [](const ImpactOutcome& o) { return with_commas(o.report.events); });
  table.line("status", [](const ImpactOutcome& o) { return std::string(name_of(o.report.status)); });

  std::string text = head_text(file_name, file) + "\n" + table.text() + "\n";
  for (const LawColumn& column : columns) {
    if (!column.outcome) text += row("note", column.law + " does not apply: " + column.refusal);
    if (column.outcome && !column.outcome->report.message.empty())
      text += row("note", column.law + ": " + column.outcome->report.message);
  }
  return text + angles_text(impact);
}

// ---- JSON ----

namespace {

std::vector<double> segment(const SystemImpact& impact, int k, VectorIn rows) {
  const auto part = rows.segment(impact.problem.cones.offset(k), impact.problem.cones.dim(k));
  return {part.begin(), part.end()};
}

}  // namespace

void add_impact(const ImpactFile& file, JsonObject& json) {
  const SystemImpact& impact = file.impact;
  std::vector<JsonObject> coordinates, contacts, angles;
  for (int i = 0; i < impact.system->coordinates(); ++i) {
    JsonObject coordinate;
    coordinate.add("name", impact.system->coordinate_name(i));
    coordinate.add("position", impact.q[i]);
    coordinate.add("velocity", impact.v[i]);
    coordinates.push_back(coordinate);
  }
  for (int k = 0; k < impact.problem.cones.count(); ++k) {
    const ImpactContact& c = impact.problem.contacts[at(k)];
    JsonObject contact;
    contact.add("name", impact.system->contact_name(impact.closed[at(k)]));
    contact.add("velocity", segment(impact, k, impact.problem.u_minus));
    contact.add("friction", impact.problem.cones[k].mu);
    contact.add("restitution", c.restitution);
    contact.add("tangential_restitution", c.tangential_restitution);
    contact.add("stiffness", c.stiffness);
    contact.add("exponent", c.exponent);
    contact.add("preload", c.preload);
    contacts.push_back(contact);
  }
  for (int i = 0; i < impact.problem.cones.count(); ++i)
    for (int e = impact.problem.W.diagonal[at(i)] + 1; e < impact.problem.W.first[at(i) + 1]; ++e) {
      const int j = impact.problem.W.column[at(e)];
      JsonObject angle;
      angle.add("a", impact.system->contact_name(impact.closed[at(i)]));
      angle.add("b", impact.system->contact_name(impact.closed[at(j)]));
      angle.add("angle", kinetic_angle(impact.problem, i, j));
      angles.push_back(angle);
    }
  json.add("title", file.title);
  json.add("system", impact.system->name());
  json.add("coordinates", coordinates);
  json.add("contacts", contacts);
  json.add("kinetic_angles", angles);
}

JsonObject outcome_json(const ImpactFile& file, const LawColumn& column) {
  JsonObject json;
  json.add("law", column.law);
  json.add("applies", column.outcome.has_value());
  if (!column.outcome) {
    json.add("why_not", column.refusal);
    return json;
  }
  const ImpactOutcome& o = *column.outcome;
  const ImpactReport& r = o.report;
  JsonObject velocities, impulses, after, energy, consistency;
  for (int i = 0; i < file.impact.system->coordinates(); ++i)
    velocities.add(file.impact.system->coordinate_name(i), o.v[i]);
  for (int k = 0; k < file.impact.problem.cones.count(); ++k) {
    const std::string name = file.impact.system->contact_name(file.impact.closed[at(k)]);
    impulses.add(name, segment(file.impact, k, o.p));
    after.add(name, segment(file.impact, k, o.u));
  }
  energy.add("before", o.kinetic_before);
  energy.add("after", o.kinetic_after);
  energy.add("change", r.energy_change);
  energy.add("ker", r.ker);
  energy.add("c_ke", o.dispersion);
  consistency.add("energy_growth", r.energy_growth);
  consistency.add("kinematic_violation", r.kinematic_violation);
  consistency.add("kinetic_violation", r.kinetic_violation);
  consistency.add("admissible", r.admissible);
  consistency.add("uniqueness", name_of(r.uniqueness));
  consistency.add("terminated", r.terminated);
  json.add("status", name_of(r.status));
  json.add("message", r.message);
  json.add("velocities", velocities);
  json.add("impulses", impulses);
  json.add("contact_velocities", after);
  json.add("energy", energy);
  json.add("consistency", consistency);
  json.add("events", r.events);
  json.add("substeps", r.substeps);
  json.add("duration", r.duration);
  return json;
}

}  // namespace carom
