#include "io/masonry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace carom;

namespace {

double volume(const MasonryBlock& block) { return block.size.prod(); }

double total(const std::vector<MasonryBlock>& blocks) {
  double sum = 0;
  for (const MasonryBlock& block : blocks) sum += volume(block);
  return sum;
}

bool overlap(const MasonryBlock& a, const MasonryBlock& b) {
  const Vec3 room = (a.centre - b.centre).cwiseAbs() - 0.5 * (a.size + b.size);
  return (room.array() < -1e-9).all();
}

bool any_overlap(const std::vector<MasonryBlock>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t j = i + 1; j < blocks.size(); ++j)
      if (overlap(blocks[i], blocks[j])) return true;
  return false;
}

// Vertical joints of a course inside the wall, at its front.
std::vector<double> joints(const std::vector<MasonryBlock>& blocks, int course, double length) {
  std::vector<double> at;
  for (const MasonryBlock& block : blocks) {
    const double end = block.centre.x() + 0.5 * block.size.x();
    if (block.course == course && block.centre.y() - 0.5 * block.size.y() < 1e-9 && end < length - 1e-9)
      at.push_back(end);
  }
  return at;
}

// Area of the convex polygon that a prism's corners at y = 0 span, by the shoelace formula in their order.
double prism_area(const MasonryBlock& block) {
  double twice = 0;
  const std::size_t n = block.corners.size() / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 &a = block.corners[i], &b = block.corners[(i + 1) % n];
    twice += a.x() * b.z() - b.x() * a.z();
  }
  return 0.5 * std::abs(twice);
}

}  // namespace

TEST_CASE("the bricks of a wall fill it once, whatever the bond") {
  for (const BrickBond bond : {BrickBond::Stack, BrickBond::Running, BrickBond::Third, BrickBond::English, BrickBond::Flemish}) {
    CAPTURE(static_cast<int>(bond));
    WallSpec spec;
    spec.length = 2.13;
    spec.courses = 7;
    spec.bond = bond;
    const std::vector<MasonryBlock> blocks = wall_blocks(spec);
    const bool two_deep = bond == BrickBond::English || bond == BrickBond::Flemish;
    const double thickness = (two_deep ? 2 : 1) * spec.brick.y();
    CHECK(total(blocks) == doctest::Approx(spec.length * thickness * 7 * spec.brick.z()));
    CHECK(!any_overlap(blocks));
    for (const MasonryBlock& block : blocks) CHECK(block.size.minCoeff() > 0.02);
  }
}

TEST_CASE("vertical joints do not continue into the next course, except in stack bond") {
  for (const BrickBond bond : {BrickBond::Running, BrickBond::Third, BrickBond::English, BrickBond::Flemish}) {
    CAPTURE(static_cast<int>(bond));
    WallSpec spec;
    spec.brick = Vec3(0.24, 0.12, 0.07);
    spec.length = 2.4;
    spec.courses = 6;
    spec.bond = bond;
    const std::vector<MasonryBlock> blocks = wall_blocks(spec);
    for (int course = 0; course + 1 < spec.courses; ++course)
      for (const double below : joints(blocks, course, spec.length))
        for (const double above : joints(blocks, course + 1, spec.length)) CHECK(std::abs(below - above) > 0.02);
  }
}

TEST_CASE("an opening is free of bricks and bridged by a lintel that rests on both sides") {
  WallSpec spec;
  spec.length = 3;
  spec.courses = 20;
  spec.joint = 0.01;
  spec.openings = {{1.0, 1.9, 0.35, 1.05, true}};
  const std::vector<MasonryBlock> blocks = wall_blocks(spec);
  CHECK(!any_overlap(blocks));
  int bridges = 0;
  for (const MasonryBlock& block : blocks) {
    const double left = block.centre.x() - 0.5 * block.size.x(), right = block.centre.x() + 0.5 * block.size.x();
    const bool in_height = block.centre.z() > 0.35 && block.centre.z() < 1.05;
    if (in_height) CHECK((right <= 1.0 + 1e-9 || left >= 1.9 - 1e-9));
    if (left < 0.95 && right > 1.95) {
      ++bridges;
      CHECK(block.centre.z() - 0.5 * block.size.z() == doctest::Approx(1.05));
    }
  }
  CHECK(bridges == 1);
}

