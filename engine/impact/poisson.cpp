#include "engine/impact/poisson.h"

namespace carom {

namespace {

bool shares_one_restitution(const ImpactProblem& problem) {
  for (const ImpactContact& contact : problem.contacts)
    if (contact.restitution != problem.contacts[0].restitution) return false;
  return true;
}

constexpr double kNothing = 1e-13;  // of the largest normal impulse: what compression leaves as rounding errors

}  // namespace

ImpactReport PoissonLaw::apply(const ImpactProblem& problem, VectorXd& p) {
  ImpactReport report;
  if (!begin(problem, kMostRestitution, p, report)) return report;
  judge_parameters(problem, report);
  const Cones& cones = problem.cones;

  // compression: K* contains u_c + s(u_c), u_c = W p_c + u_minus
  const bool compressed = solver_.solve(problem.W, cones, problem.u_minus, options_.solve, p_c_, report);
  u_c_ = velocity_after(problem, p_c_);
  p = p_c_;
  if (compressed) {
    show(report.events, u_c_, p);
    // a = e p_c
    a_.setZero(p.size());
    double largest = 0;
    for (int i = 0; i < cones.count(); ++i) largest = std::max(largest, p_c_[cones.offset(i)]);
    for (int i = 0; i < cones.count(); ++i) {
      const int k = cones.offset(i);
      if (p_c_[k] > kNothing * largest) a_[k] = problem.contacts[static_cast<std::size_t>(i)].restitution * p_c_[k];
    }
    if (!a_.isZero(0)) {
      const bool expanded = is_frictionless(cones) ? expand(problem, report) : expand_with_friction(problem, report);
      if (expanded) p += p_e_;
    }
    report.uniqueness = find_uniqueness(problem, p);
  }
  end(problem, p, report);
  return report;
}

// Velocities are unique with p_c, or where all contacts share one e: the expansion then sees W p_c alone.
Uniqueness PoissonLaw::find_uniqueness(const ImpactProblem& problem, VectorIn p) const {
  const double speed = approach_speed(problem);
  const Uniqueness compression = uniqueness_of(problem.W, problem.cones, u_c_, speed);
  if (compression == Uniqueness::NotKnown) return compression;
  if (compression == Uniqueness::VelocitiesOnly && !shares_one_restitution(problem)) return Uniqueness::NotKnown;
  const Uniqueness expansion = uniqueness_of(problem.W, problem.cones, velocity_after(problem, p), speed);
  return compression == Uniqueness::Unique ? expansion : compression;
}

// d = p_e - a:  0 <= W d + u_c + W a  perp  d >= 0
bool PoissonLaw::expand(const ImpactProblem& problem, ImpactReport& report) {
  VectorXd q(a_.size());
  carom::apply(problem.W, problem.cones, a_, u_c_, q);
  if (!solver_.solve(problem.W, problem.cones, q, options_.solve, p_e_, report)) return false;
  p_e_ += a_;
  return true;
}

// Blocks of p_e first, then one of s for each contact with a > 0:
//
//     [ W             -N    ] [p_e]     [ u_c          ]
//     [ N^T - k N^T W  k    ] [ s ]  +  [ -a - k u_c,n ]        N: the normal rows of those contacts
bool PoissonLaw::expand_with_friction(const ImpactProblem& problem, ImpactReport& report) {
  const Cones& cones = problem.cones;
  const int rows = cones.rows();
  Cones extended = cones;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> W = to_sparse(problem.W, cones);
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < rows; ++row)
    for (decltype(W)::InnerIterator e(W, row); e; ++e) entries.emplace_back(row, static_cast<int>(e.col()), e.value());
  VectorXd q(rows + cones.count());
  q.head(rows) = u_c_;
  for (int i = 0; i < cones.count(); ++i) {
    const int k = cones.offset(i), s = extended.rows();
    if (!(a_[k] > 0)) continue;
    double sum = 0;  // of |W_ij| over normal rows
    for (int b = problem.W.first[static_cast<std::size_t>(i)]; b < problem.W.first[static_cast<std::size_t>(i) + 1];
         ++b)
      sum += std::abs(problem.W.values[static_cast<std::size_t>(problem.W.start[static_cast<std::size_t>(b)])]);
    const double kappa = 2 / sum;
    extended.add({.kind = ConeKind::Orthant, .dim = 1});
    entries.emplace_back(k, s, -1.0);
    entries.emplace_back(s, k, 1.0);
    for (decltype(W)::InnerIterator e(W, k); e; ++e)
      entries.emplace_back(s, static_cast<int>(e.col()), -kappa * e.value());
    entries.emplace_back(s, s, kappa);
    q[s] = -a_[k] - kappa * u_c_[k];
  }
  Eigen::SparseMatrix<double> matrix(extended.rows(), extended.rows());
  matrix.setFromTriplets(entries.begin(), entries.end());
  q.conservativeResize(extended.rows());
  VectorXd solution;
  if (!solver_.solve(to_block_sparse(matrix, extended), extended, q, options_.solve, solution, report)) return false;
  p_e_ = solution.head(rows);
  return true;
}

void PoissonLaw::judge_parameters(const ImpactProblem& problem, ImpactReport& report) const {
  double largest = 0;
  for (const ImpactContact& contact : problem.contacts) largest = std::max(largest, contact.restitution);
  if (largest > 1) {
    report.admissible = false;
    add_remark(report, "energy can grow: restitution above 1");
  } else if (!shares_one_restitution(problem) && !is_frictionless(problem.cones)) {
    report.admissible = false;
    add_remark(report, "energy can grow: friction with different coefficients of restitution");
  }
}

}  // namespace carom
