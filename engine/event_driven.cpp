#include "engine/event_driven.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "engine/events/event_search.h"

namespace carom {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const HeldContact* find(const ContactMode& mode, int contact) {
  const auto found =
      std::find_if(mode.begin(), mode.end(), [&](const HeldContact& held) { return held.contact == contact; });
  return found == mode.end() ? nullptr : &*found;
}

void check_options(const EventDrivenOptions& options) {
  EventDrivenOptions::visit(options, [](std::string_view name, const auto& field, const OptionRange& range,
                                        std::string_view, std::string_view) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, bool>)
      if (!range.contains(static_cast<double>(field)))
        throw InputError({"", 0, 0, std::string(name)}, fmt::format("must be in {}", range.text()),
                         fmt::format("{}", field));
  });
}

}  // namespace

std::string_view name_of(EventKind kind) {
  constexpr std::string_view kNames[] = {"impact", "closing", "opening", "sticking", "sliding"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(EventDrivenStatus status) {
  constexpr std::string_view kNames[] = {
      "done", "event limit", "chattering", "step too small", "no contact force", "impact failed", "numerical error"};
  return kNames[static_cast<std::size_t>(status)];
}

EventDriven::EventDriven(const LagrangianSystem& system, ImpactLaw& law, const EventDrivenOptions& options)
    : system_(system), law_(law), options_(options), dynamics_(system) {
  check_options(options);
  const LagrangianState start = system.initial_state();
  set_state(0, start.q, start.v);
}

void EventDriven::set_state(double t, VectorIn q, VectorIn v) {
  const auto demand = [&](const char* what, VectorIn x) {
    if (x.size() != system_.coordinates() || !x.allFinite())
      throw InputError({"", 0, 0, what}, fmt::format("must be {} finite numbers", system_.coordinates()));
  };
  demand("q", q);
  demand("v", v);
  t_ = last_event_ = t;
  q_ = q;
  v_ = v;
  take_mode({});
  close_.assign(at(system_.contacts()), kUnknown);
  settled_ = false;
  simultaneous_ = 0;
  next_step_ = 1e-3;
}

int EventDriven::count(EventKind kind) const {
  return static_cast<int>(
      std::count_if(events_.begin(), events_.end(), [&](const Event& event) { return event.kind == kind; }));
}

EventDrivenStatus EventDriven::fail(EventDrivenStatus status, const std::string& message) {
  message_ = fmt::format("at t = {:.9g} s: {}", t_, message);
  return status;
}

void EventDriven::take_mode(const ContactMode& mode) {
  mode_ = mode;
  held_.clear();
  for (const HeldContact& held : mode) held_.push_back(held.contact);
}

void EventDriven::record(EventKind kind, int contact) {
  Event& event = events_.emplace_back();
  event.time = t_;
  event.kind = kind;
  event.contacts = {contact};
}

// ---- Smooth motion ----

bool EventDriven::evaluate_mode(double t, VectorIn q, VectorIn v) {
  if (!dynamics_.evaluate(t, q, v, held_)) return false;
  live_ = mode_;
  // In space the direction of sliding turns; in the plane it is the mode's until sliding ends.
  for (std::size_t k = 0; k < live_.size(); ++k) {
    const int offset = dynamics_.cones().offset(static_cast<int>(k)), dim = dynamics_.cones().dim(static_cast<int>(k));
    if (live_[k].sticks || dim < 3) continue;
    const Vec2 sliding = dynamics_.velocity().segment<2>(offset + 1);
    if (sliding.norm() > 0.1 * options_.rest_speed)
      live_[k].direction = {sliding.x() / sliding.norm(), sliding.y() / sliding.norm()};
  }
  return dynamics_.solve_mode(live_);
}

bool EventDriven::rate(double t, VectorIn y, VectorOut dy) {
  const Eigen::Index n = y.size() / 2;
  if (!evaluate_mode(std::min(t, left_limit_), y.head(n), y.tail(n))) return false;
  dy.head(n) = y.tail(n);
  dy.tail(n) = dynamics_.acceleration();
  return dynamics_.acceleration().allFinite();
}

// One accepted step of integration towards `limit`; the integrator holds it.
EventDrivenStatus EventDriven::integrate(double limit) {
  const auto derivative = [this](double t, VectorIn y, VectorOut dy) { return rate(t, y, dy); };
  VectorXd y(2 * q_.size());
  y << q_, v_;
  const double left = limit - t_;
  double h = std::min({next_step_, options_.max_step, left});
  if (left - h < 0.01 * h) h = left;
  left_limit_ = std::nextafter(limit, t_);
  const double shortest = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_), 1e-3);
  for (;;) {
    const bool evaluated = integrator_.step(derivative, t_, h, y);
    const double error =
        evaluated ? integrator_.error(options_.absolute_tolerance, options_.relative_tolerance) : kUnknown;
    if (error <= 1) {
      next_step_ = std::max(h, next_step_ < left ? 0.0 : next_step_) * DormandPrince::factor(error);
      ++steps_;
      return EventDrivenStatus::Done;
    }
    h *= evaluated && std::isfinite(error) ? DormandPrince::factor(error) : 0.2;
    next_step_ = h;
    if (h < shortest) {
      if (std::isfinite(error))
        return fail(EventDrivenStatus::StepTooSmall, fmt::format("a step of {:g} s does not meet the tolerance", h));
      return fail(EventDrivenStatus::NumericalError, "forces could not be evaluated or are not finite");
    }
  }
}

