#include "engine/events/event_search.h"

#include <algorithm>
#include <cmath>

namespace carom {

namespace {

constexpr int kSamples = 8;         // intervals of a step that are looked at
constexpr double kResolved = 1e-7;  // of lengths: gaps that got larger than this are told by positions

// Gauss-Legendre on [0, 1], four points.
constexpr double kPoints[4] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
constexpr double kWeights[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};

// The root between a, where f >= 0, and b, where f < 0: regula falsi (Illinois), with bisection where that lags.
template <class F>
double root(F&& f, double a, double fa, double b, double fb) {
  int side = 0;
  for (int i = 0; i < 200; ++i) {
    const double width = std::abs(b - a);
    if (width <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b)) || fa == 0) break;
    double c = i % 3 == 2 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    if (!(c > std::min(a, b) && c < std::max(a, b))) c = 0.5 * (a + b);
    const double fc = f(c);
    if (fc >= 0) {
      a = c;
      fa = fc;
      if (side == 1) fb /= 2;
      side = 1;
    } else {
      b = c;
      fb = fc;
      if (side == -1) fa /= 2;
      side = -1;
    }
    if (std::abs(b - a) == width) break;
  }
  return fa == 0 ? a : 0.5 * (a + b);
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

double EventSearch::normal_velocity(int contact, double t) {
  step_.at(t, y_);
  const Eigen::Index n = y_.size() / 2;
  system_.contact_rows(t, y_.head(n), contact, rows_);
  double u[3];
  contact_velocity(rows_, 1, y_.tail(n), u);
  return u[0];
}

double EventSearch::gap(int contact, double t) {
  const double known = run_.close_[at(contact)], s = t - step_.start();
  if (!std::isnan(known)) {
    double mean = 0, largest = 0;
    for (int k = 0; k < 4; ++k) {
      const double u = normal_velocity(contact, step_.start() + kPoints[k] * s);
      mean += kWeights[k] * u;
      largest = std::max(largest, std::abs(u));
    }
    const double length = 1 + y_.head(y_.size() / 2).lpNorm<Eigen::Infinity>();
    if (largest * s <= kResolved * length) return known + s * mean;
  }
  step_.at(t, y_);
  VectorXd g(system_.contacts());
  system_.gaps(t, y_.head(y_.size() / 2), g);
  return g[contact];
}

void EventSearch::take_sample(double t, Sample& sample) {
  sample.t = t;
  step_.at(t, y_);
  const Eigen::Index n = y_.size() / 2;
  sample.g.resize(system_.contacts());
  sample.rate.resize(system_.contacts());
  system_.gaps(t, y_.head(n), sample.g);
  for (int i = 0; i < system_.contacts(); ++i) {
    system_.contact_rows(t, y_.head(n), i, rows_);
    contact_velocity(rows_, 1, y_.tail(n), &sample.rate[i]);
  }
  sample.monitor.assign(monitors_.size(), 0.0);
  if (monitors_.empty() || !run_.evaluate_mode(t, y_.head(n), y_.tail(n))) return;
  run_.dynamics_.share_friction(run_.live_);
  for (std::size_t k = 0; k < monitors_.size(); ++k) sample.monitor[k] = evaluated_monitor(monitors_[k]);
  slack_ = 1e-10 * run_.dynamics_.force_scale();
}

double EventSearch::evaluated_monitor(const Monitor& monitor) const {
  const ContactDynamics& dynamics = run_.dynamics_;
  const int offset = dynamics.cones().offset(monitor.held), dim = dynamics.cones().dim(monitor.held);
  const VectorXd& f = dynamics.force();
  switch (monitor.cause) {
    case EventCause::StickLimit: {
      const double tangential = dim == 2 ? std::abs(f[offset + 1]) : std::hypot(f[offset + 1], f[offset + 2]);
      return dynamics.cones()[monitor.held].mu * f[offset] - tangential;
    }
    case EventCause::SlidingEnd: {
      // Along the direction of the mode; in space, where the direction turns, down to the speed of rest.
      const VectorXd& u = dynamics.velocity();
      if (dim == 2) return u[offset + 1] * run_.mode_[at(monitor.held)].direction[0];
      return std::hypot(u[offset + 1], u[offset + 2]) - 0.5 * run_.options_.rest_speed;
    }
    default:
      return f[offset];
  }
}

double EventSearch::monitor_value(const Monitor& monitor, double t) {
  step_.at(t, y_);
  const Eigen::Index n = y_.size() / 2;
  if (!run_.evaluate_mode(t, y_.head(n), y_.tail(n))) return -1;
  run_.dynamics_.share_friction(run_.live_);
  return evaluated_monitor(monitor);
}

void EventSearch::offer(double t, EventCause cause, int contact) {
  if (!found_ || t < found_->time) found_ = FoundEvent{t, cause, contact};
}

void EventSearch::look_at_gap(int contact) {
  const Sample& start = samples_.front();
  const bool close = !std::isnan(run_.close_[at(contact)]);
  const double begin = close ? run_.close_[at(contact)] : start.g[contact];
  // One that touches without force and without leaving may do so to within the tolerance.
  const bool resting = begin <= 0 && start.rate[contact] <= run_.options_.rest_speed;
  const double allowance = resting ? run_.options_.touch_tolerance : 0.0;
  const auto f = [&](double t) { return gap(contact, t) + allowance; };

  double before = begin + allowance;
  for (std::size_t k = 1; k < samples_.size(); ++k) {
    const Sample &a = samples_[k - 1], &b = samples_[k];
    if (found_ && a.t >= found_->time) return;
    const double now = close ? f(b.t) : b.g[contact] + allowance;
    if (now < 0) {
      double left = a.t, f_left = before, right = b.t, f_right = now;
      // From a gap of zero: nearer and nearer to the start, until it is seen to be open.
      for (int i = 0; i < 100 && f_left <= 0; ++i) {
        const double middle = a.t + 0.5 * (right - a.t), f_middle = f(middle);
        if (f_middle > 0) {
          left = middle;
          f_left = f_middle;
        } else {
          right = middle;
          f_right = f_middle;
        }
      }
      return offer(f_left <= 0 ? a.t : root(f, left, f_left, right, f_right), EventCause::Gap, contact);
    }
    // Down and up again between two samples: how deep?
    if (a.rate[contact] < 0 && b.rate[contact] > 0) {
      const double lowest =
          root([&](double t) { return -normal_velocity(contact, t); }, a.t, -a.rate[contact], b.t, -b.rate[contact]);
      const double depth = f(lowest);
      if (depth < 0) return offer(root(f, a.t, before, lowest, depth), EventCause::Gap, contact);
    }
    before = now;
  }
}

void EventSearch::look_at_monitor(int index) {
  const Monitor& monitor = monitors_[at(index)];
  const double slack = monitor.cause == EventCause::SlidingEnd ? 1e-3 * run_.options_.rest_speed : slack_;
  bool armed = samples_.front().monitor[at(index)] > slack;
  for (std::size_t k = 1; k < samples_.size(); ++k) {
    const Sample &a = samples_[k - 1], &b = samples_[k];
    if (found_ && a.t >= found_->time) return;
    // One that starts at zero, as sliding does, must first be seen to grow.
    const double allowance = armed ? 0.0 : slack;
    if (b.monitor[at(index)] + allowance < 0) {
      const auto f = [&](double t) { return monitor_value(monitor, t) + allowance; };
      const double t =
          root(f, a.t, std::max(0.0, a.monitor[at(index)] + allowance), b.t, b.monitor[at(index)] + allowance);
      return offer(t, monitor.cause, run_.mode_[at(monitor.held)].contact);
    }
    armed = armed || b.monitor[at(index)] > slack;
  }
}

// Whether the mode's accelerations still solve the problem: asked where forces are not unique.
bool EventSearch::mode_holds(double t) {
  step_.at(t, y_);
  const Eigen::Index n = y_.size() / 2;
  ContactDynamics& dynamics = run_.dynamics_;
  if (!run_.evaluate_mode(t, y_.head(n), y_.tail(n))) return false;
  const VectorXd ours = dynamics.acceleration();
  if (!dynamics.decide(run_.options_.rest_speed, {})) return false;
  return (dynamics.acceleration() - ours).lpNorm<Eigen::Infinity>() <= 1e-8 * (1 + ours.lpNorm<Eigen::Infinity>());
}

std::optional<FoundEvent> EventSearch::first() {
  found_.reset();
  monitors_.clear();
  for (int k = 0; k < static_cast<int>(run_.mode_.size()); ++k) {
    const HeldContact& held = run_.mode_[at(k)];
    monitors_.push_back({EventCause::Force, k});
    if (held.sticks) monitors_.push_back({EventCause::StickLimit, k});
    if (!held.sticks && system_.contact_dim(held.contact) > 1) monitors_.push_back({EventCause::SlidingEnd, k});
  }
  samples_.resize(kSamples + 1);
  for (int k = 0; k <= kSamples; ++k)
    take_sample(step_.start() + (k == kSamples ? step_.length() : step_.length() * k / kSamples), samples_[at(k)]);

  std::vector<bool> held(at(system_.contacts()), false);
  for (const HeldContact& h : run_.mode_) held[at(h.contact)] = true;
  for (int i = 0; i < system_.contacts(); ++i)
    if (!held[at(i)]) look_at_gap(i);
  for (int k = 0; k < static_cast<int>(monitors_.size()); ++k)
    if (monitors_[at(k)].cause != EventCause::StickLimit) look_at_monitor(k);
  const std::optional<FoundEvent> other = found_;
  for (int k = 0; k < static_cast<int>(monitors_.size()); ++k)
    if (monitors_[at(k)].cause == EventCause::StickLimit) look_at_monitor(k);
  if (!found_ || found_->cause != EventCause::StickLimit) return found_;

  // Where forces are not unique, another share of friction may do: the limit that counts is where no share does.
  double a = found_->time, b = other ? other->time : step_.start() + step_.length();
  monitor_value({EventCause::Force, 0}, a);
  if (!run_.dynamics_.redundant()) return found_;
  if (mode_holds(b)) return other;
  if (mode_holds(a + 0.01 * (b - a)))
    for (int i = 0; i < 60; ++i) (mode_holds(0.5 * (a + b)) ? a : b) = 0.5 * (a + b);
  found_->time = a;
  return found_;
}

}  // namespace carom
