#include "solvers/lemke_path.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kRounding = 1e-12;       // x differing by less, relative to its largest, are tied
constexpr double kTinyPivot = 1e-9;       // of the largest |a|: taken for zero
constexpr double kSmallPivot = 1e-6;      // of the largest |a|: worth a fresh factorization first
constexpr double kSecondTies = 1e-10;     // relative, of the second column
constexpr double kDrift = 1e-9;           // norm(q - B x) / norm(q) that asks for a factorization
constexpr double kIllConditioned = 1e-7;  // relative correction by refinement
constexpr int kMaxRescues = 200;          // and a quarter of the unknowns
constexpr int kCheckEvery = 16;           // pivots between looks at clock and drift

}  // namespace

LemkePath::LemkePath(LcpColumns& columns, const VectorXd& q, const std::vector<bool>& free, const LcpOptions& options,
                     const Stopwatch& watch)
    : columns_(columns), q_(q), free_(free), options_(options), watch_(watch), basis_(columns) {
  const int n = columns.size();
  p_.resize(n);
  RandomStream random(1965, 0);
  for (double& value : p_) value = random.uniform(1, 2);
  for (VectorXd* v : {&x_, &y_, &a_, &row_, &smallest_row_, &remainder_}) v->resize(n);
  ties_.reserve(at(n));
  interval_ = options.pivot.refactor_every;
}

bool LemkePath::start(const std::vector<int>& complementary, const VectorXd& d) {
  basis_.variables() = complementary;
  // The column of z0 is -C d: in this basis, -d.
  columns_.d.setZero(columns_.size());
  a_.setZero();
  for (int p = 0; p < columns_.size(); ++p) columns_.add_column(complementary[at(p)], d[p], a_);
  columns_.d = a_;
  a_ = -d;
  interval_ = options_.pivot.refactor_every;
  rescues_ = 0;
  return refresh();
}

PathEnd LemkePath::follow() {
  // z0 enters where x is most negative, relative to d
  const int first = first_to_leave(a_);
  if (first < 0) return PathEnd::Complementary;
  entering_ = columns_.cover();
  bool fresh = true;  // no exchange since the last factorization
  int place = first;
  while (true) {
    const int leaving = basis_.variable(place);
    pivot(place, entering_);
    fresh = false;
    if (leaving == columns_.cover()) return refresh() ? PathEnd::Complementary : PathEnd::Trouble;
    entering_ = columns_.complement(leaving);
    if (pivots_ >= options_.max_pivots) return PathEnd::MaxPivots;
    const bool look = pivots_ % kCheckEvery == 0;
    if (look && watch_.seconds() >= options_.max_seconds) return PathEnd::MaxTime;
    const bool lost = look && drifted();
    if (lost || basis_.exchanges() >= interval_ || basis_.worth_factoring()) {
      rescues_ += lost;
      if (!refresh()) return PathEnd::Trouble;
      fresh = true;
    }
    while (true) {
      // a = B^-1 (entering column)
      a_.setZero();
      columns_.add_column(entering_, 1, a_);
      basis_.solve(a_);
      place = choose_leaving();
      const bool doubtful = place < 0 || a_[place] < kSmallPivot * a_.lpNorm<Eigen::Infinity>();
      if (!doubtful || fresh) break;
      // A healthy path needs this now and then; one at every few pivots wanders among rounding errors.
      if (++rescues_ > kMaxRescues + columns_.size() / 4 || !refresh()) return PathEnd::Trouble;
      fresh = true;
    }
    if (place < 0) return PathEnd::Ray;
  }
}

// B = LU afresh, x = B^-1 q, y = B^-1 p
bool LemkePath::refresh() {
  if (!basis_.factor()) return false;
  basis_.solve_refined(q_, x_);
  if (!x_.allFinite()) return false;
  size_ = std::max(1.0, x_.lpNorm<Eigen::Infinity>());
  // Ill-conditioned: exchanges lose digits faster.
  if (basis_.error() > kIllConditioned) interval_ = std::max(10, interval_ / 2);
  y_ = p_;
  basis_.solve(y_);
  return true;
}

// norm(q - B x) has grown
bool LemkePath::drifted() {
  remainder_ = q_;
  for (int p = 0; p < columns_.size(); ++p) columns_.add_column(basis_.variable(p), -x_[p], remainder_);
  return !(remainder_.lpNorm<Eigen::Infinity>() <= kDrift * size_);
}

// The lexicographically smallest (x_i, y_i, row i of B^-1) / d_i; -1 when no x is negative. a = -d.
int LemkePath::first_to_leave(const VectorXd& minus_d) {
  double smallest = 0;
  for (int i = 0; i < columns_.size(); ++i) {
    if (may_leave(i)) smallest = std::min(smallest, x_[i] / -minus_d[i]);
  }
  if (smallest >= -kRounding * size_) return -1;
  ties_.clear();
  for (int i = 0; i < columns_.size(); ++i) {
    if (may_leave(i) && x_[i] / -minus_d[i] <= smallest + kRounding * size_) ties_.push_back(i);
  }
  a_ = -minus_d;
  const int place = lexicographic_smallest();
  a_ = -a_;
  return place;
}

