#include "engine/impact/restitution_matrix.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/error.h"

namespace carom {

namespace {

constexpr int kDenseRows = 500;    // more rows than this are solved by the sparse solvers, without a rank
constexpr int kNormContacts = 30;  // the matrix's energy norm is told up to so many: its spectra cost more than the law
constexpr double kRank = 1e-11;    // of the largest pivot
constexpr double kReached = 1e-8;  // of the largest velocity: impulses that miss the law's velocities by more fail it
constexpr double kVisible = 1e-9;  // of the largest velocity or impulse: smaller violations are rounding errors

// The rows of each kind.
struct Split {
  Eigen::VectorXi normal, tangential;

  explicit Split(const Cones& cones) : normal(cones.count()), tangential(cones.rows() - cones.count()) {
    int next = 0;
    for (int i = 0; i < cones.count(); ++i) {
      normal[i] = cones.offset(i);
      for (int k = 1; k < cones.dim(i); ++k) tangential[next++] = cones.offset(i) + k;
    }
  }
};

MatrixXd dense(const ImpactProblem& problem) { return to_sparse(problem.W, problem.cones); }

Eigen::CompleteOrthogonalDecomposition<MatrixXd> rank_revealing(const MatrixXd& W) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
  factors.setThreshold(kRank);
  factors.compute(W);
  return factors;
}

void check_size(const MatrixXd& matrix, std::ptrdiff_t wanted, const char* name, const char* what) {
  if (matrix.rows() == wanted && matrix.cols() == wanted) return;
  throw InputError({"", 0, 0, name}, fmt::format("must be {0} x {0}, as many as the impact has {1}", wanted, what),
                   fmt::format("{} x {}", matrix.rows(), matrix.cols()));
}

// A sub-operator as a problem of its own: the normal rows alone.
BlockSparse normal_rows(const BlockSparse& W) {
  BlockSparse normal = W;
  normal.values.resize(W.start.size());
  for (std::size_t k = 0; k < W.start.size(); ++k) {
    normal.values[k] = W.values[static_cast<std::size_t>(W.start[k])];
    normal.start[k] = static_cast<std::ptrdiff_t>(k);
  }
  return normal;
}

Cones cones_like(const Cones& cones, ConeKind normal, ConeKind friction, bool tangents) {
  Cones made;
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = tangents ? cones.dim(i) : 1;
    made.add({.kind = dim == 1 ? normal : friction, .dim = dim, .mu = dim == 1 ? 0 : cones[i].mu});
  }
  return made;
}

}  // namespace

std::string_view name_of(TangentialRule rule) {
  switch (rule) {
    case TangentialRule::Free:
      return "free";
    case TangentialRule::Restitution:
      return "restitution";
    case TangentialRule::Stick:
      return "stick";
  }
  return "unknown";
}

RestitutionMatrixLaw::RestitutionMatrixLaw(const RestitutionMatrixOptions& options) : options_(options) {
  if (options.tangential != TangentialRule::Restitution && options.tangential_matrix.size() > 0)
    throw InputError({"", 0, 0, "tangential_matrix"}, "is read only with tangential = restitution",
                     std::string(name_of(options.tangential)));
}

ImpactReport RestitutionMatrixLaw::apply(const ImpactProblem& problem, VectorXd& p) {
  const bool by_rule = options_.matrix.size() == 0;
  const Split split(problem.cones);
  if (!by_rule) check_size(options_.matrix, split.normal.size(), "matrix", "contacts");
  if (options_.tangential_matrix.size() > 0)
    check_size(options_.tangential_matrix, split.tangential.size(), "tangential_matrix", "tangential rows");
  ImpactReport report;
  if (!begin(problem, by_rule ? kMostRestitution : std::numeric_limits<double>::infinity(), p, report)) return report;

  make_normal_target(problem);
  if (make_tangential_target(problem, report) && find_impulses(problem, p, report))
    judge_consistency(problem, p, report);
  if (options_.tangential == TangentialRule::Free && !is_frictionless(problem.cones))
    add_remark(report, "friction does not act: tangential = free");
  end(problem, p, report);
  return report;
}

