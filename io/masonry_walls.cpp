#include <algorithm>
#include <cmath>

#include "io/masonry.h"

namespace carom {

namespace {

struct Span {
  double low = 0, high = 0;
  double length() const { return high - low; }
};

// Pieces shorter than this part of a brick go to their neighbour.
constexpr double kShortest = 0.2;

MasonryBlock box(const Vec3& low, const Vec3& high, int course) {
  MasonryBlock block;
  block.centre = 0.5 * (low + high);
  block.size = high - low;
  block.course = course;
  return block;
}

std::vector<Span> without(const std::vector<Span>& spans, const Span& hole) {
  std::vector<Span> left;
  for (const Span& span : spans) {
    if (hole.high <= span.low || hole.low >= span.high) {
      left.push_back(span);
      continue;
    }
    if (hole.low > span.low) left.push_back({span.low, hole.low});
    if (hole.high < span.high) left.push_back({hole.high, span.high});
  }
  return left;
}

// One unit of a course's pattern: how long, and how many bricks behind each other.
struct Unit {
  double length = 0;
  int deep = 1;
};

// The pattern of a course and how far it is shifted to the left.
struct Pattern {
  std::vector<Unit> units;
  double shift = 0;
};

Pattern pattern_of(const WallSpec& spec, int course) {
  const double l = spec.brick.x() + spec.joint, b = spec.brick.y() + spec.joint;
  switch (spec.bond) {
    case BrickBond::Stack:
      return {{{l, 1}}, 0};
    case BrickBond::Running:
      return {{{l, 1}}, course % 2 * 0.5 * l};
    case BrickBond::Third:
      return {{{l, 1}}, course % 3 * l / 3};
    case BrickBond::English:
      return course % 2 == 0 ? Pattern{{{l, 2}}, 0} : Pattern{{{b, 1}}, 0.5 * b};
    case BrickBond::Flemish:
      return {{{l, 2}, {b, 1}}, course % 2 * 0.5 * (l + b)};
  }
  return {};
}

double thickness_of(const WallSpec& spec) {
  const bool two_deep = spec.bond == BrickBond::English || spec.bond == BrickBond::Flemish;
  return two_deep ? 2 * spec.brick.y() + spec.joint : spec.brick.y();
}

// A piece of a course within one free span, joints taken off between neighbours.
struct Piece {
  Span span;
  int deep = 1;
};

std::vector<Piece> pieces_in(const Pattern& pattern, const Span& free, double joint, double shortest) {
  std::vector<Piece> pieces;
  double from = -pattern.shift;
  for (std::size_t k = 0; from < free.high - 1e-12; k = (k + 1) % pattern.units.size()) {
    const Unit& unit = pattern.units[k];
    const Span span = {std::max(from, free.low), std::min(from + unit.length - joint, free.high)};
    from += unit.length;
    if (span.length() > 1e-12) pieces.push_back({span, unit.deep});
  }
  // Slivers at the ends join their neighbour.
  if (pieces.size() > 1 && pieces.front().span.length() < shortest) {
    pieces[1].span.low = pieces.front().span.low;
    pieces.erase(pieces.begin());
  }
  if (pieces.size() > 1 && pieces.back().span.length() < shortest) {
    pieces[pieces.size() - 2].span.high = pieces.back().span.high;
    pieces.pop_back();
  }
  if (!pieces.empty()) {  // a joint that ended at the edge leaves no gap there
    pieces.front().span.low = free.low;
    pieces.back().span.high = free.high;
  }
  return pieces;
}

}  // namespace

std::vector<MasonryBlock> wall_blocks(const WallSpec& spec) {
  const double height = spec.brick.z(), thickness = thickness_of(spec);
  std::vector<MasonryBlock> blocks;
  for (int course = 0; course < spec.courses; ++course) {
    const double z = course * height;
    std::vector<Span> free = {{0, spec.length}};
    for (const WallOpening& opening : spec.openings) {
      // A course belongs to an opening when the middle of the course lies in it.
      const double middle = z + 0.5 * height;
      if (middle > opening.bottom && middle < opening.top) free = without(free, {opening.left, opening.right});
      if (opening.lintel && middle - height < opening.top && middle >= opening.top) {
        const double rest = spec.bearing * spec.brick.x();
        const Span lintel = {std::max(0.0, opening.left - rest), std::min(spec.length, opening.right + rest)};
        free = without(free, lintel);
        blocks.push_back(box({lintel.low, 0, z}, {lintel.high, thickness, z + height}, course));
      }
    }
    const Pattern pattern = pattern_of(spec, course);
    for (const Span& span : free)
      for (const Piece& piece : pieces_in(pattern, span, spec.joint, kShortest * spec.brick.x())) {
        const double each = (thickness - (piece.deep - 1) * spec.joint) / piece.deep;
        for (int row = 0; row < piece.deep; ++row) {
          const double y = row * (each + spec.joint);
          blocks.push_back(box({piece.span.low, y, z}, {piece.span.high, y + each, z + height}, course));
        }
      }
  }
  return blocks;
}

namespace {

// Lengths in [low, high] that fill `total`; the last two share what is left.
std::vector<double> random_lengths(double total, double low, double high, RandomStream& random) {
  std::vector<double> lengths;
  double left = total;
  while (left > high) {
    double next = random.uniform(low, high);
    if (left - next < low) next = 0.5 * left;
    lengths.push_back(next);
    left -= next;
  }
  lengths.push_back(left);
  return lengths;
}

// How close a joint of this row comes to one of the row below.
double nearest_joint(const std::vector<double>& lengths, const std::vector<double>& below) {
  double nearest = std::numeric_limits<double>::infinity(), x = 0;
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    x += lengths[i];
    double y = 0;
    for (std::size_t j = 0; j + 1 < below.size(); ++j) nearest = std::min(nearest, std::abs(x - (y += below[j])));
  }
  return nearest;
}

}  // namespace

