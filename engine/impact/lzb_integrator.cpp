#include "engine/impact/lzb_integrator.h"

#include <algorithm>

#include "engine/impact/lzb_events.h"

namespace carom {

namespace {

constexpr int kMaxTries = 200;        // attempts at one step
constexpr int kMaxClockChanges = 4;   // before the step is halved instead
constexpr double kSmallShare = 1e-5;  // corrections of energy are smaller than this, relatively
constexpr double kGrowth = 8;         // of the step at most
constexpr double kSoftening = 4;      // of a contact that chatters, each time: half the frequency
constexpr int kNextSoftening = 4;     // it takes a fourth of the phases that the first one took

}  // namespace

ImpactStatus LzbIntegrator::run(LzbState& state, const LzbLimits& limits, const std::function<void()>& sampled) {
  state_ = &state;
  limits_ = limits;
  locked_ = false;
  smooth_pause_ = last_pause_ = 0;
  active_.start(state);
  size_arrays();
  h_ = 0.1;
  for (int a = 0; a < n_; ++a) {
    h_ = std::min(h_, 0.1 * contact(a).spring.natural_length);
    if (contact(a).phase == LzbPhase::Compression) begin_compression(a);
  }
  h_implicit_ = 0.1 * h_;
  for (;;) {
    if (active_.outdated(state)) {
      active_.rebuild(state);
      size_arrays();
    }
    if (finished()) return ImpactStatus::Done;
    if (state.substeps >= limits.max_substeps) return ImpactStatus::EventLimit;
    if (!advance()) return ImpactStatus::NumericalError;
    if (sampled) sampled();
  }
}

// Nothing moves any more; or what moves only vibrates about a static load, or leaves it; or bodies have come to rest
// between contacts that hold each other, whose springs nothing can unload.
bool LzbIntegrator::finished() const {
  if (locked_) return true;
  for (int a = 0; a < n_; ++a) {
    if (!active_.moves(*state_, active_.contact[a])) continue;
    const LzbContact& c = contact(a);
    if (c.spring.static_force == 0) return false;
    const double u_n = state_->u[active_.row[a]], depth = (c.x - c.spring.static_x) / c.spring.natural_length;
    const bool loud = std::abs(u_n) > limits_.rest || std::abs(depth) > limits_.rest;
    if (loud && (u_n < -state_->quiet || depth > state_->quiet)) return false;
  }
  return true;
}

bool LzbIntegrator::advance() {
  begin_step();
  bool smooth = friction_is_smooth();
  if (smooth && advance_smoothly(smooth)) {
    last_pause_ /= 2;
    return true;
  }
  if (smooth && friction_.empty()) return false;
  if (smooth) pause_smooth_steps();
  return advance_implicitly();
}

// `smooth` becomes false where friction turns out to be in the way.
bool LzbIntegrator::advance_smoothly(bool& smooth) {
  if (limits_.longest_step > 0) h_ = std::min(h_, limits_.longest_step);
  double h = h_;
  LzbClock clock = predict(h);
  int clock_changes = 0;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const Attempt trial = attempt(clock, h);
    const bool by_time = clock.kind == LzbClock::Kind::Time;
    if (!trial.sound || trial.error > 1) {
      const double tried = by_time || !trial.sound ? h : trial.dt;
      h = tried * (trial.sound ? std::max(0.2, 0.9 * std::pow(trial.error, -1.0 / dormand_prince::kOrder)) : 0.5);
      if (by_time) h_ = h;
      clock = {};
      if (h < kSmallestStep) return false;
      continue;
    }
    if (active_.grows(*state_, y1_.data())) {
      size_arrays();
      begin_step();
      if (!friction_is_smooth()) return smooth = false;
      clock = predict(h);
      continue;
    }
    Event event = first_event(clock, trial.dt);
    if (const Event slip = slip_event(); slip.fraction < event.fraction) event = slip;
    if (event.kind == Event::Kind::SlipUnsure) {
      pause_smooth_steps();
      return smooth = false;
    }
    if (event.kind == Event::Kind::None || trial.dt < kSmallestStep) {
      choose_next_step(trial, by_time);
      commit(clock, trial);
      return true;
    }
    if (event.at_once && ++clock_changes <= kMaxClockChanges) {
      correct_start(event);
      begin_step();
      clock = predict(h);
    } else if (++clock_changes <= kMaxClockChanges) {
      clock = clock_of(event);
    } else {
      h = trial.dt * std::max(0.1, 0.5 * event.fraction);
      clock = {};
      clock_changes = 0;
    }
  }
  return false;
}

// The step that would just meet the tolerance; one that was kept short for an event says little about it.
void LzbIntegrator::choose_next_step(const Attempt& trial, bool by_time) {
  const double best = trial.dt * 0.9 * std::pow(trial.error, -1.0 / dormand_prince::kOrder);
  if (best > h_)
    h_ = std::min(best, std::max(h_, kGrowth * trial.dt));
  else if (by_time)
    h_ = best;
}

