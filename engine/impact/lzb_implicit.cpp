// Steps of the LZB integration through whatever friction does: contacts that begin or cease to slide, one after the
// other or all at once, redundant or not, and slow sliding in space.
//
// Indentations follow the explicit table, so that N_s is known at each stage; impulses follow the implicit one, so that
// a stage's velocity and tangential force obey Coulomb's law together, which is Tresca's problem:
//
//     u_s = u + W (h sum_{j<s} I_sj F_j + h gamma F_s),    F_s = (N(x_s), T_s)
//
// Nothing has to be known or located beforehand, and the last stage, which is the step's end, sticks exactly where it
// sticks. Where a contact changes its mode inside a step the error is of second order in h: steps become short there,
// but never shorter than least_step(), at which that error lies below rounding. So the number of steps is bounded by
// the duration of the impact.
#include <algorithm>

#include "engine/impact/lzb_events.h"
#include "engine/impact/lzb_integrator.h"
#include "engine/impact/lzb_tableau.h"

namespace carom {

namespace ark = additive_pair;

namespace {

constexpr int kMaxTries = 200;        // attempts at one step
constexpr int kMaxCorrections = 8;    // of phases at its start
constexpr double kLeastStep = 1e-7;   // of the shortest natural time
constexpr double kLongestStep = 1;    // of the shortest natural time
constexpr double kFirstStage = 1e-6;  // of the step: forces at its start are those of so short a step
constexpr double kAtTurn = 10;        // |u_n| of a contact at its turn, of its slack
constexpr double kStill = 1e-13;      // |u_t| that counts as none, of the impact's speed
constexpr double kStiff = 3;          // step times rate of turning beyond which explicit steps are short for stability
constexpr int kLongestPause = 64;     // steps

// Very short steps would answer rounding errors of u_t with forces.
double without_noise(double u) { return std::abs(u) <= kStill ? 0.0 : u; }

}  // namespace

// A contact that is loaded, or about to be, is not known to slide or to stick, or its direction of sliding turns faster
// than smooth steps like: at the rate mu N W_tt / |u_t|.
bool LzbIntegrator::friction_is_smooth() const {
  for (const LzbFriction::Contact& c : friction_.contacts()) {
    const double N = N0_[c.local];
    if (N <= 0 && u0_[c.local] >= 0) continue;
    if (c.mode == LzbMode::Unsure || smooth_pause_ > 0) return false;
    if (c.dim == 2 && c.mode == LzbMode::Slides &&
        c.mu * N * std::max(c.block[0], c.block[3]) * h_implicit_ > kStiff * friction_.slip_speed(c, u0_.data()))
      return false;
  }
  return true;
}

// A smooth step met what it cannot follow; the next ones would probably as well.
void LzbIntegrator::pause_smooth_steps() {
  last_pause_ = std::clamp(2 * last_pause_, 1, kLongestPause);
  smooth_pause_ = last_pause_;
}

double LzbIntegrator::least_step() const {
  double least = 1;
  for (int a = 0; a < n_; ++a) {
    const LzbSpring& spring = contact(a).spring;
    if (N0_[a] <= 0 && u0_[a] >= 0) continue;
    least = std::min(least, spring.natural_length / std::sqrt(rate_[a]));
  }
  return kLeastStep * least;
}

bool LzbIntegrator::advance_implicitly() {
  if (smooth_pause_ > 0) --smooth_pause_;
  if (limits_.longest_step > 0) h_implicit_ = std::min(h_implicit_, limits_.longest_step);
  double h = std::min(h_implicit_, kLongestStep / kLeastStep * least_step());
  int corrections = 0;
  bool at_event = false;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const double least = least_step();
    const Attempt trial = attempt_implicitly(h);
    if (!trial.sound) {
      if (h < least) return false;
      h *= 0.01;
      continue;
    }
    const double best = h * 0.9 * std::pow(trial.error + 1e-30, -1.0 / ark::kOrder);
    if (trial.error > 1 && h > least) {
      h = h_implicit_ = std::max({least, 0.1 * h, best});
      at_event = false;
      continue;
    }
    if (active_.grows(*state_, y1_.data())) {
      size_arrays();
      begin_step();
      continue;
    }
    const Event event = first_event({}, trial.dt);
    LzbClock reached;
    if (event.kind == Event::Kind::Turn &&
        std::abs(u_[event.contact]) <= kAtTurn * contact(event.contact).spring.u_slack) {
      reached = clock_of(event);
    } else if (event.kind != Event::Kind::None && trial.dt > kSmallestStep) {
      if (event.at_once && ++corrections <= kMaxCorrections) {
        correct_start(event);
        begin_step();
      } else {
        h *= std::clamp(event.fraction, 1e-6, 0.999);
        at_event = true;
      }
      continue;
    }
    // A step that was kept short for an event says little about the next one.
    if (best > h_implicit_ || !at_event)
      h_implicit_ = std::max(least, std::min(best, std::max(at_event ? h_implicit_ : 0.0, 8 * h)));
    commit(reached, trial);
    return true;
  }
  return false;
}

