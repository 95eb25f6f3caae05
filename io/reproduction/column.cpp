// Section 7: a column of steel beads falls on a wall.
#include <fmt/format.h>

#include <cmath>

#include "engine/systems/bead_column.h"
#include "io/reproduction/cases.h"

namespace carom {

namespace {

struct Landing {
  double force = 0;        // N: largest on the wall
  double contact = 0;      // s: until the wall is left for good
  double period = kNone;   // s: between maxima of the force on the wall
  double restitution = 0;  // - mean(v+) / v
};

Landing land(const BeadColumnParameters& parameters, bool swings = false) {
  const SystemImpact impact = touching(std::make_shared<BeadColumn>(parameters));
  ForceHistory history(0);
  const LzbOutcome struck = strike_with_lzb(impact, {}, swings ? MomentObserver(std::ref(history)) : MomentObserver());
  Landing landing;
  landing.force = struck.records[0].peak_force;
  landing.contact = struck.records[0].last_separation;
  // The first maximum is the impact itself and the last one the column leaving; the oscillation is between them.
  if (history.maxima.size() >= 4)
    landing.period = (history.maxima[history.maxima.size() - 2] - history.maxima[0]) /
                     static_cast<double>(history.maxima.size() - 2);
  landing.restitution = -struck.outcome.v.mean() / impact.v[0];
  return landing;
}

BeadColumnParameters column(int beads, double fall) {
  BeadColumnParameters p;
  p.beads = beads;
  p.fall = fall;
  return p;
}

// The correlation of two lists: 1 on a line.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const Eigen::ArrayXd a = Eigen::Map<const Eigen::ArrayXd>(x.data(), n),
                       b = Eigen::Map<const Eigen::ArrayXd>(y.data(), n);
  const Eigen::ArrayXd da = a - a.mean(), db = b - b.mean();
  return (da * db).sum() / std::sqrt(da.square().sum() * db.square().sum());
}

void add_forces(ReproducedSection& s) {
  std::vector<double> number, duration;
  for (int n = 1; n <= 8; ++n) {
    const Landing l = land(column(n, 3.1e-3), n == 8);
    s.add(fmt::format("fall 3.1 mm, N = {}: largest wall force, N", n), 52, l.force, 1);
    if (n <= 2)
      s.add(fmt::format("fall 3.1 mm, N = {}: converged wall force, N", n), n == 1 ? 51.7 : 52.9, l.force, 0.05);
    if (n == 8) s.add("fall 3.1 mm, N = 8: period of the wall force, microseconds", 32, 1e6 * l.period, 1, 'a');
    number.push_back(n);
    duration.push_back(l.contact);
  }
  s.add("fall 3.1 mm: correlation of N and the contact's duration", 1, correlation(number, duration), 1e-3);
  for (int n = 5; n <= 12; ++n) {
    const Landing l = land(column(n, 5.1e-3), n == 12);
    s.add(fmt::format("fall 5.1 mm, N = {}: largest wall force, N", n), 71, l.force, 1);
    if (n == 12) s.add("fall 5.1 mm, N = 12: period of the wall force, microseconds", 31, 1e6 * l.period, 1);
    const double converged = n == 5 ? 0.828 : n == 8 ? 0.795 : n == 12 ? 0.747 : kNone;
    if (!std::isnan(converged))
      s.add(fmt::format("fall 5.1 mm, N = {}: effective restitution", n), converged, l.restitution, 1e-3);
  }
  s.explain('a', "measured: 32.4 +- 1 microseconds");
  BeadColumnParameters lossy = column(20, 5.1e-3);
  lossy.restitution = 0.7;
  s.add("fall 5.1 mm, N = 20, e 0.7 between beads: effective restitution", 0.1, land(lossy).restitution, 1e-3, 'd', 0);
  s.explain('d',
            "about, read off a figure; integrated to its end, by this and by a plain integrator with fixed steps, the "
            "column comes to rest on the wall (0.082 at N = 8 already)");
}

// tau = 2.94 (5 m/(4 K))^(2/5) v^(-1/5): an elastic bead on the wall.
void add_contact_times(ReproducedSection& s) {
  BeadColumnParameters p = column(1, 3.1e-3);
  p.wall_restitution = 1;
  const double v = std::sqrt(2 * p.gravity * p.fall);
  const double K = hertz_stiffness(p.modulus, p.poisson, p.radius, p.wall_modulus, p.wall_poisson,
                                   std::numeric_limits<double>::infinity());
  s.add("K of bead and bead, 1e9 N/m^1.5", 6.9716,
        1e-9 * hertz_stiffness(p.modulus, p.poisson, p.radius, p.modulus, p.poisson, p.radius), 1e-3);
  s.add("K of bead and wall, 1e9 N/m^1.5", 9.858, 1e-9 * K, 1e-3);
  const double tau = 2.94 * std::pow(5 * p.mass / (4 * K), 0.4) * std::pow(v, -0.2);
  s.add("elastic bead: contact time, microseconds", 1e6 * tau, 1e6 * land(p).contact, 0.1, 'b');
  s.explain('b', "the formula's constant is 2.9432...");

  struct Wall {
    const char* name;
    double K, half_time;  // N/m^1.5, microseconds
  };
  for (const Wall& wall : {Wall{"steel", 1.15e10, 17}, Wall{"PVC", 3.67e8, 67.5}, Wall{"beech", 7.5e7, 127.5},
                           Wall{"rubber", 1.89e7, 221}}) {
    p.wall_stiffness = wall.K;
    s.add(fmt::format("{} wall: half the contact time, microseconds", wall.name), wall.half_time,
          1e6 * land(p).contact / 2, 0.02 * wall.half_time, 'c');
  }
  s.explain(
      'c',
      "with the stiffness printed for this wall; the times printed are those of compression, half of the contact: "
      "with whole times no speed fits all four walls");
}

// Up to which N the force on the wall grows.
int grows_up_to(double wall_stiffness, int most) {
  double before = 0;
  for (int n = 1; n <= most; ++n) {
    BeadColumnParameters p = column(n, 3.1e-3);
    p.wall_stiffness = wall_stiffness;
    const double force = land(p).force;
    if (force < before * 1.005) return n - 1;
    before = force;
  }
  return most;
}

void add_soft_walls(ReproducedSection& s) {
  const int steel = grows_up_to(1.15e10, 30), pvc = grows_up_to(3.67e8, 30), beech = grows_up_to(7.5e7, 30),
            rubber = grows_up_to(1.89e7, 30);
  s.add_finding(fmt::format("softer walls: the force grows up to N = {}, {}, {}, {}", steel, pvc, beech, rubber),
                steel < pvc && pvc < beech && beech < rubber);
}

}  // namespace

void reproduce_column(ReproducedSection& section) {
  add_contact_times(section);
  add_forces(section);
  add_soft_walls(section);
}

}  // namespace carom