void LzbIntegrator::commit(const LzbClock& clock, const Attempt& trial) {
  const Cones& cones = state_->problem->cones;
  state_->time += trial.dt;
  ++state_->substeps;
  state_->work += n_;
  mend_turns();
  book_energy(trial.dt);
  return_to_impulses();
  if (!friction_.empty()) exchange_impulses(trial.dt);
  for (int a = 0; a < n_; ++a) {
    const int i = active_.contact[a];
    double impulse[3] = {y1_[a], 0, 0};
    for (int k = 1; active_.tangent[a] >= 0 && k < cones.dim(i); ++k) impulse[k] = y1_[active_.tangent[a] + k - 1];
    contact(a).x = std::max(0.0, y1_[rows_ + a]);
    if (impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0) continue;
    for (int k = 0; k < cones.dim(i); ++k) state_->p[cones.offset(i) + k] += impulse[k];
    add_impulse(*state_, i, impulse);
  }
  // The clock's velocity is 0 but for rounding, which a fast release would feel.
  if (clock.kind == LzbClock::Kind::Velocity) u_[clock.row] = state_->u[active_.row[clock.row]] = 0;
  for (int r = 0; r < rows_; ++r) row_force_[r] = r < n_ ? N_[r] : k_[kEnd * length_ + r];
  locked_ = at_rest();
  change_phases();
  if (!friction_.empty()) {
    // A mono-stiffness contact that has let go under load holds nothing any more.
    for (int a = 0; a < n_; ++a)
      if (contact(a).phase == LzbPhase::Open) N_[a] = 0;
    friction_.read_modes(active_, u_.data(), N_.data(), k_.data() + kEnd * length_, state_->quiet);
    friction_.save(*state_, active_);
  }
  return_to_springs();
}

// Neither speeds of loaded contacts nor what forces would make of them in a natural time reach the quiet speed.
bool LzbIntegrator::at_rest() const {
  const Cones& cones = state_->problem->cones;
  for (int a = 0; a < n_; ++a) {
    if (N_[a] <= 0 && u_[a] > state_->quiet) continue;
    const double time = contact(a).spring.natural_length;
    const auto quiet = [&](int row) {
      return std::abs(u_[row]) <= state_->quiet && std::abs(acceleration_[row]) * time <= state_->quiet;
    };
    if (!quiet(a)) return false;
    for (int k = 1; active_.tangent[a] >= 0 && k < cones.dim(active_.contact[a]); ++k)
      if (!quiet(active_.tangent[a] + k - 1)) return false;
  }
  return true;
}

// Indentations of contacts that turned inside the step.
void LzbIntegrator::mend_turns() {
  for (int a = 0; a < n_; ++a) {
    if (turn_x_[a] < 0) continue;
    y1_[rows_ + a] = mended_x_[a];
    N_[a] = contact(a).spring.force(mended_x_[a]);
  }
}

// kinetic + potential + dissipated - initial, and what each contact has absorbed.
void LzbIntegrator::book_energy(double dt) {
  double gain = y1_[rows_ + n_];  // taken by friction and static loads
  for (int r = 0; r < rows_; ++r) gain += 0.5 * y1_[r] * (u0_[r] + u_[r]);
  for (int a = 0; a < n_; ++a) {
    LzbContact& c = contact(a);
    const double before = N0_[a] * y0_[rows_ + a] / (c.spring.exponent + 1);
    const double after = N_[a] * std::max(0.0, y1_[rows_ + a]) / (c.spring.exponent + 1);
    const double turn = turn_x_[a] < 0 ? -1 : c.spring.energy(turn_x_[a]);
    gain += after - before;
    // Expansion dissipates (1 - e^2) of the energy it releases.
    double released = 0;
    if (c.phase == LzbPhase::Expansion) released = before - (turn < 0 ? after : turn);
    if (c.phase == LzbPhase::Compression && turn >= 0) released = turn - after;
    if (state_->model == LzbModel::BiStiffness) gain += (1 - c.spring.e_squared) * released;
    if (c.phase != LzbPhase::Expansion) c.absorbed += after - before;
    record_peak(a, dt);
  }
  state_->imbalance += gain;
}

void LzbIntegrator::record_peak(int a, double dt) {
  if (N_[a] == 0 && N0_[a] == 0) return;
  // The indentation where u changes sign; else at the end.
  double x = y1_[rows_ + a], s = 1;
  if (u0_[a] < 0 && u_[a] > kUSlack) {
    const LzbCubic u = velocity_curve(a, dt);
    s = u.first_root();
    x = y0_[rows_ + a] - rate_[a] * dt * u.integral(0, s);
  }
  LzbRecord& record = contact(a).record;
  const double force = contact(a).spring.force(x) * state_->scales.force();
  if (force <= record.peak_force) return;
  record.peak_force = force;
  record.peak_time = (state_->time - (1 - s) * dt) * state_->scales.time;
}

