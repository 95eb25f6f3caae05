// Masonry: structures cut into convex blocks. Pure functions of their specification and a seed, in the structure's own
// frame: x along a wall, y through its thickness, z up, the ground at z = 0.
#pragma once

#include <vector>

#include "base/random.h"
#include "base/types.h"

namespace carom {

// One block: a box, an upright cylinder, or the hull of its corners.
struct MasonryBlock {
  enum class Form : std::uint8_t { Box, Cylinder, Hull };
  Form form = Form::Box;
  Vec3 centre = Vec3::Zero();  // Box, Cylinder
  Vec3 size = Vec3::Zero();    // Box: edges; Cylinder: diameter, diameter, height
  Quat rotation = Quat::Identity();  // Box: about its centre
  std::vector<Vec3> corners;   // Hull
  int course = 0;              // row, ring or drum, from the bottom; voussoirs are numbered along the arch
  bool support = false;        // part of the ground: does not move by itself
};

// ---- Walls ----

enum class BrickBond : std::uint8_t {
  Stack,    // vertical joints in line
  Running,  // shifted by half a brick in every second course
  Third,    // shifted by a third of a brick, three courses repeat
  English,  // courses of stretchers (two deep) and of headers in turn
  Flemish,  // stretchers (two deep) and headers in turn within each course, headers over the middle of stretchers
};

struct WallOpening {
  double left = 0, right = 0, bottom = 0, top = 0;  // m, in the plane of the wall
  bool lintel = true;                               // one long block in the course above
};

struct WallSpec {
  double length = 1;  // m
  int courses = 1;
  Vec3 brick = Vec3(0.24, 0.115, 0.07);  // length, width, height, m; English and Flemish walls are two widths thick
  double joint = 0;                      // m, >= 0: left between neighbours of a course
  BrickBond bond = BrickBond::Running;
  std::vector<WallOpening> openings;
  double bearing = 0.5;  // of a lintel on each side, in brick lengths
};
std::vector<MasonryBlock> wall_blocks(const WallSpec& spec);

// Rows of cut stones: heights and lengths drawn uniformly from the ranges, vertical joints kept apart from those below.
struct AshlarSpec {
  double length = 1, height = 1, depth = 0.3;  // m
  double row_low = 0.1, row_high = 0.3;        // m
  double stone_low = 0.2, stone_high = 0.6;    // m
};
std::vector<MasonryBlock> ashlar_blocks(const AshlarSpec& spec, std::uint64_t seed, std::uint64_t stream);

// Dry stone: Voronoi cells of jittered seeds in the plane of the wall, shrunk by `gap` and as deep as the wall.
struct DryStoneSpec {
  double length = 1, height = 1, depth = 0.3;  // m
  double stone = 0.25;                         // m: mean distance of stones
  double jitter = 0.35;                        // in [0, 0.5): of the seeds, in stones
  double gap = 0;                              // m between neighbouring stones
};
std::vector<MasonryBlock> dry_stone_blocks(const DryStoneSpec& spec, std::uint64_t seed, std::uint64_t stream);

// ---- Arches, domes, columns ----

// Voussoirs with radial joints about the y axis; supports are blocks below the springings.
struct ArchSpec {
  double radius = 1;       // m, of the centre line
  double thickness = 0.2;  // m, in (0, 2 radius)
  double depth = 0.3;      // m, along y
  int voussoirs = 11;
  double angle = 180;  // embrace, degrees, in (0, 180]
  bool supports = true;
};
std::vector<MasonryBlock> arch_blocks(const ArchSpec& spec);

// Rings of voussoirs of a spherical dome, all joints radial and meridians in line (joints between staggered rings would
// not be flat). Without an opening at the top a keystone closes it.
struct DomeSpec {
  double radius = 2;       // m, of the centre surface
  double thickness = 0.3;  // m
  int rings = 6;
  int voussoirs = 16;    // in each ring, >= 3
  double springing = 0;  // degrees above the horizon where the lowest ring starts, in [0, 90)
  double oculus = 15;    // degrees from the zenith where the highest ring ends, in (0, 90 - springing)
  bool keystone = true;  // closes the oculus
  bool supports = true;  // one block below each voussoir of the lowest ring
};
std::vector<MasonryBlock> dome_blocks(const DomeSpec& spec);

struct ColumnSpec {
  double height = 3;                             // m
  double radius_bottom = 0.3, radius_top = 0.3;  // m; equal ones give cylinders
  int drums = 5;
  int sides = 0;  // 0: round where it does not taper, else a prism of so many sides
};
std::vector<MasonryBlock> column_blocks(const ColumnSpec& spec);

// A round tower of planks that lie flat: rings of planks along the circle, each bridging the gap below it.
struct PlankTowerSpec {
  Vec3 plank = Vec3(0.117, 0.0234, 0.0078);  // length, width, height, m
  int rings = 10;
  int planks = 24;    // in each ring, >= 3
  double gap = 0.03;  // m, between neighbours of a ring, along the circle through their middles
};
std::vector<MasonryBlock> plank_tower_blocks(const PlankTowerSpec& spec);

}  // namespace carom
