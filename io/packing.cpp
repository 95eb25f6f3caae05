#include "io/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/broad_phase.h"

namespace carom {

namespace {

// Grains are pushed apart with radii this much larger, so that overlaps die out and do not only fade.
constexpr double kSwell = 0.002;
// Of an overlap, per visit.
constexpr double kPush = 0.8;
// Of the last sweep's way, repeated before the next (Polyak's heavy ball): without it room spreads by diffusion, and a
// sweep count of 70 becomes 1200. At 0.95 grains are flung about.
constexpr double kMomentum = 0.9;
// Sweeps without one percent of progress after which the packing is jammed.
constexpr int kPatience = 400;

// One point per grain in cells of equal size over the container: even at large, random at small scale.
std::vector<Vec3> spread_points(const Container& container, std::size_t count, const GroupSeed& seed) {
  const Vec3 low = container.low(), extent = container.high() - low;
  const auto cells_inside = [&](double edge, auto&& use) {
    const auto n = (extent / edge).array().ceil().cast<std::int64_t>();
    for (std::int64_t k = 0; k < n[2]; ++k)
      for (std::int64_t j = 0; j < n[1]; ++j)
        for (std::int64_t i = 0; i < n[0]; ++i) {
          const Vec3 cell(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
          const Vec3 corner = low + edge * cell;
          if (container.depth_outside((corner + Vec3::Constant(0.5 * edge)).cwiseMin(container.high()), 0) <= 0)
            use(corner);
        }
  };
  // The largest edge that gives enough cells, within 1%.
  double edge = 1.2 * std::cbrt(container.volume() / static_cast<double>(count));
  std::vector<Vec3> corners;
  for (;; edge *= 0.99) {
    corners.clear();
    cells_inside(edge, [&](const Vec3& corner) { corners.push_back(corner); });
    if (corners.size() >= count) break;
  }
  // Drop what is too much, evenly: of the corners in order, those where the count steps.
  std::vector<Vec3> points;
  points.reserve(count);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (i * count / corners.size() == (i + 1) * count / corners.size()) continue;
    RandomStream random = seed.stream(GroupSeed::Purpose::Place, points.size());
    const Vec3 inside(random.uniform(), random.uniform(), random.uniform());
    points.push_back((corners[i] + edge * inside).cwiseMin(container.high()));
  }
  return points;
}

// Sizes at random places: a shuffle by random keys.
void shuffle(const GroupSeed& seed, std::vector<double>& radii) {
  std::vector<std::pair<std::uint64_t, double>> keyed;
  keyed.reserve(radii.size());
  for (std::size_t i = 0; i < radii.size(); ++i)
    keyed.emplace_back(seed.stream(GroupSeed::Purpose::Size, i).bits(), radii[i]);
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < radii.size(); ++i) radii[i] = keyed[i].second;
}

class Relaxation {
 public:
  Relaxation(const Container& container, const std::vector<double>& radii, double gap, Threads threads)
      : container_(container), gap_(gap), threads_(threads), moved_(radii.size()) {
    for (std::size_t i = 0; i < radii.size(); ++i)
      grains_.add(Shape::sphere((radii[i] + 0.5 * gap) * (1 + kSwell)), static_cast<int>(i), {}, true);
  }

  // Pushes overlapping pairs apart, one after the other, then all back inside. Returns the deepest overlap of the true
  // sizes that the sweep met, over the sum of the radii.
  double sweep(std::vector<Pose>& poses) {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Vec3 now = poses[i].position;
      if (!before_.empty()) poses[i].position += kMomentum * (now - before_[i]);
      moved_[i] = now;
    }
    before_.swap(moved_);
    moved_.resize(poses.size());
    search_.find_pairs(grains_, poses, 0, threads_, pairs_);
    double worst = 0;
    for (const auto& [a, b] : pairs_) {
      Vec3 apart = poses[a].position - poses[b].position;
      double distance = apart.norm();
      const double ra = grains_.shape[a].radius, rb = grains_.shape[b].radius, reach = ra + rb;
      if (distance >= reach) continue;
      worst = std::max(worst, 1 - distance * (1 + kSwell) / reach);
      if (!(distance > 1e-9 * reach)) apart = Vec3::UnitZ(), distance = 1;
      // The larger moves less: in the ratio of radii, not of masses, lest dust has to make room for boulders.
      const Vec3 push = kPush * (reach - std::min(distance, reach)) / distance * apart;
      poses[a].position += rb / reach * push;
      poses[b].position -= ra / reach * push;
    }
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const double radius = grains_.shape[i].radius;
      const double outside = container_.depth_outside(poses[i].position, radius / (1 + kSwell) + 0.5 * gap_);
      worst = std::max(worst, outside / radius);
      container_.push_inside(radius + 0.5 * gap_, poses[i].position);
    }
    return worst;
  }

 private:
  const Container& container_;
  double gap_;
  Threads threads_;
  Colliders grains_;          // swollen
  std::vector<Vec3> before_;  // positions at the start of the last sweep
  std::vector<Vec3> moved_;   // the same, of the next
  BroadPhase search_;
  std::vector<ColliderPair> pairs_;
};

