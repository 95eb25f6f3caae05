#include "solvers/residual.h"

#include <cmath>
#include <limits>

#include "solvers/row_sum.h"

namespace carom {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Blocks whose sums are taken together; fixed, so that the total does not depend on the number of threads.
constexpr int kChunk = 1024;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// |r - P_K(r - rho w)|^2 for w = u + s(u).
template <int Dim>
__attribute__((always_inline)) inline double map_squares(const Cone& cone, const double* r, const double* w,
                                                         double rho) {
  const int dim = Dim == Eigen::Dynamic ? cone.dim : Dim;
  double x[Dim == Eigen::Dynamic ? kMaxBlockDim : Dim] = {};
  for (int k = 0; k < dim; ++k) x[k] = r[k] - rho * w[k];
  Dim == 3 && kFrictionCones.contains(cone.kind) ? project_friction_cone(cone.mu, 3, x) : project(cone, x);
  double squares = 0;
  for (int k = 0; k < dim; ++k) squares += (r[k] - x[k]) * (r[k] - x[k]);
  return squares;
}

template <int Dim>
void add_block(const Cone& cone, int i, const double* r, const double* u, double rho, ResidualSums& sums) {
  const int dim = Dim == Eigen::Dynamic ? cone.dim : Dim;
  // Projections turn some infinities and NaNs into small numbers, so r and u are looked at themselves.
  bool no_impulse = true;
  double w[kMaxBlockDim];
  for (int k = 0; k < dim; ++k) {
    sums.zero += 0.0 * r[k] + 0.0 * u[k];
    no_impulse &= r[k] == 0;
    w[k] = u[k];
  }
  double natural = 0, velocity = 0;
  if (!(no_impulse && u[0] >= 0 && kOpeningCones.contains(cone.kind))) {
    w[0] += de_saxce_shift(cone, u);
    natural = map_squares<Dim>(cone, r, w, 1.0);
    velocity = map_squares<Dim>(cone, r, w, rho) / (rho * rho);
  }
  sums.natural += natural;
  sums.velocity += velocity;
  if (velocity > sums.worst) {
    sums.worst = velocity;
    sums.worst_block = i;
  }
}

// u = W r + q and the residuals of one chunk's blocks.
void add_chunk(const ConeProblem& problem, int chunk, const double* r, double* u, ResidualScratch& scratch) {
  const Cones& cones = problem.cones;
  ResidualSums sums;
  const int end = std::min(cones.count(), (chunk + 1) * kChunk);
  for (int i = chunk * kChunk; i < end; ++i) {
    const double* r_i = r + cones.offset(i);
    double* u_i = u + cones.offset(i);
    block_velocity(problem.W, cones, scratch.add_row, i, r, problem.q.data(), scratch.twists, u_i);
    if (cones.dim(i) == 3)
      add_block<3>(cones[i], i, r_i, u_i, scratch.rho[at(i)], sums);
    else
      add_block<Eigen::Dynamic>(cones[i], i, r_i, u_i, scratch.rho[at(i)], sums);
  }
  scratch.partial[at(chunk)] = sums;
}

int first_block_not_finite(const Cones& cones, VectorIn r, VectorIn u) {
  for (int i = 0; i < cones.count(); ++i) {
    if (!r.segment(cones.offset(i), cones.dim(i)).allFinite() || !u.segment(cones.offset(i), cones.dim(i)).allFinite())
      return i;
  }
  return 0;
}

}  // namespace

void prepare_residuals(const ConeProblem& problem, ResidualScratch& scratch) {
  const Cones& cones = problem.cones;
  const double norm_q = problem.q.size() > 0 ? problem.q.stableNorm() : 0.0;
  scratch.norm_q = norm_q == 0 ? 1.0 : norm_q;
  scratch.partial.resize(at((cones.count() + kChunk - 1) / kChunk));
  scratch.add_row = !problem.W.factors && only_3x3(*problem.W.assembled, cones) ? add_row_3x3() : nullptr;
  if (problem.W.factors && scratch.threads.count > 1) list_actions(*problem.W.factors, scratch.actions);
  scratch.rho.resize(at(cones.count()));
  if (scratch.add_row != nullptr) {
    const BlockSparse& W = *problem.W.assembled;
    for (std::size_t i = 0; i < scratch.rho.size(); ++i) {
      const double* W_ii = W.values.data() + 9 * std::ptrdiff_t{W.diagonal[i]};
      const double trace = W_ii[0] + W_ii[4] + W_ii[8];
      scratch.rho[i] = trace > 0 ? 3 / trace : 1.0;
    }
    return;
  }
  parallel_for(scratch.threads, cones.count(), [&](std::ptrdiff_t block) {
    const int i = static_cast<int>(block);
    double entries[kMaxBlockDim];
    diagonal_entries(problem.W, cones, i, entries);
    double trace = 0;
    for (int k = 0; k < cones.dim(i); ++k) trace += entries[k];
    // A Free block without mobility has trace 0; its velocity error is |u| whatever the step.
    scratch.rho[at(i)] = trace > 0 ? cones.dim(i) / trace : 1.0;
  });
}

Residuals compute_residuals(const ConeProblem& problem, VectorIn r, VectorOut u, ResidualScratch& scratch) {
  const Cones& cones = problem.cones;
  if (cones.count() == 0) return {};

  // v = M^-1 H^T r
  if (problem.W.factors && scratch.threads.count > 1)
    accumulate_twists(*problem.W.factors, cones, scratch.actions, scratch.threads, r, scratch.twists);
  else if (problem.W.factors)
    accumulate_twists(*problem.W.factors, cones, r, scratch.twists);
  parallel_for(
      scratch.threads, static_cast<std::ptrdiff_t>(scratch.partial.size()),
      [&](std::ptrdiff_t chunk) { add_chunk(problem, static_cast<int>(chunk), r.data(), u.data(), scratch); }, 2);

  ResidualSums total;
  for (const ResidualSums& sums : scratch.partial) {
    total.natural += sums.natural;
    total.velocity += sums.velocity;
    total.zero += sums.zero;
    if (sums.worst > total.worst) total.worst = sums.worst, total.worst_block = sums.worst_block;
  }
  Residuals result{.natural_map = std::sqrt(total.natural) / scratch.norm_q,
                   .velocity_worst = std::sqrt(total.worst),
                   .velocity_rms = std::sqrt(total.velocity / cones.count()),
                   .worst_block = total.worst_block};
  if (total.zero == 0 && std::isfinite(result.natural_map + result.velocity_rms)) return result;
  return {kInfinity, kInfinity, kInfinity, first_block_not_finite(cones, r, u)};
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
