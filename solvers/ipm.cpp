#include "solvers/ipm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr double kShortStep = 0.1;
// Chosen on 17 jams that newton does not solve, drawn from piles of capsules and of mixed shapes: by these rules ipm
// alone solves 13 of them.
constexpr double kLowersShare = 0.2, kRaisesShare = 0.5;  // lengths of steps
constexpr double kLessShare = 0.25, kMoreShare = 0.1;
constexpr double kResidualShare = 0.1;  // of the residual's root mean square: least target of the gap
// Among bodies small diagonal blocks cost digits.
constexpr double kLeastRegularization = 1e-13, kLeastAmongBodies = 1e-10;
// Sliding contacts have z and y on the boundary whatever the direction of u_t: only the central path holds them
// parallel, and iterates must stay near it for the residual to follow the gap.
constexpr double kLeastCentring = 0.1;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// out = M x, M n x n row-major
void multiply(int n, const double* M, const double* x, double* out) {
  for (int k = 0; k < n; ++k) {
    out[k] = 0;
    for (int l = 0; l < n; ++l) out[k] += M[k * n + l] * x[l];
  }
}

}  // namespace

SolveReport Ipm::solve(const ConeProblem& problem, VectorOut r) {
  check_kinds(kName, kTakes, problem.cones);
  const CheckOptions every_iteration{.check_every = 1, .stall_checks = 60, .record_history = options_.record_history};
  if (!stop_.start(problem, options_.stop, every_iteration, r)) return stop_.report();
  prepare(problem);
  first_point(problem, r);
  to_impulses(r);
  while (!stop_.done(problem, std::nan(""), r)) {
    // residual = D u + s - y
    residual(stop_.velocity());
    // z, y <- z + t dz, y + t dy
    if (!step()) {
      stop_.give_up(problem, SolveStatus::Stalled, "the interior-point steps became too short", r);
      break;
    }
    to_impulses(r);
  }
  SolveReport report = stop_.report();
  if (options_.polish && !report.solved()) polish(problem, r, report);
  return report;
}

// False when no step stays inside the cones.
bool Ipm::step() {
  least_target_ = kResidualShare * residual_.norm() / std::sqrt(static_cast<double>(residual_.size()));
  double t = length_of_step();
  while (t < kLowersShare && shift_share_ > 0) {
    shift_share_ = std::max(0.0, shift_share_ - kLessShare);
    t = length_of_step();
  }
  if (!(t > 1e-12) || !dz_.allFinite() || !dy_.allFinite()) return false;
  if (t > kRaisesShare) shift_share_ = std::min(1.0, shift_share_ + kMoreShare);
  z_ += t * dz_;
  y_ += t * dy_;
  return true;
}

// Of the step dz, dy; 0 when there is none.
double Ipm::length_of_step() {
  // D W D + S P^-2 = L U
  if (!factor()) return 0;
  // towards z o y = 0, then with what that step leaves and the centre that it deserves
  predict();
  correct();
  double t = std::min(1.0, options_.fraction * longest_step());
  if (t >= kShortStep) return t;
  // too near the boundary: back to the middle first
  centre();
  return std::min(1.0, options_.fraction * longest_step());
}

// Newton's method from the last interior point.
void Ipm::polish(const ConeProblem& problem, VectorOut r, SolveReport& report) {
  newton_.options().stop = options_.stop;
  newton_.options().stop.max_iterations = std::max(1, options_.stop.max_iterations - report.iterations);
  newton_.options().stop.max_seconds = std::max(0.0, options_.stop.max_seconds - report.seconds);
  newton_.options().start_sweeps = 0;
  newton_.options().record_history = options_.record_history;
  const SolveReport finish = newton_.solve(problem, r);
  if (report.message.empty() && report.status == SolveStatus::Stalled) report.message = "interior points stalled";
  report.message += fmt::format("{}newton went on from there with {} iterations", report.message.empty() ? "" : "; ",
                                finish.iterations);
  for (HistoryEntry entry : finish.history) {
    entry.iteration += report.iterations;
    entry.seconds += report.seconds;
    report.history.push_back(entry);
  }
  report.iterations += finish.iterations;
  report.seconds += finish.seconds;
  report.residuals = finish.residuals;
  if (finish.solved()) report.status = SolveStatus::Solved;
}

// ---- Variables ----

