#include <algorithm>

#include "engine/phases.h"
#include "engine/rotation.h"

namespace carom {

// The least displacement, in the metric of M, that takes a share beta of every overlap x = gap + slop < 0 away:
//     W_n p + (x < 0 ? beta x : x) >= 0   perp   p >= 0,     dq = M^-1 H_n^T p
// with gaps carried to the end of the step by the solved velocities and W_n the normal rows of the step's own
// problem. A share, because pairs that do not touch yet are not in the problem: taken at once, the overlaps of a
// deep pile would be pushed into its gaps faster than the next step can see them.
void project_positions(const Model& model, const StepOptions& options, double h, StepContext& c) {
  const DelassusFactors& factors = *c.problem.W.factors;
  const Cones& cones = c.problem.cones;
  ConeProblem& gaps = c.gap_problem;

  // gap(q_plus) = gap(q_predicted) + h ((1 - theta) u_minus + theta u_plus) - fraction h u_minus
  const double fraction = options.activation == Activation::Predicted ? 1.0 : 0.5;
  gaps.cones.clear();
  gaps.q.resize(cones.count());
  bool overlapping = false;
  for (int i = 0; i < cones.count(); ++i) {
    const double before = c.u_minus[cones.offset(i)], after = c.u[cones.offset(i)];
    const double gap = c.found.gap[static_cast<std::size_t>(i)] +
                       h * ((1 - options.theta - fraction) * before + options.theta * after);
    gaps.cones.add({ConeKind::Orthant, 1, 0});
    const double x = gap + options.projection_slop;
    gaps.q[i] = x < 0 ? options.projection_fraction * x : x;
    overlapping = overlapping || x < 0;
  }
  if (!overlapping) return;

  if (!gaps.W.factors) gaps.W.factors.emplace();
  gaps.W.factors->bodies.resize(factors.bodies.size());
  std::copy(factors.bodies.begin(), factors.bodies.end(), gaps.W.factors->bodies.begin());
  gaps.W.factors->inverse_mass.resize(factors.inverse_mass.size());
  std::copy(factors.inverse_mass.begin(), factors.inverse_mass.end(), gaps.W.factors->inverse_mass.begin());
  gaps.W.factors->rows.resize(static_cast<std::size_t>(cones.count()));
  for (int i = 0; i < cones.count(); ++i)
    gaps.W.factors->rows[static_cast<std::size_t>(i)] = factors.rows[static_cast<std::size_t>(cones.offset(i))];

  c.gap_solver.options().stop = {.tolerance = 0.1 * options.projection_slop,
                                 .measure = Measure::Velocity,
                                 .max_iterations = options.projection_iterations};
  c.gap_push.assign(cones.count(), 0.0);
  c.gap_solver.solve(gaps, c.gap_push);
  accumulate_twists(*gaps.W.factors, gaps.cones, c.gap_push, c.change);
  for (std::size_t i = 0; i < c.change.size(); ++i) {
    if (model.bodies.kind[i] != BodyKind::Dynamic) continue;
    c.next.position[i] += c.change[i].linear;
    c.next.rotation[i] = rotated(c.next.rotation[i], c.next.rotation[i].conjugate() * c.change[i].angular);
  }
}

}  // namespace carom