void LzbIntegrator::change_phases() {
  for (int a = 0; a < n_; ++a) {
    LzbContact& c = contact(a);
    const double u = u_[a], acceleration = acceleration_[a], slack = kXSlack * c.spring.natural_length;
    const double u_slack = c.spring.u_slack;
    const bool opens = u > u_slack || (u >= -u_slack && acceleration > 0);
    const bool closes = u < -u_slack || (u <= u_slack && acceleration < 0);
    switch (c.phase) {
      case LzbPhase::Open:
        if (u < 0 || c.x > 0) begin_compression(a);
        break;
      case LzbPhase::Compression:
        if (!c.spring.turns_matter) {
          if (c.x <= slack && opens)
            open(a);
          else if (u0_[a] > 0 && u <= 0 && c.x > slack)
            ++c.record.compressions, ++state_->compressions;
        } else if (opens) {
          begin_expansion(a);
        }
        break;
      case LzbPhase::Expansion:
        if (c.x <= c.release + slack && opens)
          open(a);
        else if (closes)
          begin_compression(a);
        break;
    }
  }
}

void LzbIntegrator::begin_compression(int a) {
  LzbContact& c = contact(a);
  if (c.phase == LzbPhase::Open) c.absorbed = c.spring.energy(c.x);
  if (c.phase == LzbPhase::Expansion) h_ = std::max(h_, c.step_before_turn);
  c.phase = LzbPhase::Compression;
  ++c.record.compressions;
  ++state_->compressions;
  if (c.record.first_touch < 0) c.record.first_touch = state_->time * state_->scales.time;
  if (limits_.chatter > 0 && ++c.chatter >= limits_.chatter && c.spring.static_force == 0) soften_chattering(a);
}

// A contact with e < 1 that soft ones press together vibrates, and does not come to rest: expansion dissipates, but by
// bringing the bodies closer. What it adds to the motion is its small speed of approach, which a softer spring makes
// larger and still small; cycles so become as few as their logarithm.
void LzbIntegrator::soften_chattering(int a) {
  LzbContact& c = contact(a);
  if (c.softenings++ == 0) ++state_->softened;
  state_->chatter_speed = std::max(state_->chatter_speed, std::sqrt(2 * c.spring.W_nn * c.turn_energy));
  soften(c, kSoftening);
  c.chatter = limits_.chatter - std::max(1, limits_.chatter / kNextSoftening);
  stiffness_[a] = c.spring.stiffness;
  N_[a] = c.spring.force(c.x);
}

void LzbIntegrator::begin_expansion(int a) {
  LzbContact& c = contact(a);
  const LzbSpring& spring = c.spring;
  c.phase = LzbPhase::Expansion;
  c.release = 0;
  c.step_before_turn = h_;
  c.turn_energy = c.spring.energy(c.x);
  if (state_->model == LzbModel::BiStiffness)
    h_ *= std::sqrt(spring.e_squared);  // time runs faster by 1/e
  else
    c.release = mono_release(c);
  if (c.x <= c.release + kXSlack * spring.natural_length) open(a);
}

void LzbIntegrator::open(int a) {
  LzbContact& c = contact(a);
  if (c.phase == LzbPhase::Expansion) h_ = std::max(h_, c.step_before_turn);
  c.phase = LzbPhase::Open;
  c.x = 0;
  c.mode = LzbMode::Unsure;
  c.record.last_separation = state_->time * state_->scales.time;
}

// Tangential impulses of redundant contacts go where their cones allow.
void LzbIntegrator::exchange_impulses(double dt) {
  for (int a = 0; a < n_; ++a) N0_[a] = y1_[a] + static_force_[a] * dt;
  friction_.exchange(active_, N0_.data(), y1_.data());
}

// What the balance lacks goes into the springs, in proportion to what they hold, while they hold far more than it.
void LzbIntegrator::return_to_springs() {
  double held = 0;
  for (int a = 0; a < n_; ++a) held += contact(a).spring.energy(contact(a).x);
  if (std::abs(state_->imbalance) > kSmallShare * held) return;
  const double share = state_->imbalance / held;
  for (int a = 0; a < n_; ++a) {
    LzbContact& c = contact(a);
    c.absorbed -= share * c.spring.energy(c.x);
    c.x *= 1 - share / (c.spring.exponent + 1);
  }
  state_->imbalance = 0;
}

// Where the springs are nearly spent, the step's own impulses are scaled instead: d(kinetic energy) = dp . u.
void LzbIntegrator::return_to_impulses() {
  double held = 0, power = 0;
  for (int a = 0; a < n_; ++a) held += N_[a] * std::max(0.0, y1_[rows_ + a]);
  for (int r = 0; r < rows_; ++r) power += y1_[r] * u_[r];
  const double lack = std::abs(state_->imbalance);
  if (lack <= kSmallShare * held || lack > kSmallShare * power) return;
  y1_.head(rows_) *= 1 - state_->imbalance / power;
  active_.W.multiply(y1_.data(), u0_.data(), u_.data());
  state_->imbalance = 0;
}

}  // namespace carom
