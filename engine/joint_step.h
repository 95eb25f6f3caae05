// Joints within one step of rigid bodies: which of their rows act, and what they hand to the next step. Their blocks
// follow those of the contacts, joint by joint in the order of their slots. Each field says which phase writes it.
#pragma once

#include "engine/joint.h"
#include "engine/model.h"
#include "engine/step_options.h"
#include "engine/step_report.h"

namespace carom {

struct StepContext;

enum class JointPart : std::uint8_t { Held, Lower, Upper, Spring, Motor, Friction };
inline constexpr int kAxisParts = 5;  // all but Held

struct JointBlock {
  int joint = 0;
  JointPart part = JointPart::Held;
  int axis = 0;  // of all but Held
};

// From one step to the next. All of it is doubles, and a checkpoint holds it as such.
struct JointMemory {
  std::array<double, 6> held = {};                       // N s, N m s: by held row, the warm start
  std::array<std::array<double, kAxisParts>, 2> axis{};  // N s, N m s: by axis and part, the warm start
  std::array<double, 2> reading = {};                    // m, rad: at the end of the step
  std::array<double, 3> force = {}, torque = {};  // N s, N m s: on a at b's anchor, world, all that was transmitted
};
inline constexpr std::size_t kJointMemoryDoubles = sizeof(JointMemory) / sizeof(double);

struct ActiveJoints {
  std::vector<JointMemory> memory;                   // per joint; apply_impulses: impulses; report_step: readings
  std::vector<std::array<double, 8>> start;          // predict_midpoint: per joint, u_n of held rows, then of the axes
  std::vector<std::array<double, 2>> start_reading;  // predict_midpoint
  std::vector<JointFrames> frames;                   // match_contacts: per joint, at q_mid
  std::vector<JointBlock> blocks;                    // match_contacts
  std::vector<double> drift;                         // assemble_problem: u_mid - u_n, per row of the blocks
  double h = 0;                                      // match_contacts
  double worst_error = 0;                            // report_step: m or rad, of what is held
};

// ---- What the phases of engine/phases.h do about joints. ----

void start_joints(const Model& model, const BodyState& state, ActiveJoints& joints);
void match_joints(const Model& model, const StepOptions& options, double h, StepContext& c);  // cones, laws, roles
void warm_start_joints(const Model& model, double scale, StepContext& c);                     // r
void assemble_joints(const Model& model, const StepOptions& options, StepContext& c);         // W, q, u_minus
void apply_joints(const Model& model, StepContext& c);                                        // u, memory
EnergyReport report_joints(const Model& model, const BodyState& before, StepContext& c);      // work, readings

// Takes the drift of joints away by moving bodies; changes no velocity.
void project_joints(const Model& model, const StepOptions& options, StepContext& c);

// J, of springs at a state; near: readings by which turns are told apart.
double elastic_energy(const Model& model, const BodyState& state, const std::vector<JointMemory>& near);

// The rows of one block at some frames, as many as its cone has.
void block_rows(const Joint& joint, const JointBlock& block, const JointFrames& frames, FactorRow* rows);

}  // namespace carom
