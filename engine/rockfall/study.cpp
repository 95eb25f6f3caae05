#include "engine/rockfall/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "contact/narrow_phase.h"
#include "engine/rockfall/streams.h"

namespace carom::rockfall {

namespace {

constexpr int kMostDraws = 100000;

Vec2 on_line(std::span<const Vec2> points, double share) {
  double length = 0;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) length += (points[k + 1] - points[k]).norm();
  double left = share * length;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double piece = (points[k + 1] - points[k]).norm();
    if (left <= piece && piece > 0) return points[k] + left / piece * (points[k + 1] - points[k]);
    left -= piece;
  }
  return points.back();
}

Vec2 place_in(const Ground& ground, const Release& release, std::uint64_t index, RandomStream& random) {
  if (release.form == ReleaseForm::Points) return release.points[index % release.points.size()];
  Vec2 low = Vec2::Constant(INFINITY), high = -low;
  for (const auto& ring : release.rings)
    for (const Vec2& p : ring) low = low.cwiseMin(p), high = high.cwiseMax(p);
  for (int k = 0; k < kMostDraws; ++k) {
    const Vec2 at = release.form == ReleaseForm::Line
                        ? on_line(release.points, random.uniform())
                        : Vec2(random.uniform(low.x(), high.x()), random.uniform(low.y(), high.y()));
    if (release.form == ReleaseForm::Area && !inside(release.rings, at)) continue;
    if (ground.field->ground(at.x(), at.y())) return at;
  }
  throw InputError({"", 0, 0, release.name}, "no place of this release lies over the terrain");
}

// The lowest height of the centre at which the block, turned so, does not touch the ground.
double resting_height(const Ground& ground, const Block& block, const Vec2& at, const Quat& turn) {
  const Shape surface = Shape::height_field(ground.field);
  ContactSet found;
  const auto touches = [&](double z) {
    found.clear();
    collide(0, block.shape, {Vec3(at.x(), at.y(), z), turn}, 1, surface, Pose{}, 0, found);
    return found.size() > 0;
  };
  double low = ground.field->ground(at.x(), at.y())->height, step = 2 * block.radius, high = low + step;
  for (int k = 0; k < 60 && touches(high); ++k) low = high, high += step *= 2;
  while (high - low > 1e-6 * block.radius) {
    const double middle = 0.5 * (low + high);
    (touches(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::uint64_t Study::trajectories() const {
  std::uint64_t sum = 0;
  for (const Release& r : releases) sum += r.count;
  return sum;
}

bool Study::keeps_path(std::uint64_t number) const {
  const std::uint64_t total = trajectories();
  if (most_paths >= total) return true;
  return most_paths > 0 && number % ((total + most_paths - 1) / most_paths) == 0;
}

bool inside(std::span<const std::vector<Vec2>> rings, const Vec2& at) {
  bool in = false;
  for (const auto& ring : rings)
    for (std::size_t k = 0, before = ring.size() - 1; k < ring.size(); before = k++) {
      const Vec2 &p = ring[before], &q = ring[k];
      if ((p.y() > at.y()) == (q.y() > at.y())) continue;
      if (at.x() < p.x() + (at.y() - p.y()) / (q.y() - p.y()) * (q.x() - p.x())) in = !in;
    }
  return in;
}

Start start_of(const Study& study, std::uint64_t number) {
  Start start;
  start.number = number;
  std::uint64_t index = number;
  while (index >= study.releases[start.release].count) index -= study.releases[start.release++].count;
  const Release& release = study.releases[start.release];

  RandomStream of_release = stream_of(study.seed, Purpose::Release, number);
  RandomStream of_block = stream_of(study.seed, Purpose::Block, number);
  double weights = 0;
  for (const std::uint32_t k : release.kinds) weights += study.kinds[k].weight;
  double drawn = of_block.uniform() * weights;
  start.kind = release.kinds.back();
  for (const std::uint32_t k : release.kinds) {
    drawn -= study.kinds[k].weight;
    if (drawn < 0) {
      start.kind = k;
      break;
    }
  }
  const BlockKind& kind = study.kinds[start.kind];
  start.block = make_block(kind, kind.volume.draw(of_block), of_block);

  const Vec2 at = place_in(study.ground, release, index, of_release);
  if (!study.ground.field->ground(at.x(), at.y()))
    throw InputError({"", 0, 0, release.name}, "is not over the terrain", fmt::format("({}, {})", at.x(), at.y()));
  const double height = of_release.uniform(release.least_height, release.most_height);
  start.pose.rotation = release.orientation ? *release.orientation : of_release.orientation();
  const double z = resting_height(study.ground, start.block, at, start.pose.rotation) + height;
  start.pose.position = {at.x(), at.y(), z};
  start.velocity = release.velocity;
  start.angular_velocity = release.angular_velocity;
  start.with_path = study.keeps_path(number);
  return start;
}

}  // namespace carom::rockfall