// u_n+ = -D E_n D^-1 u_n-
void RestitutionMatrixLaw::make_normal_target(const ImpactProblem& problem) {
  const Cones& cones = problem.cones;
  const BlockSparse& W = problem.W;
  u_plus_ = problem.u_minus;
  const auto xi = [&](int j) { return problem.u_minus[cones.offset(j)] / std::sqrt(normal_entry(W, j, j)); };
  for (int i = 0; i < cones.count(); ++i) {
    double sum = 0;
    if (options_.matrix.size() > 0) {
      for (int j = 0; j < cones.count(); ++j) sum += options_.matrix(i, j) * xi(j);
    } else {
      for (int e = W.first[static_cast<std::size_t>(i)]; e < W.first[static_cast<std::size_t>(i) + 1]; ++e) {
        const int j = W.column[static_cast<std::size_t>(e)];
        const double E_ij = i == j ? problem.contacts[static_cast<std::size_t>(i)].restitution : options_.coupling;
        if (i == j || normal_entry(W, i, j) != 0) sum += E_ij * xi(j);
      }
    }
    u_plus_[cones.offset(i)] = -std::sqrt(normal_entry(W, i, i)) * sum;
  }
}

bool RestitutionMatrixLaw::make_tangential_target(const ImpactProblem& problem, ImpactReport& report) {
  const Split split(problem.cones);
  if (options_.tangential == TangentialRule::Free || split.tangential.size() == 0) return true;
  if (options_.tangential == TangentialRule::Stick) {
    for (int i = 0; i < problem.cones.count(); ++i)
      for (int k = 1; k < problem.cones.dim(i); ++k) u_plus_[problem.cones.offset(i) + k] = 0;
    return true;
  }
  if (problem.cones.rows() > kDenseRows) {
    report.status = ImpactStatus::NotSolved;
    add_remark(report, fmt::format("restitution along tangents takes up to {} rows", kDenseRows));
    return false;
  }
  // u_T = u_t - C u_n with C = W_tn W_nn^-1, S = W_tt - C W_nt
  const MatrixXd W = dense(problem);
  const MatrixXd W_tn = W(split.tangential, split.normal);
  const MatrixXd C = rank_revealing(W(split.normal, split.normal)).solve(W_tn.transpose()).transpose();
  const MatrixXd S = MatrixXd(W(split.tangential, split.tangential)) - C * W_tn.transpose();
  // A tangent that the normals determine has no part of its own to be reversed.
  const VectorXd W_tt = W.diagonal()(split.tangential);
  VectorXd metric(S.rows()), inverse(S.rows());
  for (Eigen::Index k = 0; k < S.rows(); ++k) {
    metric[k] = S(k, k) > kRank * W_tt[k] ? std::sqrt(S(k, k)) : 0;
    inverse[k] = metric[k] > 0 ? 1 / metric[k] : 0;
  }
  const VectorXd u_T = problem.u_minus(split.tangential) - C * problem.u_minus(split.normal);
  const VectorXd scaled = inverse.cwiseProduct(u_T);
  const VectorXd reversed = options_.tangential_matrix.size() > 0 ? VectorXd(options_.tangential_matrix * scaled)
                                                                  : VectorXd(options_.tangential_coefficient * scaled);
  const VectorXd u_t = C * u_plus_(split.normal) - metric.cwiseProduct(reversed);
  u_plus_(split.tangential) = u_t;
  return true;
}

// W p = u_plus - u_minus; where W is singular, p of least norm or, if that leaves the cones, one inside of them.
bool RestitutionMatrixLaw::find_impulses(const ImpactProblem& problem, VectorXd& p, ImpactReport& report) {
  const bool tangents = options_.tangential != TangentialRule::Free;
  const Split split(problem.cones);
  const Eigen::VectorXi rows =
      tangents ? Eigen::VectorXi::LinSpaced(problem.cones.rows(), 0, problem.cones.rows() - 1) : split.normal;
  const BlockSparse W = tangents ? problem.W : normal_rows(problem.W);
  const Cones cones = cones_like(problem.cones, ConeKind::Orthant, ConeKind::Associated, tangents);
  const VectorXd wanted = u_plus_(rows) - problem.u_minus(rows);
  const double size = problem.u_minus.lpNorm<Eigen::Infinity>();

  VectorXd impulses;
  bool singular = false;
  if (rows.size() <= kDenseRows) {
    const auto factors = rank_revealing(to_sparse(W, cones));
    impulses = factors.solve(wanted);
    singular = factors.rank() < rows.size();
    report.uniqueness = singular ? Uniqueness::VelocitiesOnly : Uniqueness::Unique;
    ++report.events;
  } else {
    const Cones all = cones_like(problem.cones, ConeKind::Free, ConeKind::Free, tangents);
    if (!solver_.solve(W, all, -wanted, options_.solve, impulses, report)) return false;
    singular = true;
  }
  const auto missed = [&](const VectorXd& candidate) {
    VectorXd u(candidate.size());
    carom::apply(W, cones, candidate, -wanted, u);
    return u.lpNorm<Eigen::Infinity>();
  };
  const double error = missed(impulses);
  if (singular && error <= kReached * size) {
    // The associated cone problem's answer has W p = wanted whenever some p in the cones has.
    bool inside = true;
    for (int i = 0; i < cones.count(); ++i) {
      VectorXd nearest = impulses.segment(cones.offset(i), cones.dim(i));
      carom::project(cones[i], nearest.data());
      inside &= nearest == impulses.segment(cones.offset(i), cones.dim(i));
    }
    VectorXd other;
    ImpactReport attempt;
    if (!inside && solver_.solve(W, cones, -wanted, options_.solve, other, attempt) && missed(other) <= kReached * size)
      impulses = other;
  }
  p.setZero(problem.cones.rows());
  p(rows) = impulses;
  if (error <= kReached * size) return true;
  report.status = ImpactStatus::NotSolved;
  report.admissible = false;
  add_remark(report, fmt::format("contacts are redundant and no impulses give the velocities that the matrix asks for: "
                                 "the nearest miss them by {:.3g} m/s",
                                 error));
  return false;
}