// x = x_0 + h sum b x', p = h sum b p' and so on; k_ holds dy/dt of the stages.
LzbIntegrator::Attempt LzbIntegrator::attempt_implicitly(double h) {
  Attempt result;
  first_stage(h);
  for (int s = 1; s < ark::kStages; ++s) implicit_stage(s, h);
  for (int r = 0; r < rows_; ++r) y1_[r] = stage_[r];
  for (int i = rows_; i < length_; ++i) {
    double sum = 0;
    for (int j = 0; j < ark::kStages; ++j) sum += ark::B[j] * k_[j * length_ + i];
    y1_[i] = y0_[i] + h * sum;
  }
  if (!y1_.allFinite()) return result;
  result.sound = true;
  result.dt = h;
  for (int i = 0; i < rows_ + n_; ++i) {
    double error = 0;
    for (int j = 0; j < ark::kStages; ++j) error += (ark::B[j] - ark::kThird[j]) * k_[j * length_ + i];
    const double weight = i < rows_ ? weight_p_[i] : weight_x_[i - rows_];
    result.error = std::max(result.error, h * std::abs(error) * weight / limits_.local_tolerance);
  }
  // The end's own forces: normal ones at its indentation, tangential ones of the last stage.
  double* k = k_.data() + kEnd * length_;
  std::copy_n(k_.data() + (ark::kStages - 1) * length_, length_, k);
  find_normal_forces(y1_.data() + rows_);
  for (int a = 0; a < n_; ++a) k[a] = N_[a] - static_force_[a];
  accelerations(k, acceleration_.data());
  return result;
}

// Forces at the start: those of a very short implicit step, or of sticking where nothing slides.
void LzbIntegrator::first_stage(double h) {
  const double step = kFirstStage * h;
  double* k = k_.data();
  std::copy_n(k_.data() + kStart * length_, length_, k);
  std::copy_n(y0_.data(), length_, stage_.data());
  for (int r = 0; r < n_; ++r) stage_[r] = step * k[r];
  for (int r = n_; r < rows_; ++r) stage_[r] = 0;
  for (int r = n_; r < rows_; ++r) {
    base_[r] = without_noise(u0_[r]) + active_.W.dot(r, stage_.data());
    k[r] = friction_guess_[r];
  }
  friction_.solve_stage(active_, base_.data(), step, N0_.data(), k);
  friction_guess_.segment(n_, rows_ - n_) = k_.segment(n_, rows_ - n_);
  double power = 0;
  for (int a = 0; a < n_; ++a) power += static_force_[a] * u0_[a];
  for (int r = n_; r < rows_; ++r) power -= k[r] * u0_[r];
  k[rows_ + n_] = power;
}

void LzbIntegrator::implicit_stage(int s, double h) {
  double* k = k_.data() + s * length_;
  const auto sum = [&](const double* weights, int i) {
    double value = 0;
    for (int j = 0; j < s; ++j) value += weights[j] * k_[j * length_ + i];
    return h * value;
  };
  for (int i = rows_; i < rows_ + n_; ++i) stage_[i] = y0_[i] + sum(ark::E[s], i);
  find_normal_forces(stage_.data() + rows_);
  for (int a = 0; a < n_; ++a) k[a] = N_[a] - static_force_[a];
  for (int r = 0; r < rows_; ++r) stage_[r] = sum(ark::I[s], r) + (r < n_ ? h * ark::kGamma * k[r] : 0.0);
  for (int r = n_; r < rows_; ++r) {
    base_[r] = without_noise(u0_[r]) + active_.W.dot(r, stage_.data());
    k[r] = k_[(s - 1) * length_ + r];
  }
  friction_.solve_stage(active_, base_.data(), h * ark::kGamma, N_.data(), k);
  for (int r = n_; r < rows_; ++r) stage_[r] += h * ark::kGamma * k[r];
  active_.W.multiply(stage_.data(), u0_.data(), u_.data());
  double power = 0;
  for (int a = 0; a < n_; ++a) {
    k[rows_ + a] = std::max(least_rate_[a], -rate_[a] * u_[a]);
    power += static_force_[a] * u_[a];
  }
  for (int r = n_; r < rows_; ++r) power -= k[r] * u_[r];
  k[rows_ + n_] = power;
  k[rows_ + n_ + 1] = 1;
}

}  // namespace carom
