// What one trajectory leaves behind. Plain numbers, so that records go through files and between machines unchanged.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace carom::rockfall {

enum class StopReason : std::uint8_t {
  AtRest,   // moved less than rest_speed times rest_time in rest_time
  LeftMap,  // its centre passed the rim of the map or came over no data
  TimeLimit,
  BelowGround,  // its centre came under the terrain: an error of ours, counted and reported
  Failed,       // the numbers stopped being finite
};
inline constexpr int kStopReasons = 5;
std::string_view name_of(StopReason reason);  // "at_rest", "left_map", ...

// Largest values while the centre was over one raster cell.
struct CellVisit {
  std::uint32_t cell = 0;
  float speed = 0;          // m/s
  float translational = 0;  // J
  float rotational = 0;     // J
  float height = 0;         // m, of the centre over the ground straight below
};

// The centre passes over a line on the map.
struct Crossing {
  std::uint32_t barrier = 0;
  double time = 0;
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // world
  double translational = 0, rotational = 0;                                                // J
  double height = 0;                                                                       // m, as in CellVisit
};

struct PathPoint {
  double time = 0;
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // world
};

struct TrajectorySummary {
  std::uint64_t number = 0;
  std::uint32_t release = 0, kind = 0;
  StopReason reason = StopReason::Failed;
  double volume = 0, mass = 0;                                      // m^3, kg
  Vec3 start = Vec3::Zero(), end = Vec3::Zero();                    // of the centre, m
  double time = 0;                                                  // s
  double length = 0;                                                // m, of the way of the centre
  double speed = 0, translational = 0, rotational = 0, height = 0;  // largest: m/s, J, J, m
  std::uint32_t impacts = 0;                                        // contacts made faster than impact_speed
  std::uint32_t broken_stems = 0;
  std::uint32_t steps = 0;     // contact problems solved
  std::uint32_t unsolved = 0;  // of these, missed their tolerance
  double created = 0;          // J: by contacts, where Newton's law with friction gave more than it took
  double worst_gain = 0;       // largest share of its kinetic energy that an impact gave a block
  double worst_depth = 0;      // deepest overlap with the ground, of the block's radius

  // Horizontal distance between start and end, m; and the slope of the line that joins them, rad.
  double runout() const { return (end - start).head<2>().norm(); }
  double energy_line_angle() const;
};

struct TrajectoryRecord {
  TrajectorySummary summary;
  std::vector<CellVisit> visits;  // by cell, each once
  std::vector<Crossing> crossings;
  std::vector<PathPoint> path;

  void clear() {
    summary = {};
    visits.clear();
    crossings.clear();
    path.clear();
  }
};

}  // namespace carom::rockfall
