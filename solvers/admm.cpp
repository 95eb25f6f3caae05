#include "solvers/admm.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Chosen on the FCLIB problems. Most of those hardly feel them; the Capsules at 1e-8 and below do, where iterations
// vary tenfold and more from one choice to the next.
constexpr int kTrialIterations = 3;      // of the sticking penalty, at least
constexpr double kTrialRate = 0.3;       // it goes on while the error falls at least as fast
constexpr double kFastRate = 0.45;       // no over-relaxation below
constexpr int kPlainIterations = 3;      // before acceleration
constexpr double kGrowth = 1.2;          // of the error, above the best: back to the plain step from there
constexpr double kFirstPatience = 150;   // iterations with the first penalty
constexpr double kPatienceGrowth = 1.5;  // from one penalty to the next
constexpr double kLowering = 1.0 / 3;    // of the penalty
constexpr double kLowestPenalty = 0.02;  // of trace(W_ii)/dim: the next one is
constexpr double kHighestPenalty = 1;    // this one

}  // namespace

std::string_view name_of(Acceleration acceleration) {
  switch (acceleration) {
    case Acceleration::None:
      return "none";
    case Acceleration::Nesterov:
      return "nesterov";
    case Acceleration::Anderson:
      return "anderson";
  }
  return "unknown";
}

SolveReport Admm::solve(const ConeProblem& problem, VectorOut r) {
  if (!stop_.start(problem, options_.stop, options_.check, r)) return stop_.report();
  prepare(problem);
  bool factored = factor(problem.cones, trying_ ? options_.sticking_penalty : options_.penalty);
  if (factored) {
    read_guess(problem, r);
    first_point();
    cone_half(problem, r);
  }
  while (factored) {
    // f = x - z
    const double error = linear_half(problem, r);
    const double rate = error / previous_error_;
    previous_error_ = error;
    ++iterations_;
    const bool failed_trial = trying_ && iterations_ >= kTrialIterations && rate > kTrialRate;
    const bool impatient = !trying_ && options_.adapt_penalty && iterations_ >= patience_;
    // v <- v + alpha f, or the same impulses and velocities with another R
    if (failed_trial || (impatient && factorizations_ < options_.max_factorizations))
      factored = change_penalty(problem.cones, r);
    else
      advance(error, rate);
    // r = z = P_K(v)
    cone_half(problem, r);
    if (stop_.done(problem, error, r)) return stop_.report();
  }
  stop_.give_up(problem, SolveStatus::NumericalError, "W + R is singular to rounding and could not be factored", r);
  return stop_.report();
}

void Admm::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  const int n = cones.rows();
  mobility_.resize(n);
  for (int i = 0; i < cones.count(); ++i) {
    double entries[kMaxBlockDim];
    diagonal_entries(problem.W, cones, i, entries);
    double trace = 0;
    for (int k = 0; k < cones.dim(i); ++k) trace += entries[k];
    mobility_.segment(cones.offset(i), cones.dim(i)).setConstant(trace / cones.dim(i));
  }
  for (Vector* vector : {&R_, &root_R_, &v_, &y_, &f_, &weighted_f_, &plain_, &guess_, &guess_velocity_})
    vector->resize(n);
  shift_.assign(n, 0.0);
  anderson_.prepare(n, options_.acceleration == Acceleration::Anderson ? options_.memory : 0);
  system_.prepare(problem);
  all_.assign(static_cast<std::size_t>(cones.count()), 1);
  factorizations_ = 0;
  patience_ = kFirstPatience;
  trying_ = options_.sticking_penalty > 0 && options_.max_factorizations > 1;
}

