// Where a step of the LZB integration must end: turns of the normal velocity, loss of contact, stops and starts of
// sliding. Prediction before the step saves most of the steps that detection after it would throw away.
#include "engine/impact/lzb_events.h"

#include <algorithm>

#include "engine/impact/lzb_integrator.h"

namespace carom {

namespace {

// The least tau > 0 with distance - speed tau - acceleration tau^2 / 2 = 0; infinite when there is none.
double time_to_fall(double distance, double speed, double acceleration) {
  const double discriminant = speed * speed + 2 * acceleration * distance;
  if (discriminant < 0) return std::numeric_limits<double>::infinity();
  const double denominator = speed + std::sqrt(discriminant);
  return denominator > 0 ? 2 * distance / denominator : std::numeric_limits<double>::infinity();
}

}  // namespace

double LzbIntegrator::expansion_stop(int a) const {
  const LzbContact& c = contact(a);
  const double x = y0_[rows_ + a];
  // Passing the static indentation may end the impact: see finished().
  return x > c.spring.static_x * (1 + kXSlack) ? std::max(c.release, c.spring.static_x) : c.release;
}

// How far past an event a step may go before its harm (see harmless()) is half the tolerance, in time.
double LzbIntegrator::grace(const Event& event, double h) const {
  const LzbContact& c = contact(event.contact);
  const LzbSpring& spring = c.spring;
  const double tolerance = 0.5 * limits_.local_tolerance / spring.W_nn;
  if (state_->model == LzbModel::MonoStiffness || spring.static_force > 0) return 0;
  if (event.kind == Event::Kind::Release)  // K (speed t)^eta h = tolerance
    return std::pow(tolerance / (spring.stiffness * h), 1 / spring.exponent) /
           (rate_[event.contact] * u0_[event.contact]);
  // x is off by change of rate * acceleration * t^2 / 2, and slope * that * t / 3 = tolerance.
  const double rates = c.phase == LzbPhase::Open ? 1.0 : 1 / spring.e_squared - 1;
  const double jerk = spring.slope(y0_[rows_ + event.contact]) * rates * std::abs(acceleration0_[event.contact]);
  return std::cbrt(6 * tolerance / jerk);
}

// The clock of the next step, and its length h where that clock is time: an event that falls into the step gets a step
// of its own, or a step that goes past it as far as it may, whichever is longer by much.
LzbClock LzbIntegrator::predict(double& h) const {
  Event first;
  double soonest = 1.5 * h, allowed = 1.5 * h;
  const auto consider = [&](double tau, const Event& event) {
    if (!(tau < soonest) && !(tau < allowed)) return;
    const double end = tau + (event.kind == Event::Kind::SlipStop ? 0.0 : grace(event, h));
    if (end >= h) return;
    allowed = std::min(allowed, end);
    if (tau >= soonest) return;
    soonest = tau;
    first = event;
  };
  for (int a = 0; a < n_; ++a) {
    const LzbContact& c = contact(a);
    const double u = u0_[a], acceleration = acceleration0_[a];
    const bool open = c.phase == LzbPhase::Open;
    if ((open ? u > 0 : c.spring.turns_matter) && std::abs(u) > c.spring.u_slack && u * acceleration < 0)
      consider(-u / acceleration, {.kind = Event::Kind::Turn, .contact = a});
    if (open || u <= c.spring.u_slack) continue;
    const double distance = y0_[rows_ + a] - expansion_stop(a);
    if (distance > kXSlack * c.spring.natural_length)
      consider(time_to_fall(distance, rate_[a] * u, rate_[a] * acceleration),
               {.kind = Event::Kind::Release, .contact = a});
  }
  for (int f = 0; f < friction_.count(); ++f) {
    const LzbFriction::Contact& c = friction_.contacts()[f];
    const double slip = friction_.slip_along(c, u0_.data());
    if (c.mode != LzbMode::Slides || c.dim == 2 || N0_[c.local] <= 0 || slip <= state_->quiet) continue;
    const double braking = -friction_.slip_along(c, acceleration0_.data());
    if (braking > 0) consider(slip / braking, {.kind = Event::Kind::SlipStop, .contact = f});
  }
  if (first.kind == Event::Kind::None) return {};
  if (allowed < 1.3 * soonest) return clock_of(first);
  h = std::min(h, allowed);
  return {};
}

LzbClock LzbIntegrator::clock_of(const Event& event) const {
  LzbClock clock;
  clock.contact = event.contact;
  switch (event.kind) {
    case Event::Kind::Turn:
      clock.kind = LzbClock::Kind::Velocity;
      clock.row = event.contact;
      break;
    case Event::Kind::Release:
      clock.kind = LzbClock::Kind::Indentation;
      clock.target = expansion_stop(event.contact);
      break;
    case Event::Kind::SlipStop: {
      const LzbFriction::Contact& c = friction_.contacts()[event.contact];
      clock.kind = LzbClock::Kind::Velocity;
      clock.contact = c.local;
      clock.row = c.row;
      break;
    }
    case Event::Kind::SlipUnsure:
    case Event::Kind::None:
      break;
  }
  return clock;
}

// u_n of a contact through the step.
LzbCubic LzbIntegrator::velocity_curve(int a, double dt) const {
  return {u0_[a], dt * acceleration0_[a], u_[a], dt * acceleration_[a]};
}

LzbIntegrator::Event LzbIntegrator::contact_event(int a, double dt) const {
  const LzbContact& c = contact(a);
  const LzbCubic u = velocity_curve(a, dt);
  const double x0 = y0_[rows_ + a], x1 = y1_[rows_ + a], slack = kXSlack * c.spring.natural_length;
  Event event;
  if (c.phase == LzbPhase::Open) {
    if (u.f0 > c.spring.u_slack && (u.f1 < -c.spring.u_slack || x1 > slack))
      event = {Event::Kind::Turn, a, u.first_root(), false};
    return event;
  }
  // The sign that u has in this phase: -1 in compression, 1 in expansion.
  const double sign = c.phase == LzbPhase::Compression ? -1 : 1;
  if (c.spring.turns_matter) {
    const bool crossed = sign * u.f1 < -c.spring.u_slack;
    if (crossed && sign * u.f0 <= c.spring.u_slack) return {Event::Kind::Turn, a, 0, true};
    // Towards 0 at the start and away from it at the end: there and back in between?
    const bool returns = sign * u.f0 > 0 && sign * u.d0 < 0 && sign * u.d1 > 0;
    if (crossed || (returns && u.first_root() < 1)) event = {Event::Kind::Turn, a, u.first_root(), false};
  }
  const double stop = expansion_stop(a);
  if (x1 < stop - slack && (c.phase == LzbPhase::Expansion || !c.spring.turns_matter)) {
    if (x0 <= stop + slack) return {Event::Kind::Release, a, 0, true};
    const LzbCubic depth{x0 - stop, -dt * rate_[a] * u.f0, x1 - stop, -dt * rate_[a] * u.f1};
    if (const double fraction = depth.first_root(); event.kind == Event::Kind::None || fraction < event.fraction)
      event = {Event::Kind::Release, a, fraction, false};
  }
  return event;
}

// Whether the step may go on past an event. After a turn x runs at the wrong rate; the cubic of u tells by how much, so
// x can be mended at the end of the step, and what is left is the effect of the wrong x on forces meanwhile. Past its
// release a contact merely misses the singular end of its force.
bool LzbIntegrator::harmless(const Event& event, double dt) {
  const int a = event.contact;
  const LzbContact& c = contact(a);
  const LzbSpring& spring = c.spring;
  if (event.at_once || spring.static_force > 0) return false;
  const double x0 = y0_[rows_ + a], x1 = y1_[rows_ + a], inertia = spring.W_nn * dt / limits_.local_tolerance;
  if (event.kind == Event::Kind::Release) return c.release == 0 && inertia * spring.force(-x1) < 1;
  if (state_->model == LzbModel::MonoStiffness) return false;
  const LzbCubic u = velocity_curve(a, dt);
  if ((u.f0 > 0) == (u.f1 > 0)) return false;
  const bool was_open = c.phase == LzbPhase::Open;
  const double before = was_open ? 0.0 : rate_[a];
  const double after = c.phase == LzbPhase::Compression ? 1 / spring.e_squared : 1.0;
  const double mended = (was_open ? 0.0 : x1) + (before - after) * dt * u.integral(event.fraction, 1);
  const double shift = std::abs(mended - x1) + (was_open ? x1 : 0.0);
  const double forces = inertia * spring.slope(std::max(x0, x1) + shift) * shift * (1 - event.fraction) / 3;
  // How well the cubic integrates u over the whole step, which x knows.
  const double cubic_error =
      was_open ? 0.1 * shift : std::abs((x0 - x1) / before - dt * u.integral(0, 1)) * std::abs(after - before);
  if (forces >= 1 || weight_x_[a] * cubic_error >= limits_.local_tolerance || mended < 0) return false;
  turn_x_[a] = x0 - before * dt * u.integral(0, event.fraction);
  mended_x_[a] = mended;
  return true;
}

// The first stop of sliding in the plane; anything else that friction does inside the step is left to implicit steps.
LzbIntegrator::Event LzbIntegrator::slip_event() {
  Event first;
  bool sticks = false;
  for (int f = 0; f < friction_.count(); ++f) {
    const LzbFriction::Contact& c = friction_.contacts()[f];
    if (N0_[c.local] <= 0 && N_[c.local] <= 0) continue;
    sticks = sticks || c.mode == LzbMode::Sticks;
    if (c.mode != LzbMode::Slides) continue;
    const double slip0 = friction_.slip_along(c, u0_.data()), slip1 = friction_.slip_along(c, u_.data());
    if (slip1 >= -kUSlack) continue;
    if (c.dim == 2) return {Event::Kind::SlipUnsure, f, 0, false};
    const double fraction = slip0 / (slip0 - slip1);
    if (fraction < first.fraction) first = {Event::Kind::SlipStop, f, fraction, false};
  }
  if (sticks && !friction_.holds(active_, N_.data(), k_.data() + kEnd * length_))
    return {Event::Kind::SlipUnsure, 0, 0, false};
  return first;
}

LzbIntegrator::Event LzbIntegrator::first_event(const LzbClock& clock, double dt) {
  Event first;
  turn_x_.setConstant(-1);
  const auto consider = [&](const Event& event) {
    if (event.kind == Event::Kind::None) return;
    if (first.kind == Event::Kind::None || event.fraction < first.fraction) first = event;
  };
  for (int a = 0; a < n_; ++a) {
    const Event event = contact_event(a, dt);
    // The clock's own event is where the step ends.
    const bool own = clock.kind == LzbClock::Kind::Indentation && clock.contact == a && !event.at_once &&
                     event.kind == Event::Kind::Release;
    if (!own && event.kind != Event::Kind::None && !harmless(event, dt)) consider(event);
  }
  return first;
}

// An event at once: the start was given the wrong phase.
void LzbIntegrator::correct_start(const Event& event) {
  if (event.kind == Event::Kind::Release) {
    open(event.contact);
    return;
  }
  if (contact(event.contact).phase == LzbPhase::Compression)
    begin_expansion(event.contact);
  else
    begin_compression(event.contact);
}

}  // namespace carom