void Ipm::prepare(const ConeProblem& problem) {
  const Cones& cones = problem.cones;
  blocks_.resize(at(cones.count()));
  degree_ = 0;
  shift_share_ = 1;
  double trace = 0;
  for (int i = 0; i < cones.count(); ++i) {
    const Cone& cone = cones[i];
    Block& block = blocks_[at(i)];
    const bool frictional = cone.kind == ConeKind::Coulomb || cone.kind == ConeKind::Associated;
    block = Block{};
    block.place = cones.offset(i);
    block.dim = cone.dim;
    block.conic = cone.kind != ConeKind::Free;
    block.size = frictional && cone.mu == 0 ? 1 : cone.dim;
    block.shifted = cone.kind == ConeKind::Coulomb && block.size > 1;
    block.normal = frictional && cone.mu > 0 ? 1 / cone.mu : 1.0;
    degree_ += block.conic;
    double diagonal[kMaxBlockDim];
    diagonal_entries(problem.W, cones, i, diagonal);
    for (int k = 0; k < cone.dim; ++k) trace += diagonal[k];
  }
  const double largest = problem.q.cwiseAbs().maxCoeff();
  velocity_unit_ = largest > 0 ? largest : 1.0;
  impulse_unit_ = velocity_unit_ * cones.rows() / trace;
  for (Vector* v : {&z_, &y_, &residual_, &lambda_, &target_, &dz_, &dy_, &right_}) v->assign(cones.rows(), 0.0);
  all_.assign(at(cones.count()), 1);
  system_.prepare(problem);
}

// z = y = e, or as near the first guess as the middle of the cones allows.
void Ipm::first_point(const ConeProblem& problem, VectorIn r) {
  const bool guess = !r.isZero(0);
  const auto& u = stop_.velocity();
  constexpr double kMargin = 0.1;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const Block& block = blocks_[at(i)];
    double* z = z_.data() + block.place;
    double* y = y_.data() + block.place;
    for (int k = 0; guess && k < block.size; ++k) {
      z[k] = r[block.place + k] / (scale_of(block, k) * impulse_unit_);
      if (block.conic) y[k] = u[block.place + k] * scale_of(block, k) / velocity_unit_;
    }
    if (!block.conic) continue;
    const double tail_y = std::sqrt(lorentz::tail_square(block.size, y));
    if (block.shifted) y[0] += tail_y;
    // the smallest eigenvalue x_0 - |x_t| of each is lifted to the margin
    z[0] = guess ? z[0] + std::max(0.0, kMargin - (z[0] - std::sqrt(lorentz::tail_square(block.size, z)))) : 1.0;
    y[0] = guess ? y[0] + std::max(0.0, kMargin - (y[0] - tail_y)) : 1.0;
  }
}

void Ipm::to_impulses(VectorOut r) const {
  r.setZero();
  for (const Block& block : blocks_) {
    for (int k = 0; k < block.size; ++k) r[block.place + k] = impulse_unit_ * scale_of(block, k) * z_[block.place + k];
  }
}

// u_t / |u_t| as y has it
void Ipm::slip_direction(const Block& block, double* t) const {
  const double* y = y_.data() + block.place;
  const double norm = std::sqrt(lorentz::tail_square(block.size, y));
  t[0] = 0;
  for (int k = 1; k < block.size; ++k) t[k] = norm > 0 ? y[k] / norm : 0.0;
}

void Ipm::residual(VectorIn u) {
  for (const Block& block : blocks_) {
    const double* y = y_.data() + block.place;
    double* out = residual_.data() + block.place;
    for (int k = 0; k < block.size; ++k) {
      out[k] = scale_of(block, k) * u[block.place + k] / velocity_unit_;
      if (block.conic) out[k] -= y[k];
    }
    if (block.shifted) out[0] += std::sqrt(lorentz::tail_square(block.size, y));
  }
}

double Ipm::gap() const { return z_.dot(y_) / std::max(1, degree_); }

double Ipm::longest_step() const {
  double t = std::numeric_limits<double>::infinity();
  for (const Block& block : blocks_) {
    if (!block.conic) continue;
    t = std::min(t, lorentz::longest_step(block.size, z_.data() + block.place, dz_.data() + block.place));
    t = std::min(t, lorentz::longest_step(block.size, y_.data() + block.place, dy_.data() + block.place));
  }
  return t;
}

// ---- The Newton step ----

