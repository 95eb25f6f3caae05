#include "solvers/problem_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

namespace {

bool has_friction(const Cone& cone) { return kFrictionCones.contains(cone.kind) || cone.kind == ConeKind::Rolling; }

// |x| of the rows of friction, or of those of rolling resistance.
double norm_of(const Cone& cone, bool rolling, const double* x) {
  const int size = cone.tangents(), first = rolling ? 1 + size : 1;
  return size == 2 ? std::hypot(x[first], x[first + 1]) : std::abs(x[first]);
}

double asymmetry(const Eigen::SparseMatrix<double>& W) {
  double largest = 0, difference = 0;
  for (Eigen::Index k = 0; k < W.nonZeros(); ++k) largest = std::max(largest, std::abs(W.valuePtr()[k]));
  const Eigen::SparseMatrix<double> D = W - Eigen::SparseMatrix<double>(W.transpose());
  for (Eigen::Index k = 0; k < D.nonZeros(); ++k) difference = std::max(difference, std::abs(D.valuePtr()[k]));
  return largest > 0 ? difference / largest : 0;
}

}  // namespace

ProblemFigures figures_of(const ConeProblem& problem) {
  ProblemFigures figures;
  figures.rows = problem.cones.rows();
  double mu_min = std::numeric_limits<double>::infinity();
  for (int i = 0; i < problem.cones.count(); ++i) {
    const Cone& cone = problem.cones[i];
    ++(cone.kind == ConeKind::Free ? figures.free_blocks : figures.contacts);
    if (!has_friction(cone)) continue;
    mu_min = std::min(mu_min, cone.mu);
    figures.mu_max = std::max(figures.mu_max, cone.mu);
  }
  figures.mu_min = std::isfinite(mu_min) ? mu_min : 0;
  BlockSparse storage;
  const BlockSparse& blocks = assembled_body(problem, storage);
  figures.nonzeros = std::count_if(blocks.values.begin(), blocks.values.end(), [](double x) { return x != 0; });
  if (figures.rows > 0) figures.asymmetry = asymmetry(to_sparse(blocks, problem.cones));
  return figures;
}

ContactStates count_states(const ConeProblem& problem, VectorIn r, VectorIn u) {
  ContactStates states;
  double diagonal[kMaxBlockDim];
  for (int i = 0; i < problem.cones.count(); ++i) {
    const Cone& cone = problem.cones[i];
    if (cone.kind == ConeKind::Free) continue;
    const double* r_i = r.data() + problem.cones.offset(i);
    const double* u_i = u.data() + problem.cones.offset(i);
    diagonal_entries(problem.W, problem.cones, i, diagonal);
    double m = 0;
    for (int k = 0; k < cone.dim; ++k) m += diagonal[k] / cone.dim;
    const auto slides = [&](bool rolling) {
      const double mu = rolling ? cone.mu_roll : cone.mu;
      return m * (mu * r_i[0] - norm_of(cone, rolling, r_i)) < norm_of(cone, rolling, u_i);
    };
    if (r_i[0] <= 0 || m * r_i[0] < u_i[0])
      ++states.open;
    else if (!has_friction(cone) || cone.mu == 0)
      ++states.sliding;
    else if (slides(false) || (cone.kind == ConeKind::Rolling && slides(true)))
      ++states.sliding;
    else
      ++states.sticking;
  }
  return states;
}

}  // namespace carom
