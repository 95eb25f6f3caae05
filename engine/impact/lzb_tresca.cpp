#include "engine/impact/lzb_tresca.h"

#include <algorithm>
#include <limits>

namespace carom {

namespace {

constexpr int kRounds = 40;          // of sweeps and a solve over holding contacts
constexpr int kSweeps = 5;           // in a round
constexpr double kNearly = 1e4;      // times the tolerance: what may be rounding
constexpr double kHeld = 1 - 1e-12;  // of the bound: below it a contact holds
constexpr double kRounding = 1e-15;  // relative change of forces that rounding makes

// min W T^2/2 + a T over |T| <= bound
double solve_disc(double W, double a, double bound) { return std::clamp(-a / W, -bound, bound); }

// The same for two components: T = -(W + s I)^-1 a with the least s >= 0 for which |T| <= bound. |T(s)| falls with s;
// Newton on 1/|T| converges from the left.
void solve_disc(const double* W, const double* a, double bound, double* T) {
  const double mean = 0.5 * (W[0] + W[3]), off = 0.5 * (W[1] + W[2]);
  double shift = 0, length = 0;
  // x = (W + s I)^-1 b
  const auto divide = [&](const double* b, double* x) {
    const double d0 = W[0] + shift, d1 = W[3] + shift;
    const double determinant = std::max(d0 * d1 - off * off, 1e-14 * mean * mean);
    x[0] = (d1 * b[0] - off * b[1]) / determinant;
    x[1] = (d0 * b[1] - off * b[0]) / determinant;
  };
  for (int k = 0; k < 50; ++k) {
    divide(a, T);
    length = std::sqrt(T[0] * T[0] + T[1] * T[1]);
    if (length <= bound * (1 + 1e-15) || bound == 0) break;
    double slope[2];
    divide(T, slope);
    shift += (length / bound - 1) * length * length / (T[0] * slope[0] + T[1] * slope[1]);
  }
  const double share = length > bound ? -bound / length : -1.0;
  T[0] *= share;
  T[1] *= share;
}

double norm(const double* T, int dim) { return dim == 1 ? std::abs(T[0]) : std::sqrt(T[0] * T[0] + T[1] * T[1]); }

void clip(const LzbDisc& disc, double* T) {
  const double length = norm(T, disc.dim);
  if (length <= disc.bound) return;
  for (int j = 0; j < disc.dim; ++j) T[j] *= disc.bound / length;
}

}  // namespace

void copy_block(const LzbRows& W, int row, int dim, double* block) {
  for (int j = 0; j < dim; ++j)
    for (int e = W.first[row + j]; e < W.first[row + j + 1]; ++e)
      if (W.column[e] >= row && W.column[e] < row + dim) block[2 * j + W.column[e] - row] = W.value[e];
}

bool LzbTresca::solve(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a, double tolerance,
                      double* T) {
  for (Vector* v : {&T_, &residual_, &search_, &product_, &step_, &trial_}) v->resize(active.rows());
  T_.setZero();
  for (const LzbDisc& disc : discs) {
    for (int j = 0; j < disc.dim; ++j) T_[disc.row + j] = T[disc.row + j];
    clip(disc, T_.data() + disc.row);
  }
  bool solved = false;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds && !solved; ++round) {
    double change = 0;
    for (int k = 0; k < kSweeps && !solved; ++k) {
      change = sweep(active, discs, a);
      solved = change <= tolerance;
    }
    // What no longer falls is rounding.
    if (change <= kNearly * tolerance && change > 0.5 * before) solved = true;
    before = change;
    if (!solved) solve_held(active, discs, a);
  }
  for (const LzbDisc& disc : discs)
    for (int j = 0; j < disc.dim; ++j) T[disc.row + j] = T_[disc.row + j];
  return solved;
}

// Each contact in turn; the largest change of motion that a contact's own force made, 0 when it was rounding.
double LzbTresca::sweep(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a) {
  double largest = 0;
  for (const LzbDisc& disc : discs) {
    if (disc.bound <= 0) continue;
    double* T = T_.data() + disc.row;
    double motion[2] = {0, 0}, updated[2] = {0, 0};
    for (int j = 0; j < disc.dim; ++j) {
      motion[j] = a[disc.row + j] + active.W.dot(disc.row + j, T_.data());
      for (int l = 0; l < disc.dim; ++l) motion[j] -= disc.block[2 * j + l] * T[l];
    }
    if (disc.dim == 1)
      updated[0] = solve_disc(disc.block[0], motion[0], disc.bound);
    else
      solve_disc(disc.block, motion, disc.bound, updated);
    for (int j = 0; j < disc.dim; ++j) {
      const double change = std::abs(updated[j] - T[j]);
      if (change > kRounding * disc.bound) largest = std::max(largest, change * disc.block[3 * j]);
      T[j] = updated[j];
    }
  }
  return largest;
}

double LzbTresca::objective(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a,
                            const Vector& T) {
  double sum = 0;
  for (const LzbDisc& disc : discs)
    for (int j = disc.row; j < disc.row + disc.dim; ++j) sum += T[j] * (a[j] + 0.5 * active.W.dot(j, T.data()));
  return sum;
}

// W_hh step = -(W T + a)_h over the rows of contacts that hold, by conjugate gradients preconditioned by the diagonal:
// where W_hh is singular the right side lies in its range. The step is clipped to the discs and taken if it helps.
void LzbTresca::solve_held(const LzbActive& active, const std::vector<LzbDisc>& discs, const double* a) {
  held_.clear();
  scale_.clear();
  for (const LzbDisc& disc : discs)
    for (int j = 0; j < disc.dim && norm(T_.data() + disc.row, disc.dim) < kHeld * disc.bound; ++j) {
      held_.push_back(disc.row + j);
      scale_.push_back(disc.block[3 * j]);
    }
  const int count = static_cast<int>(held_.size());
  search_.setZero();
  step_.setZero();
  double first = 0, before = 1;
  for (int row : held_) residual_[row] = -a[row] - active.W.dot(row, T_.data());
  for (int iteration = 0; iteration < 2 * count + 5; ++iteration) {
    double now = 0;
    for (int k = 0; k < count; ++k) now += residual_[held_[k]] * residual_[held_[k]] / scale_[k];
    if (iteration == 0) first = now;
    if (!(now > 1e-30 * first)) break;
    for (int k = 0; k < count; ++k)
      search_[held_[k]] = residual_[held_[k]] / scale_[k] + (iteration == 0 ? 0.0 : now / before) * search_[held_[k]];
    double curvature = 0;
    for (int row : held_) {
      product_[row] = active.W.dot(row, search_.data());
      curvature += search_[row] * product_[row];
    }
    if (!(curvature > 0)) break;
    for (int row : held_) {
      step_[row] += now / curvature * search_[row];
      residual_[row] -= now / curvature * product_[row];
    }
    before = now;
  }
  const double present = objective(active, discs, a, T_);
  for (double share = 1; share > 0.2; share *= 0.5) {
    trial_ = T_ + share * step_;
    for (const LzbDisc& disc : discs) clip(disc, trial_.data() + disc.row);
    if (objective(active, discs, a, trial_) >= present) continue;
    T_ = trial_;
    return;
  }
}

}  // namespace carom
