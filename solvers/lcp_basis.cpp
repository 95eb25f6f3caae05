#include "solvers/lcp_basis.h"

#include <klu.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kSingular = 1e-15;  // reciprocal condition estimate
constexpr double kDropped = 1e-17;   // of the largest entry of an eta column: below its own rounding errors

}  // namespace

void LcpColumns::add_column(int variable, double s, VectorXd& x) const {
  if (variable == cover()) {
    x -= s * d;
  } else if (is_w(variable)) {
    x[variable] += s;
  } else {
    const int j = pair_of(variable);
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry) x[entry.row()] -= s * entry.value();
  }
}

// A factorization by KLU; only freed and used together with its `common`.
struct LcpBasis::Factors {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Factors() {
    klu_defaults(&common);
    common.tol = 0.1;  // pivots at least this much of their column's largest
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  ~Factors() { clear(); }
  void clear() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

LcpBasis::LcpBasis(const LcpColumns& columns) : columns_(columns), factors_(std::make_unique<Factors>()) {
  const int n = columns.size();
  variables_.resize(at(n));
  places_.assign(at(2 * n + 1), -1);
  for (int i = 0; i < n; ++i) variables_[at(i)] = columns.w(i);
  remainder_.resize(n);
}

LcpBasis::~LcpBasis() = default;

bool LcpBasis::factor() {
  // Pair i in place i; z0 where the pair is missing: then B is as nearly diagonal as it gets.
  const int n = columns_.size();
  std::fill(places_.begin(), places_.end(), -1);
  bool covered = false;
  for (int variable : variables_) {
    if (variable == columns_.cover())
      covered = true;
    else
      places_[at(variable)] = columns_.pair_of(variable);
  }
  for (int i = 0; i < n; ++i) {
    const int w = columns_.w(i), z = columns_.z(i);
    variables_[at(i)] = places_[at(w)] >= 0 ? w : places_[at(z)] >= 0 ? z : columns_.cover();
    if (covered && variables_[at(i)] == columns_.cover()) places_[at(columns_.cover())] = i;
  }
  forget_etas();
  assemble();
  ++factorizations_;
  Factors& f = *factors_;
  f.clear();
  f.symbolic = klu_analyze(n, start_.data(), row_.data(), &f.common);
  if (f.symbolic == nullptr) return false;
  f.numeric = klu_factor(start_.data(), row_.data(), value_.data(), f.symbolic, &f.common);
  if (f.numeric == nullptr || f.common.status != KLU_OK) return false;
  klu_flops(f.symbolic, f.numeric, &f.common);
  solve_cost_ = f.numeric->lnz + f.numeric->unz + f.numeric->nzoff + n;
  factor_cost_ = f.common.flops + 20 * (static_cast<double>(row_.size()) + solve_cost_);
  klu_rcond(f.symbolic, f.numeric, &f.common);
  return f.common.rcond > kSingular;
}

void LcpBasis::assemble() {
  start_.assign(1, 0);
  row_.clear();
  value_.clear();
  const auto& M = columns_.M;
  for (int variable : variables_) {
    if (variable == columns_.cover()) {
      for (int i = 0; i < columns_.size(); ++i) {
        if (columns_.d[i] == 0) continue;
        row_.push_back(i);
        value_.push_back(-columns_.d[i]);
      }
    } else if (columns_.is_w(variable)) {
      row_.push_back(variable);
      value_.push_back(1);
    } else {
      const int j = columns_.pair_of(variable);
      for (int e = M.outerIndexPtr()[j]; e < M.outerIndexPtr()[j + 1]; ++e) {
        row_.push_back(M.innerIndexPtr()[e]);
        value_.push_back(-M.valuePtr()[e]);
      }
    }
    start_.push_back(static_cast<int>(row_.size()));
  }
}

void LcpBasis::forget_etas() {
  etas_.clear();
  eta_row_.clear();
  eta_value_.clear();
  eta_cost_ = 0;
  exchanges_ = 0;
}

void LcpBasis::exchange(int place, int variable, const VectorXd& a) {
  places_[at(variables_[at(place)])] = -1;
  places_[at(variable)] = place;
  variables_[at(place)] = variable;
  etas_.push_back({eta_row_.size(), place, a[place]});
  const double dropped = kDropped * a.lpNorm<Eigen::Infinity>();
  for (int i = 0; i < static_cast<int>(a.size()); ++i) {
    if (std::abs(a[i]) <= dropped || i == place) continue;
    eta_row_.push_back(i);
    eta_value_.push_back(a[i]);
  }
  eta_cost_ += static_cast<double>(eta_row_.size());
  ++exchanges_;
}

bool LcpBasis::worth_factoring() const { return eta_cost_ > factor_cost_; }

void LcpBasis::solve(VectorXd& x) const {
  klu_solve(factors_->symbolic, factors_->numeric, columns_.size(), 1, x.data(), &factors_->common);
  // E_j^-1 x: x_p <- x_p / a_p, x_i <- x_i - a_i x_p
  for (std::size_t j = 0; j < etas_.size(); ++j) {
    double& x_p = x[etas_[j].place];
    if (x_p == 0) continue;
    x_p /= etas_[j].pivot;
    const std::size_t end = j + 1 < etas_.size() ? etas_[j + 1].first : eta_row_.size();
    for (std::size_t e = etas_[j].first; e < end; ++e) x[eta_row_[e]] -= eta_value_[e] * x_p;
  }
}

void LcpBasis::solve_transposed(VectorXd& x) const {
  // E_j^-T x: x_p <- (x_p - sum of a_i x_i) / a_p
  for (std::size_t j = etas_.size(); j-- > 0;) {
    const std::size_t end = j + 1 < etas_.size() ? etas_[j + 1].first : eta_row_.size();
    double x_p = x[etas_[j].place];
    for (std::size_t e = etas_[j].first; e < end; ++e) x_p -= eta_value_[e] * x[eta_row_[e]];
    x[etas_[j].place] = x_p / etas_[j].pivot;
  }
  klu_tsolve(factors_->symbolic, factors_->numeric, columns_.size(), 1, x.data(), &factors_->common);
}

void LcpBasis::solve_refined(const VectorXd& b, VectorXd& x) {
  x = b;
  solve(x);
  // x <- x + B^-1 (b - B x)
  remainder_ = b;
  for (int p = 0; p < columns_.size(); ++p) {
    if (x[p] != 0) columns_.add_column(variables_[at(p)], -x[p], remainder_);
  }
  solve(remainder_);
  x += remainder_;
  const double size = x.lpNorm<Eigen::Infinity>();
  error_ = size > 0 ? remainder_.lpNorm<Eigen::Infinity>() / size : 0;
}

}  // namespace carom
