// One trajectory after another: a block released over the ground flies, strikes, slides and rolls until it stops.
//
// In the air the centre of mass follows its parabola exactly, in pieces as long as the ground is certainly out of
// reach; rotation is advanced by turns of at most `turn`. Near the ground the time at which the block touches is found,
// and contacts are the step of engine/moreau_jean.cpp, of length
//
//     h = min(step, travel min(radius, cell) / (|v| + |omega| radius)),   less where a contact approaches at v_n > 0:
//     h v_n / 2 <= depth radius
//
// so that no contact goes deeper than `depth` of the block's radius in a step. What overlap is left is taken away
// without a change of velocity. All of it is first order in these three, flights are exact but for their turns.
#pragma once

#include "engine/impact/impact_law.h"
#include "engine/rockfall/block_step.h"
#include "engine/rockfall/path_recorder.h"

namespace carom::rockfall {

struct SimulationOptions {
  double step = 5e-3;         // s, > 0: longest step in contact
  double travel = 0.25;       // > 0: of the smaller of radius and cell, longest way in a step near the ground
  double depth = 1e-3;        // > 0: of the radius
  double turn = 0.1;          // rad, > 0: of a free rotation
  double time_limit = 300;    // s, > 0
  double rest_speed = 0.01;   // m/s, > 0: of any point of the block, on average over rest_time
  double rest_time = 0.5;     // s, > 0
  double impact_speed = 0.5;  // m/s, > 0: faster contacts count as impacts: roughness, scars
  double gravity = 9.81;      // m/s^2, downwards
  RecorderOptions record;
};

struct Start {
  std::uint64_t number = 0;
  std::uint32_t release = 0, kind = 0;
  Block block;
  Pose pose;
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // world
  bool with_path = true;
};

class Simulator {
 public:
  // Everything referred to outlives the simulator. law: nullptr is Newton's.
  Simulator(const Ground& ground, const GroundDistance& distance, std::span<const Barrier> barriers,
            const SimulationOptions& options, std::uint64_t seed, std::unique_ptr<ImpactLaw> law);

  void run(const Start& start, TrajectoryRecord& record);

 private:
  struct Free {  // the block after free flight
    Vec3 position, velocity;
    Quat rotation;
    Vec3 spin;  // body frame
  };
  struct Approach {    // of the contacts found
    double speed = 0;  // fastest, m/s
    double gap = 0;    // of that contact, m
    double deepest = 0;
    bool stems = false;
  };

  Free flown(const Free& from, double s) const;
  Free present() const;
  bool fly();  // false: the trajectory has ended
  bool fly_for(double s);
  double clear_time(double most) const;
  double time_to_touch(double h);  // within a free step of h that ends in contact
  double near_step() const;

  bool in_contact_step();  // false: no contact
  void step_contacts(double h, const Approach& approach);
  Approach find_contacts(const Pose& pose, const Vec3& velocity, const Vec3& angular_velocity);
  void set_laws(const BodyState& mid);
  void roughen(const BodyState& mid, const Approach& approach);
  bool stems_break();
  void scar(double h, bool impact);
  bool at_rest();
  void keep_account(double before, bool impact);
  double kinetic() const;
  double rotational() const;
  Vec3 angular_velocity() const { return state_.rotation[0] * state_.spin[0]; }
  Vec3 contact_velocity(const Vec3& point, const Vec3& centre, const Vec3& velocity, const Vec3& omega) const {
    return velocity + omega.cross(point - centre);
  }
  void end(StopReason reason);

  const Ground& ground_;
  const GroundDistance& distance_;
  SimulationOptions options_;
  std::uint64_t seed_;
  PathRecorder recorder_;
  BlockModel model_;
  StepOptions step_options_;
  BlockContext context_;
  StepReport report_;
  BlockSolver solver_;
  std::unique_ptr<ImpactLaw> law_;
  BodyState state_, before_;

  const Start* start_ = nullptr;
  TrajectoryRecord* record_ = nullptr;
  RandomStream roughness_{0, 0};
  ContactSet near_stems_;
  std::vector<std::pair<std::uint32_t, double>> absorbed_;  // J, by stem; broken ones have infinity
  double time_ = 0, margin_ = 0;
  Pose anchor_;  // where the block was at time anchored_, and has hardly moved since
  double anchored_ = 0;
  int misses_ = 0;
  bool contact_ = false, ended_ = false;
};

}  // namespace carom::rockfall
