#include "solvers/residual.h"

#include <cmath>
#include <limits>

namespace carom {

namespace {

bool all_finite(const double* x, int n) {
  bool finite = true;
  for (int k = 0; k < n; ++k) finite &= std::isfinite(x[k]);
  return finite;
}

double norm(const double* x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void prepare_residuals(const ConeProblem& problem, ResidualScratch& scratch) {
  const double norm_q = problem.q.size() > 0 ? problem.q.stableNorm() : 0.0;
  scratch.norm_q = norm_q == 0 ? 1.0 : norm_q;
  scratch.rho.resize(at(problem.cones.count()));
  double entries[kMaxBlockDim];
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int dim = problem.cones.dim(i);
    diagonal_entries(problem.W, problem.cones, i, entries);
    double trace = 0;
    for (int k = 0; k < dim; ++k) trace += entries[k];
    // A Free block without mobility has trace 0; its velocity error is |u| whatever the step.
    scratch.rho[at(i)] = trace > 0 ? dim / trace : 1.0;
  }
}

Residuals compute_residuals(const ConeProblem& problem, VectorIn r, VectorOut u, ResidualScratch& scratch) {
  const Cones& cones = problem.cones;
  Residuals result;
  if (cones.count() == 0) return result;

  apply(problem.W, cones, r, problem.q, u, scratch.twists);
  double sum_natural = 0;
  double sum_velocity = 0;
  double map[kMaxBlockDim];
  for (int i = 0; i < cones.count(); ++i) {
    const Cone& cone = cones[i];
    const double* r_i = r.data() + cones.offset(i);
    const double* u_i = u.data() + cones.offset(i);
    // |r - P_K(r - (u + s(u)))|
    natural_map(cone, r_i, u_i, 1.0, map);
    const double natural = norm(map, cone.dim) / scratch.norm_q;
    // |r - P_K(r - rho_i (u + s(u)))| / rho_i
    const double rho = scratch.rho[at(i)];
    natural_map(cone, r_i, u_i, rho, map);
    const double velocity = norm(map, cone.dim) / rho;
    // Projections turn some infinities and NaNs into small numbers, so r and u are looked at themselves.
    if (!all_finite(r_i, cone.dim) || !all_finite(u_i, cone.dim) || !std::isfinite(natural + velocity))
      return {kInfinity, kInfinity, kInfinity, i};
    sum_natural += natural * natural;
    sum_velocity += velocity * velocity;
    if (velocity > result.velocity_worst || i == 0) {
      result.velocity_worst = velocity;
      result.worst_block = i;
    }
  }
  result.natural_map = std::sqrt(sum_natural);
  result.velocity_rms = std::sqrt(sum_velocity / cones.count());
  return result;
}

Residuals compute_residuals(const ConeProblem& problem, VectorIn r, VectorOut u) {
  ResidualScratch scratch;
  prepare_residuals(problem, scratch);
  return compute_residuals(problem, r, u, scratch);
}

double natural_map_residual(const ConeProblem& problem, VectorIn r) {
  VectorXd u(r.size());
  return compute_residuals(problem, r, u).natural_map;
}

}  // namespace carom