std::vector<MasonryBlock> ashlar_blocks(const AshlarSpec& spec, std::uint64_t seed, std::uint64_t stream) {
  constexpr int kTries = 50;  // the row whose joints keep furthest from those below is taken
  RandomStream random(seed, stream);
  std::vector<MasonryBlock> blocks;
  std::vector<double> below;
  double z = 0;
  int course = 0;
  for (const double height : random_lengths(spec.height, spec.row_low, spec.row_high, random)) {
    std::vector<double> lengths = random_lengths(spec.length, spec.stone_low, spec.stone_high, random);
    for (int i = 1; i < kTries && course > 0; ++i) {
      const std::vector<double> other = random_lengths(spec.length, spec.stone_low, spec.stone_high, random);
      if (nearest_joint(other, below) > nearest_joint(lengths, below)) lengths = other;
    }
    double x = 0;
    for (const double length : lengths) {
      blocks.push_back(box({x, 0, z}, {x + length, spec.depth, z + height}, course));
      x += length;
    }
    z += height;
    ++course;
    below = lengths;
  }
  return blocks;
}

namespace {

using Polygon = std::vector<Vec2>;

// The part of a convex polygon where normal . x <= offset.
Polygon clipped(const Polygon& polygon, const Vec2& normal, double offset) {
  Polygon inside;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double da = normal.dot(a) - offset, db = normal.dot(b) - offset;
    if (da <= 0) inside.push_back(a);
    if ((da < 0 && db > 0) || (da > 0 && db < 0)) inside.push_back(a + (b - a) * (da / (da - db)));
  }
  return inside;
}

// Corners closer than this to the one before are the same: hulls want no slivers.
Polygon simplified(const Polygon& polygon, double distance) {
  Polygon kept;
  for (const Vec2& corner : polygon)
    if (kept.empty() || (corner - kept.back()).norm() > distance) kept.push_back(corner);
  while (kept.size() > 1 && (kept.front() - kept.back()).norm() <= distance) kept.pop_back();
  return kept;
}

}  // namespace

std::vector<MasonryBlock> dry_stone_blocks(const DryStoneSpec& spec, std::uint64_t seed, std::uint64_t stream) {
  const int columns = std::max(1, static_cast<int>(std::lround(spec.length / spec.stone)));
  const int rows = std::max(1, static_cast<int>(std::lround(spec.height / spec.stone)));
  const double dx = spec.length / columns, dz = spec.height / rows;
  RandomStream random(seed, stream);
  std::vector<Vec2> seeds;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const double shift = row % 2 == 0 ? 0.25 : -0.25;  // staggered, so that stones interlock
      seeds.emplace_back((column + 0.5 + shift + spec.jitter * random.uniform(-0.5, 0.5)) * dx,
                         (row + 0.5 + spec.jitter * random.uniform(-0.5, 0.5)) * dz);
    }
  std::vector<MasonryBlock> blocks;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Polygon cell = {{0, 0}, {spec.length, 0}, {spec.length, spec.height}, {0, spec.height}};
    for (std::size_t j = 0; j < seeds.size(); ++j) {
      if (j == i || (seeds[j] - seeds[i]).norm() > 6 * spec.stone) continue;
      // nearer to seed i than to seed j, and half the gap away from the border between them
      const Vec2 normal = (seeds[j] - seeds[i]).normalized();
      cell = clipped(cell, normal, normal.dot(0.5 * (seeds[i] + seeds[j])) - 0.5 * spec.gap);
    }
    cell = simplified(cell, 1e-3 * spec.stone);
    if (cell.size() < 3) continue;
    MasonryBlock block;
    block.form = MasonryBlock::Form::Hull;
    block.course = static_cast<int>(i) / columns;
    for (const double y : {0.0, spec.depth})
      for (const Vec2& corner : cell) block.corners.emplace_back(corner.x(), y, corner.y());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace carom