// What fails, and the energy that the matrix could give to other impacts.
void RestitutionMatrixLaw::judge_consistency(const ImpactProblem& problem, VectorIn p, ImpactReport& report) const {
  ImpactReport judged;
  judge_impact(problem, p, judged);
  const auto fails = [&](const std::string& what) {
    report.admissible = false;
    add_remark(report, what);
  };
  if (judged.kinematic_violation > kVisible * problem.u_minus.lpNorm<Eigen::Infinity>())
    fails(fmt::format("kinematic: a contact approaches at {:.3g} m/s after the impact", judged.kinematic_violation));
  if (judged.kinetic_violation > kVisible * p.lpNorm<Eigen::Infinity>()) {
    bool pulls = false;
    for (int i = 0; i < problem.cones.count(); ++i)
      pulls |= p[problem.cones.offset(i)] < -kVisible * p.lpNorm<Eigen::Infinity>();
    fails(fmt::format("kinetic: an impulse {}, by {:.3g} N s", pulls ? "pulls" : "leaves its friction cone",
                      judged.kinetic_violation));
  }
  if (judged.energy_growth > kVisible) fails(fmt::format("energetic: energy grows by {:.3g} J", judged.energy_change));
  if (problem.cones.count() > kNormContacts) return;
  const MatrixXd E_n = options_.matrix.size() > 0 ? options_.matrix : restitution_by_rule(problem, options_.coupling);
  const double sigma = restitution_energy_norm(problem, E_n);
  if (sigma > 1 + kVisible)
    add_remark(report, fmt::format("the matrix multiplies the energy of some impacts by {:.4g}", sigma * sigma));
}

MatrixXd restitution_by_rule(const ImpactProblem& problem, double coupling) {
  const int count = problem.cones.count();
  MatrixXd E_n(count, count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      E_n(i, j) = i == j                               ? problem.contacts[static_cast<std::size_t>(i)].restitution
                  : normal_entry(problem.W, i, j) != 0 ? coupling
                                                       : 0.0;
  return E_n;
}

double restitution_energy_norm(const ImpactProblem& problem, const MatrixXd& E_n) {
  const Split split(problem.cones);
  check_size(E_n, split.normal.size(), "matrix", "contacts");
  const MatrixXd W = dense(problem)(split.normal, split.normal);
  const VectorXd scale = W.diagonal().cwiseSqrt().cwiseInverse();
  // A = Q Lambda Q^T without its null space; sigma = norm(Lambda^-1/2 Q^T E_n Q Lambda^1/2)
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(scale.asDiagonal() * W * scale.asDiagonal());
  const double least = kRank * spectrum.eigenvalues().maxCoeff();
  Eigen::Index kept = 0;
  for (double value : spectrum.eigenvalues()) kept += value > least;
  const VectorXd root = spectrum.eigenvalues().tail(kept).cwiseSqrt();
  const MatrixXd Q = spectrum.eigenvectors().rightCols(kept);
  const MatrixXd B = root.cwiseInverse().asDiagonal() * (Q.transpose() * E_n * Q) * root.asDiagonal();
  return B.jacobiSvd().singularValues().maxCoeff();
}

}  // namespace carom
