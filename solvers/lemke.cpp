#include "solvers/lemke.h"

#include <fmt/format.h>

#include <Eigen/SPQRSupport>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "solvers/lemke_path.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kMaxRestarts = 8;
constexpr double kRayTolerance = 1e-7;  // violation, relative, up to which a ray is believed
constexpr double kJointRank = 1e-11;    // columns of joints this near to dependent are left out

[[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value) {
  throw InputError(Place{.file = {}, .line = 0, .column = 0, .item = item}, problem, value);
}

double power_of_two(double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1.0; }

// R M C with rows and columns whose largest entries are near 1, and R q / sigma likewise; powers of two, so that
// scaling makes no rounding errors. The LCP's z is sigma C times the scaled one.
struct ScaledLcp {
  LcpColumns columns;
  VectorXd q;
  VectorXd R, C;
  double sigma = 1;

  explicit ScaledLcp(const Lcp& lcp) : q(lcp.q) {
    constexpr int kPasses = 6;
    const Eigen::Index n = lcp.q.size();
    Eigen::SparseMatrix<double>& M = columns.M;
    M = lcp.M;
    M.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
    M.makeCompressed();
    R.setOnes(n);
    C.setOnes(n);
    VectorXd row(n), column(n);
    for (int pass = 0; pass < kPasses; ++pass) {
      row.setZero();
      column.setZero();
      const auto each = [&](auto&& act) {
        for (int j = 0; j < n; ++j) {
          for (int e = M.outerIndexPtr()[j]; e < M.outerIndexPtr()[j + 1]; ++e)
            act(M.innerIndexPtr()[e], j, M.valuePtr()[e]);
        }
      };
      each([&](int i, int j, double value) {
        row[i] = std::max(row[i], std::abs(value));
        column[j] = std::max(column[j], std::abs(value));
      });
      // Half of each on the way, so that rows and columns settle together.
      for (double& x : row) x = power_of_two(x > 0 ? 1 / std::sqrt(x) : 1);
      for (double& x : column) x = power_of_two(x > 0 ? 1 / std::sqrt(x) : 1);
      each([&](int i, int j, double& value) { value *= row[i] * column[j]; });
      R.array() *= row.array();
      C.array() *= column.array();
    }
    q.array() *= R.array();
    sigma = n > 0 ? power_of_two(q.lpNorm<Eigen::Infinity>()) : 1;
    q /= sigma;
    columns.d.setOnes(n);
  }
};

// How an attempt begins.
enum class Start : std::uint8_t {
  Guess,  // from the basis of the first guess
  Cold,   // from z = 0
  Again,  // from the basis that the attempt before reached
  Mixed,  // from z = 0, with a covering vector of many sizes
};

class LemkeMethod {
 public:
  LemkeMethod(const Lcp& lcp, const std::vector<bool>& free, VectorXd& z, const LcpOptions& options)
      : lcp_(lcp),
        free_(free),
        options_(options),
        scaled_(lcp),
        path_(scaled_.columns, scaled_.q, free, options, watch_),
        z_(z) {}

  LcpReport solve();

 private:
  void make_cold_basis();
  bool make_guess_basis();
  VectorXd covering(Start start) const;
  void judge(const VectorXd& z);
  void take_ray();
  bool solved() const { return report_.residual <= options_.tolerance; }
  bool next(Start& start, PathEnd end) const;
  void describe(PathEnd end);

  const Lcp& lcp_;
  const std::vector<bool>& free_;
  const LcpOptions& options_;
  Stopwatch watch_;
  ScaledLcp scaled_;
  LemkePath path_;
  VectorXd& z_;  // the best so far
  VectorXd candidate_;
  std::vector<int> cold_, basis_;
  bool mixed_tried_ = false;
  LcpReport report_;
};

// w of every pair; in free rows z, as far as their columns are independent.
void LemkeMethod::make_cold_basis() {
  const LcpColumns& columns = scaled_.columns;
  const int n = columns.size();
  cold_.resize(at(n));
  std::vector<int> joints, position(at(n), -1);
  for (int i = 0; i < n; ++i) {
    cold_[at(i)] = columns.w(i);
    if (free_.empty() || !free_[at(i)]) continue;
    position[at(i)] = static_cast<int>(joints.size());
    joints.push_back(i);
  }
  if (joints.empty()) return;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j : joints) {
    for (Eigen::SparseMatrix<double>::InnerIterator e(columns.M, j); e; ++e) {
      if (position[at(static_cast<int>(e.row()))] >= 0)
        entries.emplace_back(position[at(static_cast<int>(e.row()))], position[at(j)], e.value());
    }
  }
  const auto size = static_cast<Eigen::Index>(joints.size());
  Eigen::SparseMatrix<double> M_ff(size, size);
  M_ff.setFromTriplets(entries.begin(), entries.end());
  M_ff.makeCompressed();
  Eigen::SPQR<Eigen::SparseMatrix<double>> qr;
  qr.setPivotThreshold(kJointRank);
  qr.compute(M_ff);
  const auto order = qr.colsPermutation();
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    const int i = joints[static_cast<std::size_t>(order.indices()[k])];
    cold_[at(i)] = columns.z(i);
  }
}

