#include <algorithm>
#include <cmath>

#include "engine/phases.h"
#include "engine/rotation.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kJointPasses = 3;        // Newton steps; each squares the error, up to how far the solver came
constexpr int kMostIterations = 2000;  // of each

// Starts the gap problem: no blocks, M^-1 of the step.
DelassusFactors& begin_gaps(const DelassusFactors& step, ConeProblem& gaps) {
  gaps.cones.clear();
  if (!gaps.W.factors) gaps.W.factors.emplace();
  DelassusFactors& factors = *gaps.W.factors;
  factors.bodies.clear();
  factors.rows.clear();
  factors.inverse_mass.resize(step.inverse_mass.size());
  std::copy(step.inverse_mass.begin(), step.inverse_mass.end(), factors.inverse_mass.begin());
  return factors;
}

// What joints hold, as Free blocks at the present end of the step; returns the largest error, m or rad.
double add_held(const Model& model, const BodyState& next, ConeProblem& gaps, std::vector<double>& q) {
  DelassusFactors& factors = *gaps.W.factors;
  double worst = 0;
  for (const Joint& joint : model.joints) {
    const int held = joint.alive ? joint.held() : 0;
    if (held == 0) continue;
    const JointFrames frames = frames_of(joint, next);
    std::array<double, 6> error = {};
    std::array<FactorRow, 6> rows;
    held_error(joint, frames, error.data());
    held_rows(joint, frames, rows.data());
    gaps.cones.add({ConeKind::Free, held, 0});
    factors.bodies.push_back(joint.movable);
    factors.rows.insert(factors.rows.end(), rows.begin(), rows.begin() + held);
    q.insert(q.end(), error.begin(), error.begin() + held);
    for (double e : error) worst = std::max(worst, std::abs(e));
  }
  return worst;
}

// Bodies move by M^-1 H^T p.
void push(const Model& model, StepContext& c) {
  const ConeProblem& gaps = c.gap_problem;
  accumulate_twists(*gaps.W.factors, gaps.cones, c.gap_push, c.change);
  for (std::size_t i = 0; i < c.change.size(); ++i) {
    if (model.bodies.kind[i] != BodyKind::Dynamic) continue;
    c.next.position[i] += c.change[i].linear;
    c.next.rotation[i] = rotated(c.next.rotation[i], c.next.rotation[i].conjugate() * c.change[i].angular);
  }
}

}  // namespace

void project_joints(const Model& model, const StepOptions& options, StepContext& c) {
  if (model.joints.empty()) return;
  for (int pass = 0; pass < kJointPasses; ++pass) {
    begin_gaps(*c.problem.W.factors, c.gap_problem);
    c.gap_q.clear();
    const double worst = add_held(model, c.next, c.gap_problem, c.gap_q);
    if (!(worst > options.joint_tolerance) || !std::isfinite(worst)) return;
    // W p + error = 0
    c.gap_problem.q = Eigen::Map<const VectorXd>(c.gap_q.data(), static_cast<Eigen::Index>(c.gap_q.size()));
    const int most = std::min(kMostIterations, options.projection_iterations + c.gap_problem.cones.rows());
    c.joint_solver.solve(c.gap_problem, 0.1 * options.joint_tolerance, most, c.gap_push);
    push(model, c);
  }
}

// The least displacement, in the metric of M, that takes a share beta of every overlap x = gap + slop < 0 away and
// leaves joints where they hold:
//     W_n p + (x < 0 ? beta x : x) >= 0   perp   p >= 0,     dq = M^-1 H_n^T p
// with gaps carried to the end of the step by the solved velocities and W_n the normal rows of the step's own
// problem. A share, because pairs that do not touch yet are not in the problem: taken at once, the overlaps of a
// deep pile would be pushed into its gaps faster than the next step can see them.
void project_positions(const Model& model, const StepOptions& options, double h, StepContext& c) {
  const DelassusFactors& step = *c.problem.W.factors;
  const Cones& cones = c.problem.cones;
  const auto share = [&](double gap) {
    const double x = gap + options.projection_slop;
    return x < 0 ? options.projection_fraction * x : x;
  };

  // gap(q_plus) = gap(q_predicted) + h ((1 - theta) u_minus + theta u_plus) - fraction h u_minus
  const double fraction = options.activation == Activation::Predicted ? 1.0 : 0.5;
  const auto gap_after = [&](int i) {
    const double before = c.u_minus[cones.offset(i)], after = c.u[cones.offset(i)];
    return c.found.gap[at(i)] + h * ((1 - options.theta - fraction) * before + options.theta * after);
  };
  // Most steps of bodies at rest end here.
  bool overlapping = false;
  for (int i = 0; i < c.found.size() && !overlapping; ++i) overlapping = share(gap_after(i)) < 0;
  if (!overlapping && c.joint_blocks == 0) return project_joints(model, options, c);

  DelassusFactors& factors = begin_gaps(step, c.gap_problem);
  c.gap_q.clear();
  const auto add_gap = [&](int block, const FactorRow& row, double gap) {
    c.gap_problem.cones.add({ConeKind::Orthant, 1, 0});
    factors.bodies.push_back(step.bodies[at(block)]);
    factors.rows.push_back(row);
    c.gap_q.push_back(share(gap));
    overlapping = overlapping || c.gap_q.back() < 0;
  };
  for (int i = 0; i < c.found.size(); ++i) add_gap(i, step.rows[at(cones.offset(i))], gap_after(i));
  for (int b = 0; b < c.joint_blocks; ++b) {
    const JointBlock& block = c.joints.blocks[at(b)];
    if (block.part != JointPart::Lower && block.part != JointPart::Upper) continue;
    const Joint& joint = model.joints[at(block.joint)];
    const AxisSpec& axis = joint.axis[at(block.axis)];
    const JointFrames frames = frames_of(joint, c.next);
    const double near = c.joints.start_reading[at(block.joint)][at(block.axis)];
    const double reading = axis_reading(joint, frames, block.axis, near);
    FactorRow row;
    block_rows(joint, block, frames, &row);
    add_gap(c.found.size() + b, row, block.part == JointPart::Lower ? reading - *axis.lower : *axis.upper - reading);
  }
  if (overlapping) {
    add_held(model, c.next, c.gap_problem, c.gap_q);
    c.gap_problem.q = Eigen::Map<const VectorXd>(c.gap_q.data(), static_cast<Eigen::Index>(c.gap_q.size()));
    c.gap_solver.options().stop = {.tolerance = 0.1 * options.projection_slop,
                                   .measure = Measure::Velocity,
                                   .max_iterations = options.projection_iterations};
    c.gap_solver.offer_threads(options.threads);
    c.gap_push.assign(c.gap_problem.cones.rows(), 0.0);
    c.gap_solver.solve(c.gap_problem, c.gap_push);
    push(model, c);
  }
  project_joints(model, options, c);
}

}  // namespace carom