// The place whose (x_i, y_i, row i of B^-1) / a_i is lexicographically smallest among a_i > 0, with z0 preferred
// on ties of x; -1 when there is none. Ties of x are taken as Harris does: any of them may leave without pushing
// another x below -rounding.
int LemkePath::choose_leaving() {
  const int n = columns_.size();
  const double tiny = kTinyPivot * a_.lpNorm<Eigen::Infinity>(), rounding = kRounding * size_;
  double step = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) {
    // step a_i <= x_i + rounding for all i
    if (a_[i] > tiny && may_leave(i) && std::max(x_[i], 0.0) + rounding < step * a_[i])
      step = (std::max(x_[i], 0.0) + rounding) / a_[i];
  }
  ties_.clear();
  for (int i = 0; i < n; ++i) {
    if (a_[i] > tiny && may_leave(i) && x_[i] <= step * a_[i]) ties_.push_back(i);
  }
  if (ties_.empty()) return -1;
  for (int i : ties_) {
    if (basis_.variable(i) == columns_.cover()) return i;
  }
  return lexicographic_smallest();
}

// Of ties_: the smallest y_i / a_i, then the smallest row of B^-1 divided by a_i.
int LemkePath::lexicographic_smallest() {
  if (ties_.size() == 1) return ties_.front();
  double smallest = std::numeric_limits<double>::infinity();
  for (int i : ties_) smallest = std::min(smallest, y_[i] / a_[i]);
  const auto larger = [&](int i) {
    return y_[i] - smallest * a_[i] > kSecondTies * (std::abs(y_[i]) + std::abs(smallest * a_[i]));
  };
  ties_.erase(std::remove_if(ties_.begin(), ties_.end(), larger), ties_.end());
  return ties_.size() == 1 ? ties_.front() : smallest_row();
}

int LemkePath::smallest_row() {
  int best = -1;
  for (int i : ties_) {
    // e_i^T B^-1 / a_i
    row_.setZero();
    row_[i] = 1 / a_[i];
    basis_.solve_transposed(row_);
    bool smaller = best < 0;
    if (best >= 0) {
      const double rounding =
          kSecondTies * std::max(row_.lpNorm<Eigen::Infinity>(), smallest_row_.lpNorm<Eigen::Infinity>());
      int k = 0;
      while (k < columns_.size() && std::abs(row_[k] - smallest_row_[k]) <= rounding) ++k;
      // Rows that agree to rounding are no rows of an inverse: the larger pivot is then the safer one.
      smaller = k < columns_.size() ? row_[k] < smallest_row_[k] : a_[i] > a_[best];
    }
    if (!smaller) continue;
    best = i;
    smallest_row_.swap(row_);
  }
  return best;
}

void LemkePath::pivot(int place, int variable) {
  // x <- x - (x_p / a_p) a,  x_p <- x_p / a_p, and y likewise; a rounding error below 0 is 0
  const double step = (variable == columns_.cover() ? x_[place] : std::max(x_[place], 0.0)) / a_[place];
  const double other = y_[place] / a_[place];
  x_ -= step * a_;
  y_ -= other * a_;
  x_[place] = step;
  y_[place] = other;
  basis_.exchange(place, variable, a_);
  ++pivots_;
}

void LemkePath::read_z(VectorXd& z) const {
  const int n = columns_.size();
  z.setZero(n);
  for (int p = 0; p < n; ++p) {
    const int variable = basis_.variable(p);
    if (variable == columns_.cover() || columns_.is_w(variable)) continue;
    const int i = columns_.pair_of(variable);
    z[i] = may_leave(i) ? std::max(x_[p], 0.0) : x_[p];
  }
}

std::vector<int> LemkePath::complementary_basis() const {
  const int n = columns_.size();
  std::vector<int> basis(at(n));
  for (int i = 0; i < n; ++i) basis[at(i)] = basis_.place_of(columns_.z(i)) >= 0 ? columns_.z(i) : columns_.w(i);
  return basis;
}

void LemkePath::read_ray(VectorXd& z, VectorXd& w, double& z0) const {
  const int n = columns_.size();
  z.setZero(n);
  w.setZero(n);
  z0 = 0;
  const auto set = [&](int variable, double value) {
    if (variable == columns_.cover())
      z0 = value;
    else
      (columns_.is_w(variable) ? w : z)[columns_.pair_of(variable)] = value;
  };
  // The entering variable grows by 1, the basic ones by -a.
  for (int p = 0; p < n; ++p) set(basis_.variable(p), -a_[p]);
  set(entering_, 1);
}

}  // namespace carom
