#include "io/reproduction/reproduction.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/check.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

struct SectionEntry {
  const char* title;
  void (*compute)(ReproducedSection&);
};

constexpr std::array<SectionEntry, kSections> kTable = {{
    {"Three balls, linear springs, e = 1 [LZB]", reproduce_chains},
    {"Three balls, Hertz [LZB tables 1-3]", reproduce_chains},
    {"Five balls, linear springs, e = 1 [LZB tables 4-5]", reproduce_chains},
    {"Ten balls, Hertz, e = 1 [LZB table 6]", reproduce_chains},
    {"Bernoulli's problem [LZB table 7]", reproduce_balls},
    {"Tennis ball and basketball on a wall [LZB tables 8-11]", reproduce_balls},
    {"A column of steel beads on a wall [LZB section 9]", reproduce_column},
    {"Kinetic angles [BB eq. 15, BZL eq. 9-10]", reproduce_block},
    {"The rocking block [BZL]", reproduce_block},
    {"Four balls with a restitution matrix [BZL section 7]", reproduce_matrices},
    {"Moreau's law on chains [BB]", reproduce_matrices},
    {"Two balls and a wall, sequences of collisions [LZB eq. 3-4]", reproduce_balls},
    {"Painleve's rod [S]", reproduce_stepping},
    {"Billiards on a table [S]", reproduce_stepping},
    {"Triple contact [L]", reproduce_triple},
}};

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "agrees";
    case Verdict::Corrected:
      return "corrected";
    case Verdict::Shown:
      return "shown";
    case Verdict::Missed:
      return "MISSED";
  }
  return "unknown";
}

Verdict Figure::verdict() const {
  if (std::isnan(tolerance)) return Verdict::Shown;
  if (std::abs(ours - published) <= tolerance) return Verdict::Agrees;
  if (std::abs(ours - corrected) <= tolerance) return Verdict::Corrected;
  return Verdict::Missed;
}

int ReproducedSection::missed() const {
  int count = 0;
  for (const Figure& figure : figures) count += figure.verdict() == Verdict::Missed ? 1 : 0;
  return count;
}

void ReproducedSection::add(std::string quantity, double published, double ours, double tolerance, char note,
                            double corrected) {
  figures.push_back({std::move(quantity), published, ours, tolerance, corrected, note});
}

void ReproducedSection::add_row(const std::string& quantity, const std::vector<double>& published,
                                const std::vector<double>& ours, double tolerance, char note,
                                const std::vector<double>& corrected) {
  CAROM_CHECK(published.size() <= ours.size(), "a value of ours for each one published");
  for (std::size_t i = 0; i < published.size(); ++i)
    add(fmt::format("{}{}", quantity, i + 1), published[i], ours[i], tolerance, note,
        corrected.empty() ? kNone : corrected[i]);
}

void ReproducedSection::add_finding(std::string finding, bool holds, char note) {
  add(std::move(finding), 1, holds ? 1 : 0, 0, note);
}

std::string section_title(int number) { return kTable.at(static_cast<std::size_t>(number - 1)).title; }

ReproducedSection reproduce_section(int number) {
  const SectionEntry& entry = kTable.at(static_cast<std::size_t>(number - 1));
  ReproducedSection section;
  section.number = number;
  section.title = entry.title;
  entry.compute(section);
  return section;
}

}  // namespace carom