// z_i where the guess has z_i > w_i, both scaled; false when that is nowhere.
bool LemkeMethod::make_guess_basis() {
  if (!options_.pivot.warm_start || z_.size() != lcp_.q.size() || !z_.allFinite() || z_.isZero(0)) return false;
  const LcpColumns& columns = scaled_.columns;
  const VectorXd z = z_.cwiseQuotient(scaled_.C) / scaled_.sigma;
  const VectorXd w = columns.M * z + scaled_.q;
  basis_ = cold_;
  bool any = false;
  for (int i = 0; i < columns.size(); ++i) {
    if ((!free_.empty() && free_[at(i)]) || !(z[i] > std::max(w[i], 0.0))) continue;
    basis_[at(i)] = columns.z(i);
    any = true;
  }
  return any;
}

VectorXd LemkeMethod::covering(Start start) const {
  const Eigen::Index n = lcp_.q.size();
  VectorXd d = VectorXd::Ones(n);
  if (start == Start::Mixed || options_.pivot.covering == Covering::Mixed) {
    RandomStream random(1992, static_cast<std::uint64_t>(report_.restarts));
    for (double& x : d) x = random.uniform(1, 2);
  } else if (options_.pivot.covering == Covering::Ones && start == Start::Cold) {
    d = scaled_.R;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!free_.empty() && free_[static_cast<std::size_t>(i)]) d[i] = 0;
  }
  return d;
}

void LemkeMethod::judge(const VectorXd& z) {
  const double residual = lcp_residual(lcp_, free_, z);
  if (!(residual < report_.residual)) return;
  report_.residual = residual;
  z_ = z;
}

LcpReport LemkeMethod::solve() {
  // The first guess and z = 0 are the ones to beat.
  report_.residual = std::numeric_limits<double>::infinity();
  make_cold_basis();
  const bool guess = make_guess_basis();
  candidate_ = guess ? z_ : VectorXd::Zero(lcp_.q.size());
  z_ = VectorXd::Zero(lcp_.q.size());
  judge(VectorXd::Zero(lcp_.q.size()));
  if (guess) judge(candidate_);

  Start start = guess ? Start::Guess : Start::Cold;
  PathEnd end = PathEnd::Complementary;
  while (!solved()) {
    const bool cold = start == Start::Cold || start == Start::Mixed;
    mixed_tried_ |= start == Start::Mixed;
    end = path_.start(cold ? cold_ : basis_, covering(start)) ? path_.follow() : PathEnd::Trouble;
    path_.read_z(candidate_);
    candidate_.array() *= scaled_.sigma * scaled_.C.array();
    judge(candidate_);
    if (end == PathEnd::Ray && cold) take_ray();
    basis_ = path_.complementary_basis();
    if (solved() || !next(start, end)) break;
    ++report_.restarts;
  }
  report_.pivots = path_.pivots();
  report_.factorizations = path_.factorizations();
  report_.seconds = watch_.seconds();
  describe(end);
  return std::move(report_);
}

