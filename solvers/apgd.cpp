#include "solvers/apgd.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr double kAsymmetry = 1e-12;  // of the largest entry: beyond rounding
constexpr double kRounding = 1e-9;    // of curvatures
constexpr int kBacktracks = 60;       // in one iteration; t has then shrunk by 2^60

}  // namespace

SolveReport Apgd::solve(const ConeProblem& problem, VectorOut r) {
  if (!stop_.start(problem, options_.stop, options_.check, r)) return stop_.report();
  prepare(problem, r);
  if (problem.W.assembled && !problem.W.factors && !is_symmetric(*problem.W.assembled, problem.cones, kAsymmetry))
    stop_.remark("W is unsymmetric: steps followed W r + q itself, not the gradient of r W r / 2 + q r");
  double change = 0;
  do {
    // r+ = P_K(y - t D (u + s(u)))
    change = step(problem);
    // y = r+ + beta (r+ - r),  r <- r+
    extrapolate(r);
  } while (!stop_.done(problem, change, r));
  return stop_.report();
}

void Apgd::prepare(const ConeProblem& problem, VectorIn r) {
  const Cones& cones = problem.cones;
  const int n = cones.rows();
  for (Vector* vector : {&D_, &y_, &u_y_, &next_, &u_next_, &u_, &gradient_}) vector->resize(n);
  for (int i = 0; i < cones.count(); ++i) {
    double entries[kMaxBlockDim];
    diagonal_entries(problem.W, cones, i, entries);
    double trace = 0;
    for (int k = 0; k < cones.dim(i); ++k) trace += entries[k];
    D_.segment(cones.offset(i), cones.dim(i)).setConstant(cones.dim(i) / trace);
  }
  apply(problem.W, cones, r, problem.q, u_, twists_);
  y_ = r;
  u_y_ = u_;
  t_ = theta_ = 1;
}

// Returns |r+ - y| / t in the norm of D^-1: what the natural map would call its residual.
double Apgd::step(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  // D (u + s(u))
  gradient_ = u_y_;
  for (int i = 0; i < cones.count(); ++i)
    gradient_[cones.offset(i)] += de_saxce_shift(cones[i], u_y_.data() + cones.offset(i));
  gradient_.array() *= D_.array();

  double length = 0;
  for (int trial = 0; trial < kBacktracks; ++trial) {
    // r+ = P_K(y - t D (u + s(u))),  u+ = W r+ + q
    next_ = y_ - t_ * gradient_;
    for (int i = 0; i < cones.count(); ++i) project(cones[i], next_.data() + cones.offset(i));
    apply(problem.W, cones, next_, problem.q, u_next_, twists_);
    // dr . W dr <= dr . D^-1 dr / t, or a shorter step
    const double curvature = (next_ - y_).dot(u_next_ - u_y_);
    length = ((next_ - y_).array().square() / D_.array()).sum();
    if (!(t_ * curvature > length * (1 + kRounding))) break;
    t_ = std::min(0.5 * t_, 0.95 * length / curvature);
  }
  return std::sqrt(length) / t_;
}

void Apgd::extrapolate(VectorOut r) {
  // beta = (theta - 1)/theta+,  theta+ = (1 + sqrt(1 + 4 theta^2))/2, and 0 where (y - r+) . D^-1 (r+ - r) > 0
  const double uphill = ((y_ - next_).array() * (next_ - r).array() / D_.array()).sum();
  double beta = 0;
  if (options_.restart && uphill > 0) {
    theta_ = 1;
  } else {
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_));
    beta = (theta_ - 1) / next;
    theta_ = next;
  }
  // y = r+ + beta (r+ - r), and W y + q likewise
  y_ = next_ + beta * (next_ - r);
  u_y_ = u_next_ + beta * (u_next_ - u_);
  r = next_;
  u_ = u_next_;
  t_ *= options_.step_growth;
}

}  // namespace carom
