// Times contact detection for a simple cubic lattice of touching spheres on a half-space: about three contacts
// per sphere. Prints the best of several repetitions, for 1 thread and for all.
#include "contact/detection.h"

#include <fmt/format.h>

#include <cmath>

#include "base/random.h"
#include "base/timer.h"

namespace {

using namespace carom;

struct Lattice {
  Colliders colliders;
  std::vector<Pose> poses;
};

// Numbered in a random order when `shuffled`, as after a long flow.
Lattice make_lattice(int side, double radius, bool shuffled) {
  Lattice lattice;
  lattice.colliders.add(Shape::half_space(), 0, {}, false);
  lattice.poses.push_back({});
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell(i % side, i / side % side, i / (side * side));
    lattice.colliders.add(Shape::sphere(radius), i + 1, {}, true);
    lattice.poses.push_back({.position = 2 * radius * cell + radius * Vec3::Ones()});
  }
  if (!shuffled) return lattice;
  RandomStream random(1, 0);
  for (std::size_t k = lattice.poses.size() - 1; k > 1; --k) {
    std::swap(lattice.poses[k], lattice.poses[1 + random.below(k)]);
  }
  return lattice;
}

void report(int side, bool shuffled, Threads threads) {
  const double margin = 1e-6;
  const Lattice lattice = make_lattice(side, 0.01, shuffled);
  const int repetitions = std::max(5, 2000000 / (side * side * side));
  BroadPhase broad_phase;
  ContactDetector detector;
  std::vector<ColliderPair> pairs;
  ContactSet contacts;
  double broad = INFINITY, total = INFINITY;
  for (int k = 0; k < repetitions; ++k) {
    const Stopwatch broad_watch;
    broad_phase.find_pairs(lattice.colliders, lattice.poses, margin, threads, pairs);
    broad = std::min(broad, broad_watch.seconds());
    const Stopwatch total_watch;
    detector.detect(lattice.colliders, lattice.poses, margin, threads, contacts);
    total = std::min(total, total_watch.seconds());
  }
  fmt::print("{:>9} {:>9} {:>9} {:>8} {:>8} {:>10.3f} {:>10.3f} {:>10.3f} {:>14.1f}\n", side * side * side,
             shuffled ? "shuffled" : "ordered", contacts.size(), detector.candidate_count(), threads.count, 1e3 * broad,
             1e3 * (total - broad), 1e3 * total, 1e9 * total / contacts.size());
}

}  // namespace

int main() {
  fmt::print("{:>9} {:>9} {:>9} {:>8} {:>8} {:>10} {:>10} {:>10} {:>14}\n", "spheres", "numbering", "contacts", "pairs",
             "threads", "broad ms", "narrow ms", "total ms", "ns per contact");
  for (const int side : {10, 22, 46}) {
    for (const bool shuffled : {false, true}) {
      report(side, shuffled, Threads{1});
      if (Threads::all().count > 1) report(side, shuffled, Threads::all());
    }
  }
  return 0;
}
