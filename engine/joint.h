// Joints between two bodies, or a body and the world: what they hold, what acts along the coordinates they leave free,
// and the geometry both need.
//
// A joint has a frame on each of its bodies, A on a and B on b, with z along its axis; at the start they coincide. Held
// directions are rows of the step's cone problem on the relative motion of a seen from b, in B's axes:
//
//   type         held: linear   angular   free: slide (m)          turn (rad)
//   ball               x y z    -
//   revolute           x y z    x y                                about z
//   prismatic          x y      x y z           along z
//   cylindrical        x y      x y             along z            about z
//   fixed              x y z    x y z
//   planar             z        x y
//   distance           the length of the line between two anchors; instead of it, limits of that length
//   spring             nothing; a spring-damper along that line: its slide
//
// Held rows are one Free block per joint. They are demanded of the velocities at the END of the step, though impulses
// act at its middle: with u_n = H(q) v of the velocities before, which should be 0, and u_mid = H(q_mid) v,
//
//     u_plus + (u_mid - u_n) = 0
//
// whose bracket is what the turning of H over half a step adds. The scheme is of second order, an error of velocity is
// forgotten at once, and the joint does no work but r . u_n / 2 = O(h^3) in a step. Positions are taken back onto the
// joint after each step (engine/project.cpp).
//
// Along a free coordinate x, with generalized force f (N or N m):
//   limits     x >= lower, x <= upper: an Orthant row each while the predicted x is beyond it, Newton's law with e
//   spring     f = -k (x - rest) - c dx/dt, taken at the weight theta of the step: a row of compliance. Stable at any
//              stiffness; with theta = 1/2 it neither damps nor feeds oscillations, those faster than the step included
//              (theta above 1/2 damps them)
//   motor      dx/dt = speed at the end of every step: a Free row; with a limit, |f| <= limit
//   friction   |f| <= bound, opposing dx/dt: dry friction, sticking included. The bound is
//              friction + friction_coefficient [* friction_radius, for a turn] * |force held by the joint in the last
//              step|; it is known when the step begins, so that what an impact adds to it acts one step later
// A bound is exact within the closed set of cones: a Coulomb block of two rows with mu = 1 whose normal row acts on no
// body and has compliance alone, so that its impulse is the bound and nothing else.
#pragma once

#include <limits>
#include <optional>

#include "engine/body.h"
#include "solvers/delassus.h"

namespace carom {

enum class JointType : std::uint8_t { Ball, Revolute, Prismatic, Cylindrical, Fixed, Planar, Distance, Spring };
std::string_view name_of(JointType type);  // "ball", "revolute", ...

// Names a joint outside the engine, as BodyId a body.
struct JointId {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  bool operator==(const JointId&) const = default;
};

// What acts along one free coordinate: m, m/s and N for a slide; rad, rad/s and N m for a turn.
struct AxisSpec {
  std::optional<double> lower = {}, upper = {};  // limits
  double restitution = 0;                        // at the limits, in [0, 1]
  double stiffness = 0;                          // k >= 0
  double damping = 0;                            // c >= 0
  std::optional<double> rest = {};               // of the spring, where it is relaxed; none: where the joint is made
  double friction = 0;                           // bound, >= 0
  double friction_coefficient = 0;               // mu >= 0
  double friction_radius = 0;                    // m, > 0 where a turn has a coefficient
  std::optional<double> motor_speed = {};
  double motor_limit = std::numeric_limits<double>::infinity();  // > 0; a motor against limits needs one
  double start = 0;  // reading of the coordinate where the joint is made; not of spring and distance

  bool limited() const { return lower || upper; }
  bool sprung() const { return stiffness > 0 || damping > 0; }
  bool rubs() const { return friction > 0 || friction_coefficient > 0; }
};

struct JointSpec {
  std::string name = {};  // optional, unique among joints
  JointType type = JointType::Ball;
  std::optional<BodyId> a = {}, b = {};  // none: the world
  Vec3 anchor = Vec3::Zero();            // world, where bodies are when the joint is made
  std::optional<Vec3> anchor_a = {},
                      anchor_b = {};  // instead: in the frames of a and b (world's where it is the world)
  Vec3 axis = Vec3::UnitZ();          // world; of revolute, prismatic and cylindrical; a planar joint's normal
  std::optional<double> length = {};  // m, > 0, of distance without limits; none: as the anchors are
  AxisSpec slide = {}, turn = {};
  bool collide = false;     // whether its two bodies may touch each other
  double tolerance = 1e-6;  // m: anchors that are further from what the joint holds at the start are an error
};

// The two frames of a joint at some state, world.
struct JointFrames {
  Vec3 p_a, p_b;            // anchors
  Mat3 A, B;                // axes as columns
  Vec3 centre_a, centre_b;  // of mass
};

inline constexpr int kSlide = 0, kTurn = 1;  // axes of a joint

struct Joint {
  JointType type = JointType::Ball;
  std::array<int, 2> bodies = {-1, -1};                       // a and b; -1 is the world
  std::array<int, 2> movable = {-1, -1};                      // a and b, -1 unless Dynamic
  Pose local_a, local_b;                                      // the frames on the bodies
  std::array<bool, 3> holds_linear = {}, holds_angular = {};  // along and about B's axes
  bool holds_length = false;
  std::array<bool, 2> has_axis = {};  // slide, turn
  std::array<AxisSpec, 2> axis;
  double length = 0;  // m, of distance
  bool collide = false;
  bool alive = true;
  std::string name;

  bool along_line() const { return type == JointType::Distance || type == JointType::Spring; }
  int held() const;  // rows
};

// Throws InputError naming `whose` and the value. planar: the normal of a planar world; rows that say nothing there are
// left out.
Joint make_joint(const JointSpec& spec, const std::array<int, 2>& bodies, const BodyProperties& properties,
                 const BodyState& state, const std::optional<Vec3>& planar, const std::string& whose);

JointFrames frames_of(const Joint& joint, const BodyState& state);

// The rows of what is held, joint.held() of them, and of one free coordinate. All rows are on the relative motion in
// B's frame, so that joints between the same two bodies are redundant exactly or not at all.
void held_rows(const Joint& joint, const JointFrames& frames, FactorRow* rows);
FactorRow axis_row(const Joint& joint, const JointFrames& frames, int axis);

// How far positions are from what is held, m and rad, one number per held row, whose rate is that row's velocity.
void held_error(const Joint& joint, const JointFrames& frames, double* error);

// The coordinate's value; of the turns that differ by whole ones the nearest to `near`.
double axis_reading(const Joint& joint, const JointFrames& frames, int axis, double near);

// u of a row for bodies' velocities; rotation turns spins into the world.
double row_velocity(const FactorRow& row, const std::array<int, 2>& bodies, const BodyState& velocities,
                    const std::vector<Quat>& rotation);

}  // namespace carom
