// The published figures of multiple impacts, computed again and set beside what the papers print.
//
//     [LZB] Liu, Zhao, Brogliato 2008      [BZL] Brogliato, Zhang, Liu 2012      [BB] Brogliato 2024
//     [S] Stewart 2000                     [L] Lipinski
//
// Each section is computed from the library's systems and laws when asked for; nothing is stored but what was printed,
// and, where a print is off, the value that an independent integration of the same equations converges to.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace carom {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum class Verdict : std::uint8_t {
  Agrees,     // with the print, within the tolerance
  Corrected,  // not with the print, but with the value that corrects it; the note says why
  Shown,      // set beside the print without a claim: an experiment, a coarse computation
  Missed,
};
std::string_view name_of(Verdict verdict);  // "agrees", "corrected", "shown", "MISSED"

struct Figure {
  std::string quantity;      // with its unit
  double published = kNone;  // as printed
  double ours = kNone;
  double tolerance = kNone;  // absolute; NaN: shown only
  double corrected = kNone;  // what the print should be, where it is off
  char note = 0;             // letter of a note of the section

  Verdict verdict() const;
};

struct ReproducedSection {
  int number = 0;
  std::string title;
  std::vector<Figure> figures;
  std::vector<std::pair<char, std::string>> notes;

  int missed() const;

  // ---- For those who compute sections. ----
  void add(std::string quantity, double published, double ours, double tolerance, char note = 0,
           double corrected = kNone);
  // Several at once: "v1, v2, ..." against a row of a table.
  void add_row(const std::string& quantity, const std::vector<double>& published, const std::vector<double>& ours,
               double tolerance, char note = 0, const std::vector<double>& corrected = {});
  // A finding in words: 1 is yes.
  void add_finding(std::string finding, bool holds, char note = 0);
  void explain(char note, std::string text) { notes.emplace_back(note, std::move(text)); }
};

inline constexpr int kSections = 15;
std::string section_title(int number);
ReproducedSection reproduce_section(int number);

}  // namespace carom