// Factors W + R; what was learned with another R is forgotten.
bool Admm::factor(const Cones& cones, double penalty) {
  penalty_ = penalty;
  R_ = penalty * mobility_;
  root_R_ = R_.cwiseSqrt();
  ++factorizations_;
  iterations_ = 0;
  previous_error_ = best_error_ = kInfinity;
  momentum_ = 1;
  anderson_.clear();
  system_.start(all_);
  double R[kMaxBlockDim * kMaxBlockDim];
  for (int i = 0; i < cones.count(); ++i) {
    const int dim = cones.dim(i);
    std::fill(R, R + dim * dim, 0.0);
    for (int k = 0; k < dim; ++k) R[k * dim + k] = R_[cones.offset(i) + k];
    system_.set(i, nullptr, nullptr, R);
  }
  return system_.factor();
}

void Admm::read_guess(const ConeProblem& problem, VectorIn r) {
  guess_ = r;
  guess_velocity_.setZero();
  if (r.isZero(0)) return;
  const Cones& cones = problem.cones;
  guess_velocity_ = stop_.velocity();
  for (int i = 0; i < cones.count(); ++i)
    guess_velocity_[cones.offset(i)] += de_saxce_shift(cones[i], stop_.velocity().data() + cones.offset(i));
}

// v = z + y with z the first guess and -R y = u + s(u) its velocities; 0 where there is no guess.
void Admm::first_point() { v_ = guess_ - guess_velocity_.cwiseQuotient(R_); }

void Admm::cone_half(const ConeProblem& problem, VectorOut z) {
  const Cones& cones = problem.cones;
  // z = P_K(v),  y = v - z
  z = v_;
  for (int i = 0; i < cones.count(); ++i) project(cones[i], z.data() + cones.offset(i));
  y_ = v_ - z;
  // s = mu |(R y)_t|
  for (int i = 0; i < cones.count(); ++i) {
    const int offset = cones.offset(i);
    shift_[offset] = R_[offset] * de_saxce_shift(cones[i], y_.data() + offset);
  }
}

// Returns |x - z| in the norm of R.
double Admm::linear_half(const ConeProblem& problem, VectorIn z) {
  // (W + R) x = R (z - y) - q - s,  f = x - z
  f_ = R_.cwiseProduct(z - y_) - problem.q - shift_;
  system_.solve_once(f_);
  f_ -= z;
  weighted_f_ = root_R_.cwiseProduct(f_);
  return weighted_f_.norm();
}

// The next penalty. Impulses z and velocities -R y stay; after a trial that failed, those of the first guess.
bool Admm::change_penalty(const Cones& cones, VectorIn z) {
  if (trying_) {
    trying_ = false;
    const bool factored = factor(cones, options_.penalty);
    first_point();
    return factored;
  }
  const double lower = penalty_ * kLowering;
  const double next = lower < kLowestPenalty ? kHighestPenalty : lower;
  patience_ *= kPatienceGrowth;
  v_ = z + y_ * (penalty_ / next);
  return factor(cones, next);
}

// v <- v + alpha (x - z), extrapolated.
void Admm::advance(double error, double rate) {
  v_ += (rate < kFastRate ? 1.0 : options_.relaxation) * f_;
  if (trying_ || iterations_ < kPlainIterations) return;
  if (options_.acceleration == Acceleration::Anderson) accelerate(error);
  if (options_.acceleration == Acceleration::Nesterov) extrapolate(error);
}

// Anderson's step from the plain step v, or back to the plain step from the best point.
void Admm::accelerate(double error) {
  if (error > kGrowth * best_error_) {
    v_ = plain_;
    best_error_ = kInfinity;
    anderson_.clear();
    return;
  }
  if (error < best_error_) {
    best_error_ = error;
    plain_ = v_;
  }
  anderson_.extrapolate(weighted_f_, v_);
}

// v <- v + (t - 1)/t' (v - v_before),  t' = (1 + sqrt(1 + 4 t^2))/2, from t = 1 again when the error grows.
void Admm::extrapolate(double error) {
  if (error > best_error_) momentum_ = 1;
  best_error_ = error;
  const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double weight = momentum_ == 1 ? 0.0 : (momentum_ - 1) / next;
  momentum_ = next;
  // f_ is not needed any more
  f_ = v_;
  v_ += weight * (v_ - plain_);
  plain_ = f_;
}

}  // namespace carom
