// Follows the centre of a block over the map: which cells it visits and how, which lines it crosses, and a thinned
// path.
#pragma once

#include "engine/rockfall/ground.h"
#include "engine/rockfall/record.h"

namespace carom::rockfall {

// A line on the map at which crossings are recorded.
struct Barrier {
  std::string name;
  std::vector<Vec2> points;  // local map coordinates, m; at least two
};

// A piece of the way under constant acceleration, which is vertical.
struct Arc {
  double start = 0, duration = 0;  // s
  Vec3 position, velocity;         // at its start
  double acceleration = 0;         // along z, m/s^2
  double rotational = 0;           // energy, J
  // In contact: the block's own velocity; that of the arc has in it what took an overlap away.
  std::optional<Vec3> own_velocity = {};

  Vec3 position_at(double s) const {
    return {position.x() + s * velocity.x(), position.y() + s * velocity.y(),
            position.z() + s * (velocity.z() + 0.5 * s * acceleration)};
  }
  Vec3 velocity_at(double s) const {
    return own_velocity ? *own_velocity : Vec3(velocity.x(), velocity.y(), velocity.z() + s * acceleration);
  }
};

struct RecorderOptions {
  double path_interval = 0.1;       // s, > 0: between points of the path, doubled when there are too many
  std::size_t most_points = 200;    // of a path, >= 2
  std::size_t most_crossings = 64;  // of one trajectory
};

class PathRecorder {
 public:
  PathRecorder(const Ground& ground, std::span<const Barrier> barriers, const RecorderOptions& options)
      : ground_(ground), barriers_(barriers), options_(options) {}

  void begin(double mass, bool with_path, TrajectoryRecord& record);
  // Records the arc up to its end, or up to where it leaves the map: then false, and `arc` ends there.
  bool travel(Arc& arc);
  // Times within the last arc, increasing, at which something was recorded that wants the angular velocity.
  std::size_t pending() const { return pending_.size(); }
  double pending_time(std::size_t k) const { return pending_[k].time; }
  void set_angular_velocity(std::size_t k, const Vec3& angular_velocity);
  void finish(double time, const Vec3& position, const Vec3& velocity, const Vec3& angular_velocity);

 private:
  struct Pending {
    double time;  // s from the arc's start
    bool crossing;
    std::size_t index;
  };
  void visit(std::uint32_t cell, const Arc& arc, double from, double to, double height);
  void cross(const Arc& arc);
  void add_points(const Arc& arc);

  const Ground& ground_;
  std::span<const Barrier> barriers_;
  RecorderOptions options_;
  TrajectoryRecord* record_ = nullptr;
  std::vector<Pending> pending_;
  double mass_ = 0, interval_ = 0, next_point_ = 0;
  bool with_path_ = false;
};

}  // namespace carom::rockfall