// Positions back to closed gaps, velocities back to rest, in the kinetic metric: what integration left over.
void EventDriven::remove_drift() {
  if (mode_.empty() || !dynamics_.evaluate(t_, q_, v_, held_)) return;
  VectorXd g(system_.contacts());
  system_.gaps(t_, q_, g);
  std::vector<int> normal, still;
  VectorXd gap(static_cast<Eigen::Index>(mode_.size()));
  for (int k = 0; k < static_cast<int>(mode_.size()); ++k) {
    const int offset = dynamics_.cones().offset(k);
    gap[k] = -g[mode_[at(k)].contact];
    normal.push_back(offset);
    for (int c = 0; c < (mode_[at(k)].sticks ? dynamics_.cones().dim(k) : 1); ++c) still.push_back(offset + c);
  }
  const VectorXd velocity = -dynamics_.velocity()(still);
  dynamics_.shift(normal, gap, q_);
  dynamics_.shift(still, velocity, v_);
}

// The step once more, up to the event, and Newton's method on its gap where positions can tell it.
bool EventDriven::integrate_to(const FoundEvent& event, double& end, VectorXd& y) {
  const auto derivative = [this](double t, VectorIn x, VectorOut dx) { return rate(t, x, dx); };
  const Eigen::Index n = q_.size();
  VectorXd start(2 * n), g(system_.contacts());
  start << q_, v_;
  ContactRows rows;
  for (int round = 0; round < 3; ++round) {
    if (!integrator_.step(derivative, t_, end - t_, start)) return false;
    y = integrator_.end();
    if (event.cause != EventCause::Gap || !std::isnan(close_[at(event.contact)])) return true;
    system_.gaps(end, y.head(n), g);
    system_.contact_rows(end, y.head(n), event.contact, rows);
    double u[1];
    contact_velocity(rows, 1, y.tail(n), u);
    const double change = u[0] < -options_.rest_speed ? -g[event.contact] / u[0] : 0.0;
    if (std::abs(change) <= 2e-16 * std::abs(end) || !(std::abs(change) < 0.1 * (end - t_))) return true;
    end += change;
  }
  return true;
}

EventDrivenStatus EventDriven::advance(double limit) {
  const EventDrivenStatus status = integrate(limit);
  if (status != EventDrivenStatus::Done) return status;
  EventSearch search(*this);
  const std::optional<FoundEvent> found = search.first();

  double end = t_ + integrator_.length();
  if (limit - end < 4 * std::numeric_limits<double>::epsilon() * std::abs(limit)) end = limit;
  if (found) end = found->time;
  // Flights too short for positions: their gaps at the end of the step.
  for (int i = 0; i < system_.contacts(); ++i)
    if (!std::isnan(close_[at(i)])) {
      const double gap = search.gap(i, end);
      close_[at(i)] = gap <= options_.touch_tolerance ? gap : kUnknown;
    }

  VectorXd y = integrator_.end();
  if (found && end > t_) {
    if (!integrate_to(*found, end, y)) return fail(EventDrivenStatus::NumericalError, "forces could not be evaluated");
  } else if (found) {
    y << q_, v_;
  }
  t_ = end;
  q_ = y.head(q_.size());
  v_ = y.tail(q_.size());
  if (!q_.allFinite() || !v_.allFinite()) return fail(EventDrivenStatus::NumericalError, "the state is not finite");
  remove_drift();
  if (!found) return EventDrivenStatus::Done;
  if (found->cause == EventCause::Gap) close_[at(found->contact)] = 0;
  settled_ = false;
  return settle(sliding_after(*found));
}

// Held contacts that slide from here on although they may be at rest: friction gave way, or has just done so.
ContactMode EventDriven::sliding_after(const FoundEvent& event) {
  ContactMode sliding;
  if (!evaluate_mode(t_, q_, v_)) return sliding;
  dynamics_.share_friction(live_);
  for (int k = 0; k < static_cast<int>(mode_.size()); ++k) {
    const int offset = dynamics_.cones().offset(k), dim = dynamics_.cones().dim(k);
    if (dim == 1) continue;
    HeldContact held = live_[at(k)];
    const VectorXd friction = dynamics_.force().segment(offset + 1, dim - 1);
    const double most = dynamics_.cones()[k].mu * dynamics_.force()[offset];
    if (held.sticks && event.cause == EventCause::StickLimit &&
        (event.contact == held.contact || friction.norm() >= most * (1 - 1e-7))) {
      held.sticks = false;
      for (int c = 0; c < dim - 1; ++c) held.direction[at(c)] = -friction[c] / friction.norm();
    }
    // Contacts of one body come to rest together.
    const double speed = dynamics_.velocity().segment(offset + 1, dim - 1).norm();
    const bool ended = event.cause == EventCause::SlidingEnd && speed <= options_.rest_speed;
    if (!held.sticks && !ended) sliding.push_back(held);
  }
  return sliding;
}