// What to try after an attempt that did not solve; false: nothing.
bool LemkeMethod::next(Start& start, PathEnd end) const {
  if (report_.restarts >= kMaxRestarts || end == PathEnd::MaxPivots || end == PathEnd::MaxTime) return false;
  // A ray that proves nothing may be one of rounding errors, along a null direction of M: another path may miss it.
  if (end == PathEnd::Ray && report_.ray && report_.ray->proves_infeasible) return false;
  const bool lost = end == PathEnd::Ray || (end == PathEnd::Trouble && start == Start::Again);
  if (start == Start::Guess && end != PathEnd::Complementary)
    start = Start::Cold;
  else if (!lost)
    start = Start::Again;
  else if (!mixed_tried_)
    start = Start::Mixed;
  else
    return false;
  return true;
}

void LemkeMethod::take_ray() {
  LcpRay ray;
  path_.read_ray(ray.z, ray.w, ray.z0);
  // Back to the units of the LCP, in which d = R^-1 (scaled d).
  ray.z.array() *= scaled_.C.array();
  ray.w = ray.w.cwiseQuotient(scaled_.R);
  const VectorXd d = scaled_.columns.d.cwiseQuotient(scaled_.R);
  const VectorXd w = lcp_.M * ray.z + ray.z0 * d;
  const double z_size = ray.z.lpNorm<Eigen::Infinity>();
  if (!(z_size > 0)) return;

  // Each row relative to what was summed in it.
  const Eigen::SparseMatrix<double> size = lcp_.M.cwiseAbs();
  const VectorXd row_size = size * ray.z.cwiseAbs() + std::abs(ray.z0) * d.cwiseAbs();
  ray.violation = std::max(0.0, -ray.z0 / z_size);
  for (int i = 0; i < static_cast<int>(w.size()); ++i) {
    const double scale = std::max(row_size[i], std::numeric_limits<double>::min());
    const bool free = !free_.empty() && free_[at(i)];
    ray.violation = std::max(ray.violation, std::abs(w[i] - ray.w[i]) / scale);
    ray.violation = std::max(ray.violation, free ? std::abs(w[i]) / scale : -w[i] / scale);
    if (!free) ray.violation = std::max(ray.violation, -ray.z[i] / z_size);
    ray.violation = std::max(ray.violation, std::min(std::abs(ray.z[i]) / z_size, std::abs(w[i]) / scale) * !free);
  }
  // z . (M s + q) = (M^T z) . s + q . z < 0 for every s >= 0
  const VectorXd forces = lcp_.M.transpose() * ray.z, forces_size = size.transpose() * ray.z.cwiseAbs();
  bool proof = lcp_.q.dot(ray.z) < -kRayTolerance * lcp_.q.cwiseAbs().dot(ray.z.cwiseAbs());
  for (int i = 0; i < static_cast<int>(w.size()); ++i) {
    const bool free = !free_.empty() && free_[at(i)];
    proof &= (free ? std::abs(forces[i]) : forces[i]) <= kRayTolerance * forces_size[i];
    proof &= free || ray.z[i] >= -kRayTolerance * z_size;
  }
  ray.proves_infeasible = proof;
  report_.ray = std::move(ray);
}

void LemkeMethod::describe(PathEnd end) {
  const std::string reached = fmt::format("the LCP's residual is {:.2e}", report_.residual);
  report_.status = SolveStatus::Stalled;
  if (solved()) {
    report_.status = SolveStatus::Solved;
    report_.ray.reset();
  } else if (end == PathEnd::MaxPivots) {
    report_.status = SolveStatus::MaxIterations;
    report_.message = fmt::format("stopped after {} pivots; {}", report_.pivots, reached);
  } else if (end == PathEnd::MaxTime) {
    report_.status = SolveStatus::MaxTime;
    report_.message = fmt::format("stopped after {:.3g} s and {} pivots; {}", report_.seconds, report_.pivots, reached);
  } else if (report_.ray && report_.ray->violation <= kRayTolerance) {
    const bool proof = report_.ray->proves_infeasible;
    report_.status = proof ? SolveStatus::Infeasible : SolveStatus::RayTermination;
    report_.message = proof ? "the ray found proves that no z >= 0 has M z + q >= 0"
                            : fmt::format("the path ends in a ray after {} pivots; {}", report_.pivots, reached);
  } else {
    report_.message = fmt::format("{} pivots and {} restarts end short of the tolerance; {}", report_.pivots,
                                  report_.restarts, reached);
  }
}

}  // namespace

