// World: the facade. Add materials and bodies, then step.
//
//     World world;
//     const MaterialId rubber = world.add_material({.name = "rubber", .friction = 0.8, .restitution = 0.7});
//     world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), rubber);
//     const BodyId ball = world.add_sphere(0.1, rubber, {.position = Vec3(0, 0, 1)});
//     while (world.time() < 2.0) world.step(1e-3);
#pragma once

#include <memory>
#include <optional>

#include "contact/colliders.h"
#include "contact/contact_set.h"
#include "engine/body.h"
#include "engine/bonds.h"
#include "engine/forces.h"
#include "engine/impact/impact_law.h"
#include "engine/joint.h"
#include "engine/material.h"
#include "engine/motion.h"
#include "engine/step_options.h"
#include "engine/step_report.h"
#include "solvers/solver.h"

namespace carom {

// A shape on a body.
struct ColliderSpec {
  Shape shape;
  MaterialId material;
  Pose local;  // in the body's frame; the body's origin is its centre of mass
};

// Everything about a new body. Mass and inertia come from the shapes at `density` unless given.
struct BodySpec {
  std::string name;   // optional, unique
  std::string group;  // optional
  BodyKind kind = BodyKind::Dynamic;
  Pose pose;                             // of the centre of mass
  Vec3 velocity = Vec3::Zero();          // m/s
  Vec3 angular_velocity = Vec3::Zero();  // world frame, rad/s
  double density = 1000;                 // kg/m^3
  std::optional<double> mass;            // kg, instead of density
  std::optional<Mat3> inertia;           // body frame, about the centre of mass, kg m^2
  std::vector<ColliderSpec> colliders;
  Motion motion;  // Kinematic only
};

// Short form for the add_* functions.
struct Placement {
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
  double density = 1000;
};

// The active contacts of the last step, for output. Local components are (n, t1, t2).
enum class ContactStatus : std::uint8_t { Open, Stick, Slip };
struct ContactRecord {
  ContactKey key;
  int body_a = 0, body_b = 0;
  Vec3 point, normal;          // world
  double gap = 0;              // m, at the middle of the step
  Vec3 impulse_world;          // on body a, N s
  Vec3 impulse;                // local, N s
  Vec3 moment = Vec3::Zero();  // against rolling, on body a, world, N m s
  Vec3 velocity;               // local, post-step relative velocity, m/s
  ContactStatus status = ContactStatus::Open;
};

// One free coordinate of a joint at the present state, and the forces along it in the last step (means over it): m, m/s
// and N for a slide, rad, rad/s and N m for a turn.
struct AxisRecord {
  double position = 0, velocity = 0;
  double limit = 0;     // >= 0 at the lower limit, <= 0 at the upper one
  double spring = 0;    // of stiffness and damping
  double motor = 0;     // what the motor needed, or its limit
  double friction = 0;  // opposes the velocity
};

// What a joint did in the last step, for output.
struct JointRecord {
  JointId id;
  JointType type = JointType::Ball;
  int body_a = -1, body_b = -1;  // -1: the world
  Vec3 point;                    // b's anchor, world, m
  Vec3 axis;                     // world, unit; of spring and distance from b's anchor to a's
  Vec3 force;                    // on a, world, N: all that the joint transmitted, mean over the step
  Vec3 torque;                   // on a about `point`, world, N m
  AxisRecord slide, turn;        // zero where the joint has none
  double error = 0;              // m or rad: largest deviation from what is held
};

// All a run needs to go on bit for bit.
struct WorldSnapshot {
  double time = 0;
  std::int64_t step = 0;
  double last_h = 0;
  BodyState bodies;
  std::vector<ContactKey> warm_keys;        // warm start of the next solve
  std::vector<double> warm_impulses;        // three per key
  std::vector<double> warm_moments;         // three per key where some contact resisted rolling, else empty
  std::vector<double> joints;               // kJointMemoryDoubles per slot of a joint
  std::vector<std::uint32_t> broken_bonds;  // numbers
  std::vector<double> bond_impulses;        // three per point of a bond
  std::vector<double> interfaces;           // what watching them found; empty where they are not watched
};

class InterfaceMonitor;  // engine/interfaces.h
struct InterfaceOptions;

class World {
 public:
  explicit World(const StepOptions& options = {});
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  // ---- Building. Each throws InputError naming the body and the value when data make no sense. ----
  MaterialId add_material(const Material& material);
  void set_pair(MaterialId a, MaterialId b, const PairLaw& law);
  BodyId add_body(const BodySpec& spec);
  BodyId add_sphere(double radius, MaterialId material, const Placement& at = {});
  BodyId add_box(const Vec3& full_size, MaterialId material, const Placement& at = {});
  BodyId add_half_space(const Vec3& normal, const Vec3& point, MaterialId material);  // fixed; solid behind
  BodyId add_fixed(const Shape& shape, MaterialId material, const Pose& at);
  void remove_body(BodyId id);  // with its joints; its slot and colliders are reused by nobody until the next add_body
  JointId add_joint(const JointSpec& spec);  // bodies where they are now
  void remove_joint(JointId id);
  void set_motor(JointId id, int axis, std::optional<double> speed);  // kSlide or kTurn; none: no motor
  void set_gravity(const Gravity& gravity);
  void add_load(const Load& load);
  void add_force_field(ForceField field);
  void set_solver(std::unique_ptr<Solver> solver);
  void set_impact_law(std::unique_ptr<ImpactLaw> law);    // none: Newton's, which is the default
  void set_pair(BodyId a, BodyId b, const PairLaw& law);  // wins over that of their materials
  // Bonds all interfaces (faces at which two colliders are closer than margin now, m) whose law has cohesion or tensile
  // strength; one that opens or slides by `critical` (m, > 0) breaks (engine/bonds.h). Returns how many there are.
  int bond_interfaces(double margin = 1e-6, double critical = 1e-5);

