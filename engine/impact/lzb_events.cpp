// Where a step of the LZB integration must end: turns of the normal velocity, loss of contact, stops and starts of
// sliding. Prediction before the step saves most of the steps that detection after it would throw away.
#include "engine/impact/lzb_events.h"

#include <algorithm>

#include "engine/impact/lzb_integrator.h"

namespace carom {

namespace {

// The first root in (0, 1] of the cubic with values f0, f1 and slopes d0, d1 at 0 and 1; 1 when it has none.
double first_root(double f0, double d0, double f1, double d1) {
  const auto cubic = [&](double s) {
    const double r = 1 - s;
    return r * r * ((1 + 2 * s) * f0 + s * d0) + s * s * ((3 - 2 * s) * f1 - r * d1);
  };
  constexpr int kParts = 16;
  double low = 0;
  for (int part = 1; part <= kParts; ++part) {
    double high = static_cast<double>(part) / kParts;
    if ((cubic(high) > 0) == (f0 > 0)) {
      low = high;
      continue;
    }
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (low + high);
      ((cubic(middle) > 0) == (f0 > 0) ? low : high) = middle;
    }
    return high;
  }
  return 1;
}

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

LzbClock LzbIntegrator::predict(double h) const {
  LzbClock clock;
  double soonest = 1.5 * h;
  const auto consider = [&](double tau, const Event& event) {
    if (!(tau < soonest)) return;
    soonest = tau;
    clock = clock_of(event);
  };
  for (int a = 0; a < n_; ++a) {
    const LzbContact& c = contact(a);
    const double u = u0_[a], acceleration = acceleration0_[a];
    const bool turns = c.phase == LzbPhase::Open ? u > 0 : c.spring.turns_matter;
    if (turns && std::abs(u) > kUSlack && u * acceleration < 0)
      consider(-u / acceleration, {.kind = Event::Kind::Turn, .contact = a});
    if (c.phase == LzbPhase::Open || u <= kUSlack) continue;
    const double distance = y0_[rows_ + a] - expansion_stop(a);
    if (distance > kXSlack * c.spring.natural_length)
      consider(time_to_fall(distance, rate_[a] * u, rate_[a] * acceleration),
               {.kind = Event::Kind::Release, .contact = a});
  }
  for (int f = 0; f < friction_.count(); ++f) {
    const LzbFriction::Contact& c = friction_.contacts()[f];
    const double slip = friction_.slip_along(c, u0_.data());
    if (c.sticks || N0_[c.local] <= 0 || slip <= state_->quiet) continue;
    const double braking = -friction_.slip_along(c, acceleration0_.data());
    if (braking > 0) consider(slip / braking, {.kind = Event::Kind::SlipStop, .contact = f});
  }
  return clock;
}

LzbClock LzbIntegrator::clock_of(const Event& event) const {
  LzbClock clock;
  clock.contact = event.contact;
  switch (event.kind) {
    case Event::Kind::Turn:
      clock.kind = LzbClock::Kind::Velocity;
      clock.row[0] = event.contact;
      break;
    case Event::Kind::Release:
      clock.kind = LzbClock::Kind::Indentation;
      clock.target = expansion_stop(event.contact);
      break;
    case Event::Kind::SlipStop: {
      const LzbFriction::Contact& c = friction_.contacts()[event.contact];
      clock.kind = LzbClock::Kind::Velocity;
      clock.contact = c.local;
      for (int j = 0; j < 2; ++j) {
        clock.row[j] = c.row + std::min(j, c.dim - 1);
        clock.weight[j] = j < c.dim ? c.direction[j] : 0.0;
      }
      break;
    }
    case Event::Kind::SlipStart:
    case Event::Kind::None:
      break;
  }
  return clock;
}

LzbIntegrator::Event LzbIntegrator::contact_event(int a, double dt) const {
  const LzbContact& c = contact(a);
  const double u0 = u0_[a], u1 = u_[a], d0 = dt * acceleration0_[a], d1 = dt * acceleration_[a];
  const double x0 = y0_[rows_ + a], x1 = y1_[rows_ + a], slack = kXSlack * c.spring.natural_length;
  const Event turn{.kind = Event::Kind::Turn, .contact = a, .fraction = 0, .at_once = false};
  const auto located = [&](Event event) {
    event.fraction = event.kind == Event::Kind::Turn ? first_root(u0, d0, u1, d1)
                                                     : first_root(x0 - expansion_stop(a), -dt * rate_[a] * u0,
                                                                  x1 - expansion_stop(a), -dt * rate_[a] * u1);
    return event;
  };
  if (c.phase == LzbPhase::Open) return u0 > kUSlack && (u1 < -kUSlack || x1 > slack) ? located(turn) : Event{};

  Event event;
  // The sign that u has in this phase: -1 in compression, 1 in expansion.
  const double sign = c.phase == LzbPhase::Compression ? -1 : 1;
  if (c.spring.turns_matter) {
    const bool crossed = sign * u1 < -kUSlack;
    // Towards 0 at the start and away from it at the end: there and back in between?
    const bool dips = sign * u0 > 0 && sign * d0 < 0 && sign * d1 > 0 && first_root(u0, d0, u1, d1) < 1;
    if (crossed && sign * u0 <= kUSlack) return {Event::Kind::Turn, a, 0, true};
    if (crossed || dips) event = located(turn);
  }
  const double stop = expansion_stop(a);
  if (x1 < stop - slack && (c.phase == LzbPhase::Expansion || !c.spring.turns_matter)) {
    if (x0 <= stop + slack) return {Event::Kind::Release, a, 0, true};
    const Event release = located({Event::Kind::Release, a, 0, false});
    if (event.kind == Event::Kind::None || release.fraction < event.fraction) event = release;
  }
  return event;
}

LzbIntegrator::Event LzbIntegrator::slip_event(int f) const {
  const LzbFriction::Contact& c = friction_.contacts()[f];
  const double N0 = N0_[c.local], N1 = N_[c.local], quiet = state_->quiet;
  if (N0 <= 0 && N1 <= 0) return {};
  if (!c.sticks) {
    const double slip0 = friction_.slip_along(c, u0_.data()), slip1 = friction_.slip_along(c, u_.data());
    if (slip0 <= quiet) return slip1 < -quiet ? Event{Event::Kind::SlipStop, f, 0, true} : Event{};
    return slip1 < -kUSlack ? Event{Event::Kind::SlipStop, f, slip0 / (slip0 - slip1), false} : Event{};
  }
  const double excess0 = friction_.force_norm(c, k_.data() + kStart * length_) - c.mu * N0;
  const double excess1 = friction_.force_norm(c, k_.data() + kEnd * length_) - c.mu * N1;
  if (excess1 <= kForceSlack * (c.mu * N1 + kForceFloor)) return {};
  if (excess0 >= -kForceSlack * (c.mu * N0 + kForceFloor)) return {Event::Kind::SlipStart, f, 0, true};
  return {Event::Kind::SlipStart, f, excess0 / (excess0 - excess1), false};
}

LzbIntegrator::Event LzbIntegrator::first_event(const LzbClock& clock, double dt) const {
  Event first;
  const auto consider = [&](const Event& event) {
    if (event.kind == Event::Kind::None) return;
    if (first.kind == Event::Kind::None || event.fraction < first.fraction) first = event;
  };
  for (int a = 0; a < n_; ++a) {
    const Event event = contact_event(a, dt);
    // The clock's own event is where the step ends.
    const bool own = clock.kind == LzbClock::Kind::Indentation && clock.contact == a && !event.at_once &&
                     event.kind == Event::Kind::Release;
    if (!own) consider(event);
  }
  for (int f = 0; f < friction_.count(); ++f) consider(slip_event(f));
  return first;
}

// An event at once: the start was given the wrong phase or mode.
void LzbIntegrator::correct_start(const Event& event) {
  if (event.kind == Event::Kind::Release) {
    open(event.contact);
    return;
  }
  if (event.kind == Event::Kind::Turn) {
    if (contact(event.contact).phase == LzbPhase::Compression)
      begin_expansion(event.contact);
    else
      begin_compression(event.contact);
    return;
  }
  LzbFriction::Contact& c = friction_.contacts()[event.contact];
  double* k = k_.data() + kEnd * length_;
  double direction[2] = {0, 0};
  const double T = friction_.force_norm(c, k);
  for (int j = 0; j < c.dim && T > 0; ++j) direction[j] = -k[c.row + j] / T;
  // Forces as they are a step later tell which way the balance will go.
  friction_.settle(active_, u0_.data(), N_.data(), state_->quiet, k);
  if (event.kind == Event::Kind::SlipStart && c.sticks) {
    c.sticks = false;
    c.direction[0] = direction[0];
    c.direction[1] = direction[1];
  }
  friction_.save(*state_, active_);
}

}  // namespace carom
