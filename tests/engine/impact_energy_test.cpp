// Energy over random impacts: it grows only where theory allows it to, and then the report says so.
#include "impact_energy.h"

#include <doctest/doctest.h>

using namespace carom;

TEST_CASE("no law lets energy grow beyond 1e-10 where its report calls the parameters admissible") {
  for (const EnergyFamily& family : energy_families()) {
    const std::string law = family.law, what = family.what;
    CAPTURE(law);
    CAPTURE(what);
    const EnergyTally tally = tally_energy(family, 150);
    CHECK(tally.worst <= 1e-10);
    if (family.promised & kEnergetic) CHECK(tally.grown == 0);
    if (family.promised & kKinematic) CHECK(tally.approach <= 1e-8);
    if (family.promised & kKinetic) CHECK(tally.outside <= 1e-7);
    if (family.promised & kAdmissible) CHECK(tally.inadmissible == 0);
    // Friction at random directions can ask for the impossible, or nearly so; little of it does. A restitution matrix
    // contradicts itself at most redundant contacts.
    if (law != "restitution_matrix") CHECK(tally.not_solved <= tally.systems / 10);
    CHECK(tally.event_limit <= tally.systems / 10);
    // Where energy is known to grow the trials find it.
    const bool grows = (law == "moreau" && !(family.promised & kEnergetic)) || what == "closing, coupling 0.5" ||
                       what == "closing, e up to 2";
    if (grows) CHECK(tally.grown > 0);
  }
}