  // ---- Stepping. ----
  const StepReport& step(double h);  // s, > 0
  double time() const;
  double last_step_size() const;  // s; 0 before the first
  std::int64_t step_count() const;
  StepOptions& options();
  const StepOptions& options() const;
  const Solver& solver() const;

  // ---- Reading. ----
  int body_count() const;  // slots, removed ones included
  bool contains(BodyId id) const;
  std::optional<BodyId> find(const std::string& name) const;
  BodyId id_of(int index) const;
  const BodyState& state() const;
  const BodyProperties& properties() const;
  const Colliders& colliders() const;
  const MaterialTable& materials() const;
  bool resists_rolling() const;  // some pair of materials or bodies
  const Forces& forces() const;
  MaterialId material_of(int collider) const;

  Vec3 position(BodyId id) const;
  Quat rotation(BodyId id) const;
  Vec3 velocity(BodyId id) const;
  Vec3 angular_velocity(BodyId id) const;  // world frame
  void set_pose(BodyId id, const Pose& pose);
  void set_velocity(BodyId id, const Vec3& velocity, const Vec3& angular_velocity);

  int joint_count() const;  // slots, removed ones included
  bool contains(JointId id) const;
  std::optional<JointId> find_joint(const std::string& name) const;
  const std::vector<Joint>& joints() const;  // by slot
  // Watches the faces at which bodies touch now; anew when called again.
  void watch_interfaces(const InterfaceOptions& options);
  const InterfaceMonitor* interfaces() const;  // none: nothing is watched
  const std::vector<Bond>& bonds() const;
  bool bond_holds(std::size_t bond) const;
  JointRecord joint_record(JointId id) const;
  void joint_records(std::vector<JointRecord>& out) const;  // of all joints, in the order of their slots
  // Joints, among them motors of unlimited strength, that no velocities satisfy together; none: they agree.
  std::vector<JointId> contradicting_joints() const;

  const StepReport& last_report() const;
  void contact_records(std::vector<ContactRecord>& out) const;          // of the last step, in key order
  void touching(double margin, std::vector<ContactRecord>& out) const;  // gaps <= margin now; no impulses
  const ConeProblem& last_problem() const;                              // of the last step, for dumps
  VectorXd last_impulses() const;
  EnergyReport energies() const;  // kinetic, potential and elastic now
  Vec3 linear_momentum() const;
  Vec3 angular_momentum() const;  // about the origin, world
  std::uint64_t state_hash() const;

  // Overlaps at the present positions deeper than `tolerance` (m), deepest first.
  struct Overlap {
    int body_a = 0, body_b = 0;
    double depth = 0;
  };
  std::vector<Overlap> find_overlaps(double tolerance) const;

  // ---- Restart. ----
  WorldSnapshot snapshot() const;
  void restore(const WorldSnapshot& snapshot);  // into a world built the same way

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