bool Ipm::factor() {
  const int n = static_cast<int>(blocks_.size());
  system_.start(all_);
  double entries[kMaxBlockDim * kMaxBlockDim];
  const double unit = impulse_unit_ / velocity_unit_;
  const double regularization = std::max(system_.among_bodies() ? kLeastAmongBodies : kLeastRegularization,
                                         options_.regularization * std::sqrt(std::min(1.0, gap())));
  for (int i = 0; i < n; ++i) {
    Block& row = blocks_[at(i)];
    // D_i W D
    double left[kMaxBlockDim * kMaxBlockDim] = {}, right[kMaxBlockDim];
    for (int k = 0; k < row.dim; ++k) {
      if (k < row.size) left[k * row.dim + k] = unit * scale_of(row, k);
      right[k] = k < row.size ? scale_of(row, k) : 1.0;
    }
    // S P^-2, and the regularization
    const int size = row.size, dim = row.dim;
    std::fill(entries, entries + dim * dim, 0.0);
    if (row.conic) {
      const double* z = z_.data() + row.place;
      lorentz::set_scaling(size, z, y_.data() + row.place, row.scaling);
      multiply(size, row.scaling.backward, z, lambda_.data() + row.place);
      const double* inverse = row.scaling.backward;
      for (int k = 0; k < size; ++k) {
        for (int l = 0; l < size; ++l)
          entries[k * dim + l] = lorentz::dot(size, inverse + k * size, inverse + l * size);
      }
      if (row.shifted) {
        double t[kMaxBlockDim];
        slip_direction(row, t);
        for (int l = 0; l < size; ++l) {
          for (int k = 1; k < size; ++k) entries[l] -= shift_share_ * t[k] * entries[k * dim + l];
        }
      }
    }
    for (int k = 0; k < dim; ++k) entries[k * dim + k] += k < size ? regularization : 1.0;
    system_.set(i, left, right, entries);
  }
  return system_.factor();
}

// dz, dy for the present target:  P^-1 dz + P dy = lambda \ target,   dy = S^-1 (D W D dz + residual)
void Ipm::direction() {
  double scaled[kMaxBlockDim];
  for (const Block& block : blocks_) {
    double* right = right_.data() + block.place;
    double* dy = dy_.data() + block.place;
    const double* rest = residual_.data() + block.place;
    if (block.conic) {
      lorentz::divide(block.size, lambda_.data() + block.place, target_.data() + block.place, scaled);
      multiply(block.size, block.scaling.backward, scaled, dy);  // P^-1 (lambda \ target)
    }
    for (int k = 0; k < block.size; ++k) right[k] = (block.conic ? dy[k] : 0.0) - rest[k];
    if (!block.shifted) continue;
    double t[kMaxBlockDim];
    slip_direction(block, t);
    for (int k = 1; k < block.size; ++k) right[0] -= shift_share_ * t[k] * dy[k];
  }
  system_.solve(right_, dz_);
  for (const Block& block : blocks_) {
    if (!block.conic) continue;
    double once[kMaxBlockDim], twice[kMaxBlockDim];
    multiply(block.size, block.scaling.backward, dz_.data() + block.place, once);
    multiply(block.size, block.scaling.backward, once, twice);
    for (int k = 0; k < block.size; ++k) dy_[block.place + k] -= twice[k];
  }
}

// target = -lambda o lambda
void Ipm::predict() {
  for (const Block& block : blocks_) {
    if (!block.conic) continue;
    const double* lambda = lambda_.data() + block.place;
    double* target = target_.data() + block.place;
    lorentz::product(block.size, lambda, lambda, target);
    for (int k = 0; k < block.size; ++k) target[k] = -target[k];
  }
  direction();
}

// target = max(gap / 2, least) e - lambda o lambda
void Ipm::centre() {
  const double middle = std::max(0.5 * gap(), least_target_);
  for (const Block& block : blocks_) {
    if (!block.conic) continue;
    const double* lambda = lambda_.data() + block.place;
    double* target = target_.data() + block.place;
    lorentz::product(block.size, lambda, lambda, target);
    for (int k = 0; k < block.size; ++k) target[k] = -target[k];
    target[0] += middle;
  }
  direction();
}

// target = max(sigma gap, least) e - lambda o lambda - (P^-1 dz) o (P dy),  sigma = (gap after the prediction / gap)^3
void Ipm::correct() {
  const double before = gap();
  const double t = std::min(1.0, longest_step());
  const double after = (z_ + t * dz_).dot(y_ + t * dy_) / std::max(1, degree_);
  const double sigma = std::max(kLeastCentring, std::pow(std::clamp(after / before, 0.0, 1.0), 3));
  double forward[kMaxBlockDim], backward[kMaxBlockDim], both[kMaxBlockDim];
  for (const Block& block : blocks_) {
    if (!block.conic) continue;
    multiply(block.size, block.scaling.backward, dz_.data() + block.place, backward);
    multiply(block.size, block.scaling.forward, dy_.data() + block.place, forward);
    lorentz::product(block.size, backward, forward, both);
    double* target = target_.data() + block.place;
    for (int k = 0; k < block.size; ++k) target[k] -= both[k];
    target[0] += std::max(sigma * before, least_target_);
  }
  direction();
}

}  // namespace carom