TEST_CASE("ashlar fills its wall with stones of the sizes asked for, joints apart") {
  AshlarSpec spec;
  spec.length = 4;
  spec.height = 2;
  const std::vector<MasonryBlock> blocks = ashlar_blocks(spec, 5, 0);
  CHECK(total(blocks) == doctest::Approx(4 * 2 * spec.depth));
  CHECK(!any_overlap(blocks));
  for (const MasonryBlock& block : blocks) {
    CHECK(block.size.x() <= spec.stone_high + 1e-9);
    CHECK(block.size.x() >= 0.5 * spec.stone_low);
    CHECK(block.size.z() <= spec.row_high + 1e-9);
  }
  const std::vector<MasonryBlock> again = ashlar_blocks(spec, 5, 0);
  CHECK(again.size() == blocks.size());
  CHECK(again.back().size == blocks.back().size);
}

TEST_CASE("dry stones tile their wall, and a gap shrinks each by half of it all around") {
  DryStoneSpec spec;
  spec.length = 3;
  spec.height = 1.5;
  double area = 0;
  for (const MasonryBlock& block : dry_stone_blocks(spec, 3, 1)) area += prism_area(block);
  CHECK(area == doctest::Approx(4.5).epsilon(1e-3));
  spec.gap = 0.01;
  double shrunk = 0;
  for (const MasonryBlock& block : dry_stone_blocks(spec, 3, 1)) shrunk += prism_area(block);
  CHECK(shrunk < 0.97 * area);
  CHECK(shrunk > 0.85 * area);
}

TEST_CASE("voussoirs of an arch share their joints, and the springings are on the ground") {
  ArchSpec spec;
  spec.voussoirs = 9;
  spec.angle = 160;
  const std::vector<MasonryBlock> blocks = arch_blocks(spec);
  REQUIRE(blocks.size() == 11);
  double lowest = 1e9;
  for (int i = 0; i < 9; ++i)
    for (const Vec3& corner : blocks[static_cast<std::size_t>(i)].corners) lowest = std::min(lowest, corner.z());
  CHECK(lowest == doctest::Approx(0));
  // corners are ordered by side, then joint, then radius: joint 2 of one voussoir is joint 1 of the next
  for (std::size_t i = 0; i + 1 < 9; ++i)
    for (const std::size_t y : {0u, 4u})
      for (const std::size_t r : {0u, 1u})
        CHECK((blocks[i].corners[y + 2 + r] - blocks[i + 1].corners[y + r]).norm() < 1e-12);
  // the supports' faces lie in the springing joints and point at the arch
  for (const std::size_t s : {9u, 10u}) {
    CHECK(blocks[s].support);
    const auto& first = blocks[s == 9 ? 0 : 8].corners;
    const std::size_t joint = s == 9 ? 0 : 2;
    const Vec3 a = first[joint], b = first[joint + 1], c = first[joint + 4];
    const Vec3 normal = (b - a).cross(c - a).normalized();
    int on_joint = 0;
    for (const Vec3& corner : blocks[s].corners) on_joint += std::abs(normal.dot(corner - a)) < 1e-9;
    CHECK(on_joint == 4);
  }
}

TEST_CASE("a dome's rings close, its joints are flat, its keystone fills the oculus") {
  DomeSpec spec;
  const std::vector<MasonryBlock> blocks = dome_blocks(spec);
  CHECK(blocks.size() == static_cast<std::size_t>(spec.rings * spec.voussoirs + 1 + spec.voussoirs));
  for (const MasonryBlock& block : blocks) {
    if (block.corners.size() != 8) continue;
    // corners: zenith, azimuth, radius; each of the four joints is a plane through the centre
    const int faces[4][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}};
    for (const auto& face : faces) {
      const Vec3 a = block.corners[static_cast<std::size_t>(face[0])];
      const Vec3 n = (block.corners[static_cast<std::size_t>(face[1])] - a)
                         .cross(block.corners[static_cast<std::size_t>(face[2])] - a)
                         .normalized();
      CHECK(std::abs(n.dot(block.corners[static_cast<std::size_t>(face[3])] - a)) < 1e-12);
    }
  }
}

TEST_CASE("drums of a column reach its height and taper evenly") {
  ColumnSpec spec;
  std::vector<MasonryBlock> blocks = column_blocks(spec);
  REQUIRE(blocks.size() == 5);
  CHECK(blocks[4].centre.z() + 0.5 * blocks[4].size.z() == doctest::Approx(3));
  CHECK(blocks[0].form == MasonryBlock::Form::Cylinder);
  spec.radius_top = 0.2;
  blocks = column_blocks(spec);
  CHECK(blocks[4].form == MasonryBlock::Form::Hull);
  CHECK(blocks[4].corners.back().head<2>().norm() == doctest::Approx(0.2));
  CHECK(blocks[2].corners.front().head<2>().norm() == doctest::Approx(0.26));
}