// ---- Events ----

std::vector<int> EventDriven::touching_contacts() const {
  VectorXd g(system_.contacts());
  system_.gaps(t_, q_, g);
  std::vector<int> touching;
  for (int i = 0; i < system_.contacts(); ++i)
    if (g[i] <= options_.touch_tolerance || find(mode_, i) != nullptr) touching.push_back(i);
  return touching;
}

EventDrivenStatus EventDriven::apply_law(const std::vector<int>& touching) {
  ImpactProblem problem = impact_of(system_, t_, q_, v_, touching);
  if (options_.preload && evaluate_mode(t_, q_, v_))
    for (std::size_t k = 0; k < touching.size(); ++k)
      for (int h = 0; h < static_cast<int>(mode_.size()); ++h)
        if (mode_[at(h)].contact == touching[k])
          problem.contacts[k].preload = std::max(0.0, dynamics_.force()[dynamics_.cones().offset(h)]);
  Event event;
  event.time = t_;
  event.contacts = touching;
  event.u_minus = problem.u_minus;
  event.p = VectorXd::Zero(problem.cones.rows());
  event.report = law_.apply(problem, event.p);
  event.u_plus = velocity_after(problem, event.p);
  v_ = velocity_after(system_, t_, q_, v_, touching, event.p);
  const ImpactReport report = event.report;
  events_.push_back(std::move(event));
  if (!v_.allFinite()) return fail(EventDrivenStatus::NumericalError, "the impact's velocities are not finite");
  if (report.status > ImpactStatus::NothingApproaches)
    return fail(EventDrivenStatus::ImpactFailed,
                fmt::format("law {}: {} {}", law_.name(), name_of(report.status), report.message));
  return EventDrivenStatus::Done;
}

EventDrivenStatus EventDriven::settle(const ContactMode& sliding) {
  const auto crowded = [&] {
    if (t_ - last_event_ > 1e-13 * (1 + std::abs(t_))) simultaneous_ = 0;
    last_event_ = t_;
    return ++simultaneous_ > options_.max_simultaneous;
  };
  std::vector<int> touching = touching_contacts(), resting;
  bool struck = false;
  for (;;) {
    if (crowded()) return fail(EventDrivenStatus::Chattering, "events follow each other without any progress in time");
    if (static_cast<int>(events_.size()) >= options_.max_events)
      return fail(EventDrivenStatus::EventLimit, fmt::format("{} events", events_.size()));
    if (!dynamics_.evaluate(t_, q_, v_, touching))
      return fail(EventDrivenStatus::NumericalError, "forces could not be evaluated or are not finite");
    double approach = 0;
    resting.clear();
    for (int k = 0; k < static_cast<int>(touching.size()); ++k) {
      const double u = dynamics_.velocity()[dynamics_.cones().offset(k)];
      approach = std::max(approach, -u);
      if (u <= options_.rest_speed) resting.push_back(touching[at(k)]);
    }
    if (approach <= options_.rest_speed) break;
    struck = true;
    const EventDrivenStatus status = apply_law(touching);
    if (status != EventDrivenStatus::Done) return status;
    for (int i : touching) close_[at(i)] = 0;
  }

  if (!dynamics_.evaluate(t_, q_, v_, resting))
    return fail(EventDrivenStatus::NumericalError, "forces could not be evaluated or are not finite");
  const std::optional<ContactMode> mode = dynamics_.decide(options_.rest_speed, struck ? ContactMode{} : sliding);
  if (!mode) return fail(EventDrivenStatus::NoContactForce, "no finite contact forces keep the contacts from closing");

  const ContactMode before = mode_;
  take_mode(*mode);
  for (int i : touching) {
    const HeldContact *old = find(before, i), *now = find(mode_, i);
    if (!now && std::isnan(close_[at(i)])) close_[at(i)] = 0;
    if (now) close_[at(i)] = kUnknown;
    if (!old && now) record(EventKind::Closing, i);
    if (old && !now) record(EventKind::Opening, i);
    if (!old || !now || system_.contact_dim(i) == 1) continue;
    if (now->sticks && !old->sticks) record(EventKind::Sticking, i);
    const bool reversed = old->direction[0] * now->direction[0] + old->direction[1] * now->direction[1] < 0;
    if (!now->sticks && (old->sticks || reversed)) record(EventKind::Sliding, i);
  }
  remove_drift();
  settled_ = true;
  return EventDrivenStatus::Done;
}

EventDrivenStatus EventDriven::run(double t_end) {
  if (!std::isfinite(t_end)) throw InputError({"", 0, 0, "time"}, "must be finite", fmt::format("{}", t_end));
  message_.clear();
  while (t_ < t_end) {
    EventDrivenStatus status = settled_ ? EventDrivenStatus::Done : settle({});
    if (status == EventDrivenStatus::Done) status = advance(std::min(t_end, system_.smooth_until(t_)));
    if (status != EventDrivenStatus::Done) return status;
  }
  return EventDrivenStatus::Done;
}

}  // namespace carom
