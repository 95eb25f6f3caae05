#include <cmath>
#include <numbers>

#include "io/masonry.h"

namespace carom {

namespace {

constexpr double kDegree = std::numbers::pi / 180;

MasonryBlock hull(std::vector<Vec3> corners, int course, bool support = false) {
  MasonryBlock block;
  block.form = MasonryBlock::Form::Hull;
  block.corners = std::move(corners);
  block.course = course;
  block.support = support;
  return block;
}

}  // namespace

std::vector<MasonryBlock> arch_blocks(const ArchSpec& spec) {
  const double inner = spec.radius - 0.5 * spec.thickness, outer = spec.radius + 0.5 * spec.thickness;
  const double half = 0.5 * spec.angle * kDegree;
  // The springings stand on the ground: the lowest corner of the voussoirs is at z = 0.
  const double centre_z = -inner * std::cos(half);
  const auto at = [&](double angle, double radius, double y) {  // angle from the crown, to the right
    return Vec3(radius * std::sin(angle), y, centre_z + radius * std::cos(angle));
  };
  const auto between = [&](double from, double to) {
    std::vector<Vec3> corners;
    for (const double y : {-0.5 * spec.depth, 0.5 * spec.depth})
      for (const double angle : {from, to})
        for (const double radius : {inner, outer}) corners.push_back(at(angle, radius, y));
    return corners;
  };
  std::vector<MasonryBlock> blocks;
  const double step = 2 * half / spec.voussoirs;
  for (int i = 0; i < spec.voussoirs; ++i) blocks.push_back(hull(between(-half + i * step, -half + (i + 1) * step), i));
  if (!spec.supports) return blocks;
  // A support's face is the springing joint, wider than the voussoir by half its thickness on each side, so that a
  // voussoir can slide without falling off at once.
  for (const double side : {-1.0, 1.0}) {
    const Vec3 along = at(side * half, 1, 0) - at(side * half, 0, 0);  // radial
    const Vec3 down(side * std::cos(half), 0, -std::sin(half));        // on along the arch, into the ground
    std::vector<Vec3> corners;
    for (const double y : {-spec.depth, spec.depth})
      for (const double radius : {inner - 0.5 * spec.thickness, outer + 0.5 * spec.thickness})
        for (const double depth : {0.0, spec.thickness})
          corners.push_back(at(side * half, 0, y) + radius * along + depth * down);
    blocks.push_back(hull(std::move(corners), side < 0 ? -1 : spec.voussoirs, true));
  }
  return blocks;
}

std::vector<MasonryBlock> dome_blocks(const DomeSpec& spec) {
  const double inner = spec.radius - 0.5 * spec.thickness, outer = spec.radius + 0.5 * spec.thickness;
  const double lowest = (90 - spec.springing) * kDegree, highest = spec.oculus * kDegree;  // from the zenith
  const double centre_z = -inner * std::cos(lowest);
  const auto at = [&](double zenith, double azimuth, double radius) {
    return Vec3(radius * std::sin(zenith) * std::cos(azimuth), radius * std::sin(zenith) * std::sin(azimuth),
                centre_z + radius * std::cos(zenith));
  };
  const double ring_step = (lowest - highest) / spec.rings, step = 2 * std::numbers::pi / spec.voussoirs;
  const auto voussoir = [&](double low, double high, int k) {
    std::vector<Vec3> corners;
    for (const double zenith : {low, high})
      for (const double azimuth : {k * step, (k + 1) * step})
        for (const double radius : {inner, outer}) corners.push_back(at(zenith, azimuth, radius));
    return corners;
  };
  std::vector<MasonryBlock> blocks;
  for (int ring = 0; ring < spec.rings; ++ring)
    for (int k = 0; k < spec.voussoirs; ++k)
      blocks.push_back(hull(voussoir(lowest - ring * ring_step, lowest - (ring + 1) * ring_step, k), ring));
  if (spec.keystone) {
    std::vector<Vec3> corners;
    for (int k = 0; k < spec.voussoirs; ++k)
      for (const double radius : {inner, outer}) corners.push_back(at(highest, k * step, radius));
    blocks.push_back(hull(std::move(corners), spec.rings));
  }
  if (spec.supports)
    for (int k = 0; k < spec.voussoirs; ++k) blocks.push_back(hull(voussoir(lowest + ring_step, lowest, k), -1, true));
  return blocks;
}

std::vector<MasonryBlock> column_blocks(const ColumnSpec& spec) {
  std::vector<MasonryBlock> blocks;
  const double drum = spec.height / spec.drums;
  for (int i = 0; i < spec.drums; ++i) {
    const auto radius_at = [&](int joint) {
      return spec.radius_bottom + (spec.radius_top - spec.radius_bottom) * joint / spec.drums;
    };
    if (spec.sides == 0 && spec.radius_bottom == spec.radius_top) {
      MasonryBlock block;
      block.form = MasonryBlock::Form::Cylinder;
      block.centre = Vec3(0, 0, (i + 0.5) * drum);
      block.size = Vec3(2 * spec.radius_bottom, 2 * spec.radius_bottom, drum);
      block.course = i;
      blocks.push_back(block);
      continue;
    }
    const int sides = spec.sides > 0 ? spec.sides : 24;
    std::vector<Vec3> corners;
    for (int end = 0; end < 2; ++end)
      for (int k = 0; k < sides; ++k) {
        const double angle = 2 * std::numbers::pi * (k + 0.5) / sides;
        const double radius = radius_at(i + end);
        corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), (i + end) * drum);
      }
    blocks.push_back(hull(std::move(corners), i));
  }
  return blocks;
}

std::vector<MasonryBlock> plank_tower_blocks(const PlankTowerSpec& spec) {
  const double step = 2 * std::numbers::pi / spec.planks;
  // planks are sides of a polygon; the gap is what is left of its side
  const double radius = 0.5 * (spec.plank.x() + spec.gap) / std::tan(0.5 * step);
  std::vector<MasonryBlock> blocks;
  for (int ring = 0; ring < spec.rings; ++ring)
    for (int k = 0; k < spec.planks; ++k) {
      const double angle = (k + 0.5 * (ring % 2)) * step;
      MasonryBlock block;
      block.centre = Vec3(radius * std::cos(angle), radius * std::sin(angle), (ring + 0.5) * spec.plank.z());
      block.size = spec.plank;
      block.rotation = Quat(Eigen::AngleAxisd(angle + 0.5 * std::numbers::pi, Vec3::UnitZ()));
      block.course = ring;
      blocks.push_back(block);
    }
  return blocks;
}

}  // namespace carom
