#include "engine/impact/lzb_friction.h"

#include <algorithm>

namespace carom {

namespace {

constexpr double kMotionSlack = 1e-16;  // of the impact's speed: error of tangential velocities in implicit stages
constexpr double kStickShare = 0.999;   // of mu N: a contact that needs more is not sure to stick
constexpr double kHoldSlack = 1e-10;    // relative: accelerations below are none
constexpr double kOutside = 1e-9;       // of mu N: excess that needs no exchange

}  // namespace

void LzbFriction::load(const LzbState& state, const LzbActive& active) {
  contacts_.clear();
  for (int a = 0; a < active.count(); ++a) {
    if (active.tangent[a] < 0) continue;
    const LzbContact& from = state.contacts[active.contact[a]];
    const Cone& cone = state.problem->cones[active.contact[a]];
    contacts_.push_back({.local = a,
                         .row = active.tangent[a],
                         .dim = cone.dim - 1,
                         .mu = cone.mu,
                         .mode = from.mode,
                         .direction = {from.direction[0], from.direction[1]}});
    copy_block(active.W, contacts_.back().row, contacts_.back().dim, contacts_.back().block);
  }
}

void LzbFriction::save(LzbState& state, const LzbActive& active) const {
  for (const Contact& c : contacts_) {
    LzbContact& to = state.contacts[active.contact[c.local]];
    to.mode = c.mode;
    to.direction[0] = c.direction[0];
    to.direction[1] = c.direction[1];
  }
}

void LzbFriction::list_sticking(const LzbActive& active) {
  sticking_.clear();
  place_.assign(active.rows(), -1);
  for (const Contact& c : contacts_)
    for (int k = 0; c.mode == LzbMode::Sticks && k < c.dim; ++k) {
      place_[c.row + k] = static_cast<int>(sticking_.size());
      sticking_.push_back(c.row + k);
    }
}

void LzbFriction::follow(const LzbActive& active, const double* u, double quiet) {
  for (Contact& c : contacts_) {
    const double speed = slip_speed(c, u);
    if (speed > quiet) {
      c.mode = LzbMode::Slides;
      for (int k = 0; k < c.dim; ++k) c.direction[k] = u[c.row + k] / speed;
    } else if (c.mode == LzbMode::Slides) {
      c.mode = LzbMode::Unsure;
    }
  }
  list_sticking(active);
}

double LzbFriction::add_forces(const LzbActive& active, const double* u, const double* N, double quiet, double* k) {
  for (const Contact& c : contacts_) {
    double direction[2] = {c.direction[0], c.direction[1]};
    // In the plane the direction is fixed until sliding stops, which keeps the step smooth.
    if (c.dim == 2) {
      const double speed = slip_speed(c, u);
      if (speed > quiet)
        for (int j = 0; j < 2; ++j) direction[j] = u[c.row + j] / speed;
    }
    const double bound = c.mode == LzbMode::Slides ? c.mu * N[c.local] : 0.0;
    for (int j = 0; j < c.dim; ++j) k[c.row + j] = -bound * direction[j];
  }
  if (!sticking_.empty()) solve_sticking(active, k);
  double power = 0;
  for (const Contact& c : contacts_)
    for (int j = 0; j < c.dim; ++j) power -= k[c.row + j] * u[c.row + j];
  return power;
}

void LzbFriction::multiply_sticking(const LzbActive& active, const Vector& x, Vector& y) const {
  const LzbRows& W = active.W;
  for (int s = 0; s < static_cast<int>(sticking_.size()); ++s) {
    double sum = 0;
    for (int e = W.first[sticking_[s]]; e < W.first[sticking_[s] + 1]; ++e) {
      const int place = place_[W.column[e]];
      if (place >= 0) sum += W.value[e] * x[place];
    }
    y[s] = sum;
  }
}

// W_ss T = -(W k)_s by conjugate gradients, preconditioned by the diagonal. W_ss may be singular (redundant contacts):
// the right side lies in its range, and the iteration gives the forces of least norm that hold all contacts.
void LzbFriction::solve_sticking(const LzbActive& active, double* k) {
  const auto size = static_cast<Eigen::Index>(sticking_.size());
  for (Vector* v : {&residual_, &preconditioned_, &search_, &product_, &answer_}) v->resize(size);
  for (int s = 0; s < size; ++s) residual_[s] = -active.W.dot(sticking_[s], k);
  answer_.setZero();
  search_.setZero();
  double previous = 1;
  double first = 0;
  for (int iteration = 0; iteration < 3 * size + 10; ++iteration) {
    int s = 0;
    for (const Contact& c : contacts_)
      for (int j = 0; c.mode == LzbMode::Sticks && j < c.dim; ++j, ++s)
        preconditioned_[s] = residual_[s] / c.block[3 * j];
    const double now = residual_.dot(preconditioned_);
    if (iteration == 0) first = now;
    if (!(now > 1e-31 * first)) break;
    search_ = preconditioned_ + (iteration == 0 ? 0.0 : now / previous) * search_;
    multiply_sticking(active, search_, product_);
    const double curvature = search_.dot(product_);
    if (!(curvature > 0)) break;
    answer_ += now / curvature * search_;
    residual_ -= now / curvature * product_;
    previous = now;
  }
  for (int s = 0; s < size; ++s) k[sticking_[s]] = answer_[s];
}

// The largest |T| / (mu N) - 1 of sticking contacts.
double LzbFriction::outside(const double* N, const double* k) const {
  double worst = -1;
  for (const Contact& c : contacts_) {
    if (c.mode != LzbMode::Sticks) continue;
    const double T = slip_speed(c, k), bound = c.mu * std::max(0.0, N[c.local]);
    if (T > 0) worst = std::max(worst, bound > 0 ? T / bound - 1 : std::numeric_limits<double>::infinity());
  }
  return worst;
}

// Forces of sticking contacts inside the cones that cause the same motion as those of k do.
bool LzbFriction::hold_within(const LzbActive& active, const double* N, double tolerance, double* k) {
  discs_.clear();
  motion_.resize(active.rows());
  held_.resize(active.rows());
  held_.setZero();
  for (int row : sticking_) held_[row] = k[row];
  for (int row : sticking_) motion_[row] = -active.W.dot(row, held_.data());
  for (const Contact& c : contacts_)
    if (c.mode == LzbMode::Sticks)
      discs_.push_back(
          {c.row, c.dim, c.mu * std::max(0.0, N[c.local]), {c.block[0], c.block[1], c.block[2], c.block[3]}});
  tresca_.solve(active, discs_, motion_.data(), 0.1 * tolerance, held_.data());
  for (int row : sticking_)
    if (std::abs(motion_[row] + active.W.dot(row, held_.data())) > tolerance) return false;
  for (int row : sticking_) k[row] = held_[row];
  return true;
}

bool LzbFriction::holds(const LzbActive& active, const double* N, double* k) {
  if (outside(N, k) <= 0) return true;
  double scale = 0;
  for (const Contact& c : contacts_)
    if (c.mode == LzbMode::Sticks) scale = std::max(scale, slip_speed(c, k) * c.block[0]);
  return hold_within(active, N, kHoldSlack * scale, k);
}

void LzbFriction::exchange(const LzbActive& active, const double* normal, double* p) {
  if (outside(normal, p) > kOutside) hold_within(active, normal, kMotionSlack, p);
}

void LzbFriction::solve_stage(const LzbActive& active, const double* base, double step, const double* N, double* T) {
  discs_.clear();
  motion_.resize(active.rows());
  for (const Contact& c : contacts_) {
    discs_.push_back(
        {c.row, c.dim, c.mu * std::max(0.0, N[c.local]), {c.block[0], c.block[1], c.block[2], c.block[3]}});
    for (int j = 0; j < c.dim; ++j) motion_[c.row + j] = base[c.row + j] / step;
  }
  tresca_.solve(active, discs_, motion_.data(), kMotionSlack / step, T);
}

void LzbFriction::read_modes(const LzbActive& active, const double* u, const double* N, const double* k, double quiet) {
  for (Contact& c : contacts_) {
    const bool still = slip_speed(c, u) <= 1e4 * kMotionSlack;
    c.mode = still && slip_speed(c, k) <= kStickShare * c.mu * N[c.local] && N[c.local] > 0 ? LzbMode::Sticks
                                                                                            : LzbMode::Unsure;
  }
  follow(active, u, quiet);
}

}  // namespace carom
