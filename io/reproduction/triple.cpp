// Section 15: a body on two supports whose arm strikes the ground.
#include <fmt/format.h>

#include <cmath>

#include "engine/event_driven.h"
#include "engine/systems/triple_contact.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

enum Contact { kA, kB, kC };

// By the event-driven mode: the first impact in which the tip takes part.
double landing_time() {
  const TripleContact system(TripleContactParameters{});
  const std::unique_ptr<ImpactLaw> law = make_impact_law("newton");
  EventDriven run(system, *law);
  run.run(0.2);
  for (const Event& event : run.events())
    if (event.kind == EventKind::Impact &&
        std::find(event.contacts.begin(), event.contacts.end(), kC) != event.contacts.end())
      return event.time;
  return kNone;
}

// The body rests on A and B, the arm's tip comes down.
LzbOutcome strike_ground(double c_A, double c_C, double e) {
  TripleContactParameters p;
  p.arm_angle = 0;
  p.stiffness = {c_A, c_A, c_C};
  p.restitution = {e};
  return strike_with_lzb(touching(std::make_shared<TripleContact>(p)));
}

}  // namespace

void reproduce_triple(ReproducedSection& s) {
  s.add("the arm lands after, s", 0.1, landing_time(), 0.02, 'a');
  s.explain('a',
            "on the way down the arm lifts the body, first at B; what follows is, by our reading of the paper, the "
            "impact of an arm "
            "that lands at 20 rad/s while the body rests on A and B");
  const double c = 1e6;
  std::vector<LzbOutcome> row;
  for (const double factor : {1.0, 4.0, 16.0}) row.push_back(strike_ground(factor * c, c, 1));
  const char* names[] = {"c_A = 1e6", "c_A = 4e6", "c_A = 16e6"};
  for (std::size_t k = 0; k < 3; ++k) {
    const VectorXd &p = row[k].outcome.p, &u = row[k].outcome.u;
    s.add(fmt::format("{}: impulse of B, N s", names[k]), 0, p[kB], 1e-12);
    s.add_finding(fmt::format("{}: B lifts off, at {:.2f} m/s", names[k], u[kB]), u[kB] > 0);
    s.add_finding(fmt::format("{}: A is struck, {:.2f} N s against {:.2f} at C", names[k], p[kA], p[kC]), p[kA] > 0);
  }
  const std::vector<LzbRecord>& equal = row[0].records;
  s.add("c_A = 1e6: duration at C over that at A", 0.5, equal[kC].last_separation / equal[kA].last_separation, 0.05);
  s.add("c_A = 1e6: indentation at C over that at A", 3, equal[kC].peak_force / equal[kA].peak_force, kNone, 'b');
  s.explain('b',
            "about 3 in print; the figure that shows the supports is lost. With A anywhere from 5 to 30 cm left of the "
            "body's centre, 10 cm below it, the ratio is 5.4 or more");

  const auto spread = [&](int contact) {
    double low = row[0].outcome.u[contact], high = low;
    for (const LzbOutcome& struck : row) {
      low = std::min(low, struck.outcome.u[contact]);
      high = std::max(high, struck.outcome.u[contact]);
    }
    return 100 * (high - low) / std::max(std::abs(high), std::abs(low));
  };
  s.add_finding(fmt::format("c_A/c_C from 1 to 16 changes the velocity at A by {:.0f} %, at C by {:.1f} %", spread(kA),
                            spread(kC)),
                spread(kA) > 50 && spread(kC) < 5);

  const LzbOutcome stiffer = strike_ground(4 * 7 * c, 7 * c, 1);
  s.add("both stiffnesses times 7: change of velocities, relative", 0,
        (stiffer.outcome.v - row[1].outcome.v).norm() / row[1].outcome.v.norm(), 1e-10);
  s.add("both stiffnesses times 7: durations times", 1 / std::sqrt(7.0),
        stiffer.outcome.report.duration / row[1].outcome.report.duration, 1e-10);
  // Each contact gives back e^2 = 0.8 of what it absorbed.
  const LzbOutcome lossy = strike_ground(4 * c, c, std::sqrt(0.8));
  s.add_finding(fmt::format("force factor 0.8 on release, e = sqrt(0.8): KER {:.4f}", lossy.outcome.report.ker),
                lossy.outcome.report.ker < 1 && lossy.outcome.report.consistent(1e-9));
}

}  // namespace carom
