// One step of the LZB integration: stages, clocks, error.
#include <algorithm>

#include "engine/impact/lzb_integrator.h"

namespace carom {

namespace dp = dormand_prince;

namespace {

// x = y^m makes K x^eta smooth in y at 0 when m eta is whole.
int smoothing_power(double exponent) {
  for (int m = 1; m <= 4; ++m)
    if (std::abs(m * exponent - std::round(m * exponent)) < 1e-12) return m;
  return 3;
}

double whole_power(double y, int m) {
  double product = 1;
  for (int k = 0; k < m; ++k) product *= y;
  return product;
}

// The method's coefficients as rows: stages, then the end, then the two error estimates.
constexpr int kEndRow = dp::kStages, kE5Row = kEndRow + 1, kE3Row = kEndRow + 2;
constexpr double coefficient(int row, int j) {
  return row < dp::kStages ? dp::A[row][j] : row == kEndRow ? dp::B[j] : row == kE5Row ? dp::E5[j] : dp::E3[j];
}

// sum_j coefficient(row, j) k_j, zeros left out when compiled.
template <int Row, int J = 0>
inline void accumulate(const double* k, int stride, double& sum) {
  if constexpr (J < dp::kStages) {
    if constexpr (coefficient(Row, J) != 0) sum += coefficient(Row, J) * k[J * stride];
    accumulate<Row, J + 1>(k, stride, sum);
  }
}

// y + h sum_j coefficient(row, j) k_j
template <int Row>
void combine(const double* y, double h, const double* k, int length, double* out) {
  for (int i = 0; i < length; ++i) {
    double sum = 0;
    accumulate<Row>(k + i, length, sum);
    out[i] = y[i] + h * sum;
  }
}

template <std::size_t... Row>
constexpr auto combine_table(std::index_sequence<Row...>) {
  return std::array{&combine<static_cast<int>(Row)>...};
}
constexpr auto kCombine = combine_table(std::make_index_sequence<dp::kStages + 1>());

}  // namespace

void LzbIntegrator::size_arrays() {
  n_ = active_.count();
  rows_ = active_.rows();
  length_ = rows_ + n_ + 2;
  for (Vector* v : {&y0_, &y1_, &stage_}) v->resize(length_);
  k_.resize((dp::kStages + 2) * length_);
  for (Vector* v :
       {&u0_, &u_, &acceleration0_, &acceleration_, &weight_p_, &row_force_, &friction_guess_, &base_, &zero_})
    v->resize(rows_);
  friction_guess_.setZero();
  zero_.setZero();
  for (Vector* v : {&rate_, &least_rate_, &N0_, &N_, &weight_x_, &turn_x_, &mended_x_, &stiffness_, &static_force_})
    v->resize(n_);
  exponent_ = n_ > 0 ? contact(0).spring.exponent : 1;
  for (int a = 0; a < n_; ++a) {
    const LzbSpring& spring = contact(a).spring;
    stiffness_[a] = spring.stiffness;
    static_force_[a] = spring.static_force;
    if (spring.exponent != exponent_) exponent_ = 0;
  }
}

// Loads the state: the step's start, its derivative and the weights of its errors.
void LzbIntegrator::begin_step() {
  y0_.setZero();
  for (int r = 0; r < rows_; ++r) u0_[r] = state_->u[active_.row[r]];
  for (int a = 0; a < n_; ++a) {
    const LzbContact& c = contact(a);
    y0_[rows_ + a] = c.x;
    set_rate(a);
    weight_p_[a] = c.spring.W_nn;
    // An error in x shifts the contact's own oscillation: as a speed, omega dx with the frequency that the contact
    // will have reached when its approach is spent.
    const double ahead = c.x + std::abs(u0_[a]) * c.spring.natural_length;
    weight_x_[a] = std::sqrt(c.spring.W_nn * c.spring.slope(ahead));
  }
  friction_.load(*state_, active_);
  for (const LzbFriction::Contact& c : friction_.contacts())
    for (int j = 0; j < c.dim; ++j) weight_p_[c.row + j] = weight_p_[c.local];
  friction_.follow(active_, u0_.data(), state_->quiet);
  double* k = k_.data() + kStart * length_;
  evaluate(y0_.data(), k);
  accelerations(k, acceleration0_.data());
  N0_ = N_;
}

void LzbIntegrator::set_rate(int a) {
  const LzbContact& c = contact(a);
  const bool slow_release = c.phase == LzbPhase::Expansion && state_->model == LzbModel::BiStiffness;
  rate_[a] = slow_release ? 1 / c.spring.e_squared : 1.0;
  // An open contact has x = 0 until it approaches.
  least_rate_[a] = c.phase == LzbPhase::Open ? 0.0 : -std::numeric_limits<double>::infinity();
}

// N = K x^eta
void LzbIntegrator::find_normal_forces(const double* x) {
  if (exponent_ == 1.5) {
    for (int a = 0; a < n_; ++a) {
      const double depth = std::max(0.0, x[a]);
      N_[a] = stiffness_[a] * depth * std::sqrt(depth);
    }
  } else if (exponent_ == 1) {
    for (int a = 0; a < n_; ++a) N_[a] = stiffness_[a] * std::max(0.0, x[a]);
  } else {
    for (int a = 0; a < n_; ++a) N_[a] = contact(a).spring.force(x[a]);
  }
}

// k = dy/dt, with u and N where y is.
void LzbIntegrator::evaluate(const double* y, double* k) {
  active_.W.multiply(y, u0_.data(), u_.data());
  find_normal_forces(y + rows_);
  double power = 0;
  for (int a = 0; a < n_; ++a) {
    k[a] = N_[a] - static_force_[a];
    power += static_force_[a] * u_[a];
  }
  for (int a = 0; a < n_; ++a) k[rows_ + a] = std::max(least_rate_[a], -rate_[a] * u_[a]);
  if (!friction_.empty()) power += friction_.add_forces(active_, u_.data(), N_.data(), state_->quiet, k);
  k[rows_ + n_] = power;
  k[rows_ + n_ + 1] = 1;
}

// du/dt = W k
void LzbIntegrator::accelerations(const double* k, double* acceleration) const {
  active_.W.multiply(k, zero_.data(), acceleration);
}

// Evaluates at `y` and returns dt/d(clock), with clocks that run from 0 to 1; k stays dy/dt.
double LzbIntegrator::clock_factor(const LzbClock& clock, double node, double* y, double* k) {
  if (clock.kind == LzbClock::Kind::Time) {
    evaluate(y, k);
    return 1;
  }
  if (clock.kind == LzbClock::Kind::Velocity) {
    evaluate(y, k);
    // u_row falls to 0 linearly in the clock: du/dclock = -u_0.
    return -u0_[clock.row] / active_.W.dot(clock.row, k);
  }
  double& x = y[rows_ + clock.contact];
  const double x_start = y0_[rows_ + clock.contact];
  double dx = clock.target - x_start;  // dx/dclock
  if (clock.target > 0) {
    x = x_start + node * dx;
  } else {
    const int m = smoothing_power(contact(clock.contact).spring.exponent);
    const double y_start = m == 1 ? x_start : std::pow(x_start, 1.0 / m);
    const double root = y_start * (1 - node);
    x = whole_power(root, m);
    dx = -m * y_start * whole_power(root, m - 1);
  }
  evaluate(y, k);
  return dx / k[rows_ + clock.contact];
}

LzbIntegrator::Attempt LzbIntegrator::attempt(const LzbClock& clock, double h) {
  Attempt result;
  const bool by_time = clock.kind == LzbClock::Kind::Time;
  const double step = by_time ? h : 1.0;
  if (by_time) k_.head(length_) = k_.segment(kStart * length_, length_);
  for (int s = by_time ? 1 : 0; s < dp::kStages; ++s) {
    kCombine[s](y0_.data(), step, k_.data(), length_, stage_.data());
    auto k = k_.segment(s * length_, length_);
    const double factor = clock_factor(clock, dp::C[s], stage_.data(), k.data());
    if (!(factor >= 0) || !std::isfinite(factor)) return result;
    if (!by_time) k *= factor;
  }
  kCombine[kEndRow](y0_.data(), step, k_.data(), length_, y1_.data());
  if (clock.kind == LzbClock::Kind::Indentation) y1_[rows_ + clock.contact] = clock.target;
  if (!y1_.allFinite()) return result;
  result.sound = true;
  result.dt = y1_[rows_ + n_ + 1];
  result.error = estimate_error(step);
  if (result.error <= 1) {
    double* k = k_.data() + kEnd * length_;
    evaluate(y1_.data(), k);
    accelerations(k, acceleration_.data());
  }
  return result;
}

// The largest error over impulses and indentations, as velocities relative to the tolerance.
double LzbIntegrator::estimate_error(double h) const {
  double worst = 0;
  for (int i = 0; i < rows_ + n_; ++i) {
    double e5 = 0, e3 = 0;
    accumulate<kE5Row>(k_.data() + i, length_, e5);
    accumulate<kE3Row>(k_.data() + i, length_, e3);
    if (e5 == 0) continue;
    e5 = std::abs(e5);
    // Of order 8 where the solution is smooth and e5 far below e3; at singular ends of forces the two are alike, and
    // the error can be a multiple of e5.
    const double error = std::min(10 * e5, 10 * e5 * e5 / std::abs(e3));
    const double weight = i < rows_ ? weight_p_[i] : weight_x_[i - rows_];
    worst = std::max(worst, weight * error);
  }
  return std::abs(h) * worst / limits_.local_tolerance;
}

}  // namespace carom
