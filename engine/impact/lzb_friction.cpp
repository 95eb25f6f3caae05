#include "engine/impact/lzb_friction.h"

#include <algorithm>

namespace carom {

namespace {

constexpr int kSweeps = 500;           // of Gauss-Seidel in settle
constexpr double kSettled = 1e-14;     // relative change that ends them
constexpr double kInside = 1 - 1e-12;  // of mu N: below it a contact sticks

double diagonal(const LzbRows& W, int row, int column) {
  for (int e = W.first[row]; e < W.first[row + 1]; ++e)
    if (W.column[e] == column) return W.value[e];
  return 0;
}

// min T^2 W/2 + T a over |T| <= bound
double clamp_force(double W, double a, double bound) { return std::clamp(-a / W, -bound, bound); }

// The same for two components: T = -(W + s I)^-1 a with the least s >= 0 for which |T| <= bound. In the eigenframe of
// the 2x2 matrix |T(s)|^2 = sum (a_k / (w_k + s))^2 falls with s; Newton on 1/|T| converges from the left.
void clamp_force(const double* W, const double* a, double bound, double* T) {
  const double mean = 0.5 * (W[0] + W[3]), half = 0.5 * (W[0] - W[3]), off = 0.5 * (W[1] + W[2]);
  const double radius = std::hypot(half, off);
  const double angle = 0.5 * std::atan2(off, half);
  const double c = std::cos(angle), s = std::sin(angle);
  const double w[2] = {mean + radius, std::max(mean - radius, 1e-14 * mean)};
  const double b[2] = {c * a[0] + s * a[1], -s * a[0] + c * a[1]};
  double shift = 0;
  for (int k = 0; k < 50; ++k) {
    const double d0 = w[0] + shift, d1 = w[1] + shift;
    const double norm = std::hypot(b[0] / d0, b[1] / d1);
    if (norm <= bound * (1 + 1e-15) || bound == 0) break;
    const double derivative = -(b[0] * b[0] / (d0 * d0 * d0) + b[1] * b[1] / (d1 * d1 * d1)) / norm;
    shift += (norm / bound - 1) * norm / -derivative;
  }
  double t[2] = {-b[0] / (w[0] + shift), -b[1] / (w[1] + shift)};
  const double norm = std::hypot(t[0], t[1]);
  if (norm > bound) {
    t[0] *= bound / norm;
    t[1] *= bound / norm;
  }
  T[0] = c * t[0] - s * t[1];
  T[1] = s * t[0] + c * t[1];
}

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
                         .sticks = from.sticks,
                         .direction = {from.direction[0], from.direction[1]}});
  }
  if (!empty()) list_sticking(active);
}

void LzbFriction::save(LzbState& state, const LzbActive& active) const {
  for (const Contact& c : contacts_) {
    LzbContact& to = state.contacts[active.contact[c.local]];
    to.sticks = c.sticks;
    to.direction[0] = c.direction[0];
    to.direction[1] = c.direction[1];
  }
}

void LzbFriction::list_sticking(const LzbActive& active) {
  sticking_.clear();
  place_.assign(active.rows(), -1);
  for (const Contact& c : contacts_)
    for (int k = 0; c.sticks && k < c.dim; ++k) {
      place_[c.row + k] = static_cast<int>(sticking_.size());
      sticking_.push_back(c.row + k);
    }
}

void LzbFriction::follow(const double* u, double quiet) {
  for (Contact& c : contacts_) {
    const double speed = slip_speed(c, u);
    if (c.sticks || speed <= quiet) continue;
    for (int k = 0; k < c.dim; ++k) c.direction[k] = u[c.row + k] / speed;
  }
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
    for (int j = 0; j < c.dim; ++j) k[c.row + j] = c.sticks ? 0.0 : -c.mu * N[c.local] * direction[j];
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
// the right side lies in its range, and the iteration gives one of the forces that hold all contacts.
void LzbFriction::solve_sticking(const LzbActive& active, double* k) {
  const auto size = static_cast<Eigen::Index>(sticking_.size());
  for (Vector* v : {&residual_, &preconditioned_, &search_, &product_, &answer_}) v->resize(size);
  for (int s = 0; s < size; ++s) residual_[s] = -active.W.dot(sticking_[s], k);
  answer_.setZero();
  search_.setZero();
  double previous = 1;
  double first = 0;
  for (int iteration = 0; iteration < 3 * size + 10; ++iteration) {
    for (int s = 0; s < size; ++s) preconditioned_[s] = residual_[s] / diagonal(active.W, sticking_[s], sticking_[s]);
    const double now = residual_.dot(preconditioned_);
    if (iteration == 0) first = now;
    if (now <= 1e-31 * first) break;
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

void LzbFriction::settle(const LzbActive& active, const double* u, const double* N, double quiet, double* k) {
  const LzbRows& W = active.W;
  // Sliding contacts first: their forces are known.
  for (const Contact& c : contacts_) {
    const bool slides = slip_speed(c, u) > quiet;
    for (int j = 0; j < c.dim; ++j) k[c.row + j] = slides ? -c.mu * N[c.local] * c.direction[j] : 0.0;
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0, largest = 0;
    for (const Contact& c : contacts_) {
      if (slip_speed(c, u) > quiet || N[c.local] <= 0) continue;
      const double bound = c.mu * N[c.local];
      double T[2] = {0, 0}, a[2] = {0, 0}, block[4] = {0, 0, 0, 0};
      for (int j = 0; j < c.dim; ++j) {
        a[j] = W.dot(c.row + j, k);
        for (int l = 0; l < c.dim; ++l) {
          block[2 * j + l] = diagonal(W, c.row + j, c.row + l);
          a[j] -= block[2 * j + l] * k[c.row + l];
        }
      }
      if (c.dim == 1)
        T[0] = clamp_force(block[0], a[0], bound);
      else
        clamp_force(block, a, bound, T);
      for (int j = 0; j < c.dim; ++j) {
        change = std::max(change, std::abs(T[j] - k[c.row + j]));
        largest = std::max(largest, std::abs(T[j]));
        k[c.row + j] = T[j];
      }
    }
    if (change <= kSettled * largest) break;
  }
  for (Contact& c : contacts_) {
    if (slip_speed(c, u) > quiet) {
      c.sticks = false;
      continue;
    }
    if (N[c.local] <= 0) continue;
    const double T = force_norm(c, k);
    c.sticks = T < kInside * c.mu * N[c.local];
    for (int j = 0; j < c.dim && !c.sticks; ++j) c.direction[j] = -k[c.row + j] / T;
  }
  list_sticking(active);
}

}  // namespace carom
