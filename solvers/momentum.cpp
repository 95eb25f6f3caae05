#include "solvers/momentum.h"

namespace carom {

namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void Momentum::make_room(const ConeProblem& problem) {
  y_.resize(problem.cones.rows());
  before_.resize(problem.cones.rows());
  weight_.resize(at(problem.cones.count()));
  if (problem.W.factors) before_v_.resize(problem.W.factors->inverse_mass.size());
}

void Momentum::start(const ConeProblem& problem, Threads threads, VectorIn r, const std::vector<Twist>& v) {
  make_room(problem);
  threads_ = threads;
  factor_.restart();
  y_ = before_ = r;
  before_v_ = v;
  parallel_for(threads_, problem.cones.count(), [&](std::ptrdiff_t i) {
    double entries[kMaxBlockDim];
    diagonal_entries(problem.W, problem.cones, static_cast<int>(i), entries);
    weight_[at(i)] = 0;
    for (int k = 0; k < problem.cones.dim(static_cast<int>(i)); ++k) weight_[at(i)] += entries[k];
  });
}

double Momentum::against(const ConeProblem& problem, VectorIn r) {
  const auto of_block = [&](std::ptrdiff_t i) {
    const int offset = problem.cones.offset(static_cast<int>(i)), dim = problem.cones.dim(static_cast<int>(i));
    double sum = 0;
    for (int k = offset; k < offset + dim; ++k) sum += (y_[k] - r[k]) * (r[k] - before_[k]);
    return weight_[at(i)] * sum;
  };
  return parallel_reduce(
      threads_, problem.cones.count(), 0.0, of_block, [](double a, double b) { return a + b; }, scratch_);
}

void Momentum::extrapolate(const ConeProblem& problem, VectorOut r, std::vector<Twist>& v) {
  const double factor = factor_.next(against(problem, r));
  parallel_for(threads_, r.size(), [&](std::ptrdiff_t k) {
    const double x = r[k];
    y_[k] = r[k] = x + factor * (x - before_[k]);
    before_[k] = x;
  });
  if (!problem.W.factors) return;
  parallel_for(threads_, static_cast<std::ptrdiff_t>(v.size()), [&](std::ptrdiff_t body) {
    Twist &now = v[at(body)], &before = before_v_[at(body)];
    const Twist x = now;
    now.linear += factor * (x.linear - before.linear);
    now.angular += factor * (x.angular - before.angular);
    before = x;
  });
}

}  // namespace carom