// The smallest ratio of distance and sum of radii with gap, over all pairs and walls: at least 1 without overlaps.
double tightest(const Container& container, const std::vector<double>& radii, double gap,
                const std::vector<Pose>& poses, Threads threads) {
  Colliders grains;
  for (std::size_t i = 0; i < radii.size(); ++i)
    grains.add(Shape::sphere(radii[i] + 0.5 * gap), static_cast<int>(i), {}, true);
  BroadPhase search;
  std::vector<ColliderPair> pairs;
  search.find_pairs(grains, poses, 0, threads, pairs);
  double ratio = 1;
  for (const auto& [a, b] : pairs) {
    const double distance = (poses[a].position - poses[b].position).norm();
    ratio = std::min(ratio, distance / (radii[a] + radii[b] + gap));
  }
  for (std::size_t i = 0; i < radii.size(); ++i)
    ratio = std::min(ratio, 1 - container.depth_outside(poses[i].position, radii[i] + gap) / radii[i]);
  return ratio;
}

void check(const PackingSpec& spec) {
  const auto refuse = [](const char* item, const char* problem, double value) {
    throw InputError({"", 0, 0, item}, problem, fmt::format("{:g}", value));
  };
  if (!(spec.fraction > 0 && spec.fraction < 0.9))
    refuse("packing.fraction", "a solid fraction of spheres is in (0, 0.9)", spec.fraction);
  if (spec.sizes.low() == spec.sizes.high() && spec.fraction > M_PI / std::sqrt(18.0))
    refuse("packing.fraction", "equal spheres fill at most pi/sqrt(18) = 0.7405 of space", spec.fraction);
  if (!(spec.gap >= 0) || !std::isfinite(spec.gap)) refuse("packing.gap", "a gap is at least 0", spec.gap);
  if (spec.sweeps < 1) refuse("packing.sweeps", "at least one", spec.sweeps);
  if (spec.sizes.high() + spec.gap > spec.container.inner_radius())
    refuse("packing.radius", "the largest grain does not fit into the container", spec.sizes.high());
}

}  // namespace

PackedGrains pack_grains(const PackingSpec& spec, const GroupSeed& seed, Threads threads) {
  check(spec);
  const double room = spec.container.volume();
  PackedGrains packed;
  packed.radii = radii_filling(spec.sizes, spec.fraction * room, spec.most);
  shuffle(seed, packed.radii);
  double volume = 0;
  for (const double r : packed.radii) volume += 4.0 / 3.0 * M_PI * r * r * r;
  packed.fraction = volume / room;

  const std::vector<Vec3> points = spread_points(spec.container, packed.radii.size(), seed);
  std::vector<Pose> poses(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) poses[i].position = points[i];

  Relaxation relaxation(spec.container, packed.radii, spec.gap, threads);
  double best = INFINITY;
  for (int waited = 0; packed.sweeps < spec.sweeps && waited < kPatience; ++waited) {
    const double worst = relaxation.sweep(poses);
    ++packed.sweeps;
    if (worst < 0.99 * best) best = worst, waited = 0;
    // The sweep moved grains after it looked at them: what counts is looked at without moving.
    if (worst <= 0 && tightest(spec.container, packed.radii, spec.gap, poses, threads) >= 1) {
      packed.positions.reserve(poses.size());
      for (const Pose& pose : poses) packed.positions.push_back(pose.position);
      return packed;
    }
  }
  const double ratio = tightest(spec.container, packed.radii, spec.gap, poses, threads);
  throw InputError(
      {"", 0, 0, "packing.fraction"},
      fmt::format("{} grains of these sizes do not fit without overlaps: after {} sweeps one overlaps by {:.2g} "
                  "of its size; a fraction of {:.3f} was reached",
                  packed.radii.size(), packed.sweeps, 1 - ratio, packed.fraction * ratio * ratio * ratio),
      fmt::format("{:g}", spec.fraction));
}

}  // namespace carom