std::string_view name_of(Covering covering) {
  switch (covering) {
    case Covering::Rows:
      return "rows";
    case Covering::Ones:
      return "ones";
    case Covering::Mixed:
      return "mixed";
  }
  return "unknown";
}

void check_lcp(const Lcp& lcp, const std::vector<bool>& free) {
  const Eigen::Index n = lcp.q.size();
  if (lcp.M.rows() != n || lcp.M.cols() != n)
    reject("M", fmt::format("an LCP with {} unknowns needs a square matrix of that size", n),
           fmt::format("{} x {}", lcp.M.rows(), lcp.M.cols()));
  if (!free.empty() && static_cast<Eigen::Index>(free.size()) != n)
    reject("free", fmt::format("the LCP has {} rows", n), fmt::format("size {}", free.size()));
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(lcp.q[i])) reject(fmt::format("q[{}]", i), "is not finite", fmt::format("{}", lcp.q[i]));
  }
  for (int j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator e(lcp.M, j); e; ++e) {
      if (!std::isfinite(e.value()))
        reject(fmt::format("M[{}, {}]", e.row(), j), "is not finite", fmt::format("{}", e.value()));
    }
  }
}

double lcp_residual(const Lcp& lcp, const std::vector<bool>& free, VectorIn z) {
  VectorXd w = lcp.M * z + lcp.q;
  for (int i = 0; i < static_cast<int>(w.size()); ++i) {
    if (free.empty() || !free[at(i)]) w[i] = std::min(w[i], z[i]);
  }
  const double norm_q = lcp.q.norm();
  const double residual = w.norm() / (norm_q > 0 ? norm_q : 1);
  return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
}

LcpReport solve_lcp(const Lcp& lcp, const std::vector<bool>& free, VectorXd& z, const LcpOptions& options) {
  check_lcp(lcp, free);
  return LemkeMethod(lcp, free, z, options).solve();
}

LcpReport solve_lcp(const Lcp& lcp, VectorXd& z, const LcpOptions& options) { return solve_lcp(lcp, {}, z, options); }

SolveReport Lemke::solve(const ConeProblem& problem, VectorOut r) {
  check_kinds(kName, kTakes, problem.cones);
  if (!stop_.start(problem, options_.stop, {}, r)) return stop_.report();

  const Cones& cones = problem.cones;
  BlockSparse storage;
  const Lcp lcp{to_sparse(assembled_body(problem, storage), cones), problem.q};
  std::vector<bool> free;
  for (int i = 0; i < cones.count(); ++i) free.insert(free.end(), at(cones.dim(i)), cones[i].kind == ConeKind::Free);

  const LcpOptions options{.tolerance = options_.stop.measure == Measure::NaturalMap ? options_.stop.tolerance : 1e-12,
                           .max_pivots = options_.stop.max_iterations,
                           .max_seconds = options_.stop.max_seconds,
                           .pivot = options_.pivot};
  VectorXd z = r;
  const LcpReport answer = solve_lcp(lcp, free, z, options);
  r = z;
  // An LCP solved as well as it can be, which the measure still finds wanting, has stalled.
  stop_.give_up(problem, answer.solved() ? SolveStatus::Stalled : answer.status, answer.message, r);
  stop_.remark(fmt::format("{} pivots, {} factorizations", answer.pivots, answer.factorizations));
  SolveReport report = stop_.report();
  report.iterations = answer.pivots;
  return report;
}

}  // namespace carom
