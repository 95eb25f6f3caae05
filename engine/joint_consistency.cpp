// Whether velocities exist that satisfy all joints at once.
#include <Eigen/QR>
#include <map>

#include "engine/world_impl.h"

namespace carom {

namespace {

constexpr int kMostRows = 3000;  // above, the question costs more than it is worth

// One linear equation on the velocities of movable bodies: row . v = target.
struct Equation {
  std::uint32_t joint = 0;
  std::array<int, 2> movable = {-1, -1};
  FactorRow row;
  double target = 0;
};

std::vector<Equation> equations_of(const std::vector<Joint>& joints, const BodyState& state,
                                   const BodyProperties& bodies) {
  std::vector<Equation> equations;
  for (std::uint32_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    if (!joint.alive) continue;
    const JointFrames frames = frames_of(joint, state);
    // what moves as prescribed is known
    std::array<int, 2> driven = joint.bodies;
    for (int& body : driven)
      if (body >= 0 && bodies.kind[static_cast<std::size_t>(body)] == BodyKind::Dynamic) body = -1;
    const auto add = [&](const FactorRow& row, double speed) {
      equations.push_back({j, joint.movable, row, speed - row_velocity(row, driven, state, state.rotation)});
    };
    std::array<FactorRow, 6> rows;
    held_rows(joint, frames, rows.data());
    for (int k = 0; k < joint.held(); ++k) add(rows[static_cast<std::size_t>(k)], 0);
    for (int axis : {kSlide, kTurn}) {
      const AxisSpec& spec = joint.axis[static_cast<std::size_t>(axis)];
      if (joint.has_axis[static_cast<std::size_t>(axis)] && spec.motor_speed && std::isinf(spec.motor_limit))
        add(axis_row(joint, frames, axis), *spec.motor_speed);
    }
  }
  return equations;
}

}  // namespace

std::vector<JointId> World::contradicting_joints() const {
  const std::vector<Equation> equations =
      equations_of(impl_->model.joints, impl_->state, impl_->model.bodies);
  double fastest = 0;
  for (const Equation& e : equations) fastest = std::max(fastest, std::abs(e.target));
  if (fastest == 0 || equations.size() > kMostRows) return {};  // at rest all joints agree

  std::map<int, int> column;  // of a body's six velocities
  for (const Equation& e : equations)
    for (int body : e.movable)
      if (body >= 0) column.emplace(body, 6 * static_cast<int>(column.size()));
  const auto n = static_cast<Eigen::Index>(equations.size());
  MatrixXd H = MatrixXd::Zero(n, 6 * static_cast<Eigen::Index>(column.size()));
  VectorXd target(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Equation& e = equations[static_cast<std::size_t>(i)];
    target[i] = e.target;
    if (e.movable[0] >= 0) {
      H.block<1, 3>(i, column[e.movable[0]]) += e.row.linear.transpose();
      H.block<1, 3>(i, column[e.movable[0]] + 3) += e.row.angular_a.transpose();
    }
    if (e.movable[1] >= 0) {
      H.block<1, 3>(i, column[e.movable[1]]) -= e.row.linear.transpose();
      H.block<1, 3>(i, column[e.movable[1]] + 3) += e.row.angular_b.transpose();
    }
  }
  const VectorXd rest = target - H * H.completeOrthogonalDecomposition().solve(target);
  std::vector<JointId> guilty;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (std::abs(rest[i]) < 1e-6 * fastest) continue;
    const std::uint32_t slot = equations[static_cast<std::size_t>(i)].joint;
    if (guilty.empty() || guilty.back().index != slot) guilty.push_back({slot, impl_->joint_generation[slot]});
  }
  return guilty;
}

}  // namespace carom
