// What impact laws do to energy over many random impacts.
//
//     bench_impact_laws [systems per family = 10000] [law]
//
// Random masses over four decades, directions and lever arms, 2 to 30 contacts. Prints for each law and kind of system
// how many impacts were done, how many reports call their parameters inadmissible, in how many energy grew by more than
// 1e-10 of its value, the largest growth where the report called the parameters admissible and where it did not, the
// fastest approach left and the largest impulse outside of its cone (as a velocity).
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "impact_energy.h"

using namespace carom;

int main(int argc, char** argv) {
  const int systems = argc > 1 ? std::atoi(argv[1]) : 10000;
  fmt::print("{} random impacts of 2 to 30 contacts per row\n", systems);
  fmt::print("{:<19}{:<42}{:>7}{:>8}{:>7}{:>7}{:>8}{:>7}{:>10}{:>10}{:>10}{:>10}{:>9}\n", "law", "systems", "done",
             "unsolvd", "limit", "failed", "inadmis", "grown", "growth", "reported", "approach", "outside", "us each");
  const std::string law = argc > 2 ? argv[2] : "";
  std::vector<EnergyFamily> families = energy_families();
  for (const EnergyFamily& family : lzb_energy_families()) families.push_back(family);
  for (const EnergyFamily& family : families) {
    if (!law.empty() && law != family.law) continue;
    const EnergyTally t = tally_energy(family, systems);
    fmt::print("{:<19}{:<42}{:>7}{:>8}{:>7}{:>7}{:>8}{:>7}{:>10.1e}{:>10.1e}{:>10.1e}{:>10.1e}{:>9.0f}\n", family.law,
               family.what, t.done, t.not_solved, t.event_limit, t.failed, t.inadmissible, t.grown, t.worst,
               t.worst_reported, t.approach, t.outside, 1e6 * t.seconds / t.systems);
  }
  return 0;
}
