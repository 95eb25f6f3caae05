#include "engine/impact/impulse_ratio.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "engine/impact/impact_solver.h"

namespace carom {

namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::string_view name_of(RatioRestitution restitution) {
  return restitution == RatioRestitution::Global ? "global" : "contact";
}

ImpactReport ImpulseRatioLaw::apply(const ImpactProblem& problem, VectorXd& p) {
  const Cones& cones = problem.cones;
  const int count = cones.count();
  if (options_.ratios.size() > 0 && (options_.ratios.rows() != count || options_.ratios.cols() != count))
    throw InputError({"", 0, 0, "ratios"}, fmt::format("must be {0} x {0}, as many as the impact has contacts", count),
                     fmt::format("{} x {}", options_.ratios.rows(), options_.ratios.cols()));
  ImpactReport report;
  if (!begin(problem, kMostRestitution, p, report)) return report;
  if (!is_frictionless(cones)) add_remark(report, "friction is not part of this law: there are no tangential impulses");

  u_.resize(count);
  for (int i = 0; i < count; ++i) u_[i] = problem.u_minus[cones.offset(i)];
  p_.setZero(count);
  r_.setZero(count);
  rate_.setZero(count);
  stored_.setZero(count);
  left_out_ = false;
  const double rest = options_.rest * approach_speed(problem);
  for (int j = struck_contact(problem, rest); j >= 0; j = struck_contact(problem, rest)) {
    if (report.events == options_.max_events) {
      report.status = ImpactStatus::EventLimit;
      add_remark(report, fmt::format("stopped after {} events; contact {} is not done", report.events, j));
      break;
    }
    make_direction(problem, j, rest);
    if (options_.restitution == RatioRestitution::Global)
      global_event(problem, j);
    else
      contact_event(problem, j);
    ++report.events;
    for (int i = 0; i < count; ++i) p[cones.offset(i)] = p_[i];
    if (observer_) show(report.events, velocity_after(problem, p), p);
    if (!u_.allFinite()) break;
  }
  if (left_out_) {
    report.admissible = false;
    add_remark(report, "ratios are too large: neighbours that would have been pushed off, not pressed, were left out");
  }
  end(problem, p, report);
  return report;
}

// More than what a contact at rest may have.
bool ImpulseRatioLaw::has_work(const ImpactProblem& problem, int i, double rest) const {
  return stored_[i] > 0.5 * rest * rest / normal_entry(problem.W, i, i);
}

// The fastest approaching one; when none approaches, the one with the most work to return.
int ImpulseRatioLaw::struck_contact(const ImpactProblem& problem, double rest) const {
  Eigen::Index chosen = 0;
  if (u_.minCoeff(&chosen) < -rest) return static_cast<int>(chosen);
  stored_.maxCoeff(&chosen);
  return has_work(problem, static_cast<int>(chosen), rest) ? static_cast<int>(chosen) : -1;
}

// r of an event at contact j, and W r
void ImpulseRatioLaw::make_direction(const ImpactProblem& problem, int j, double rest) {
  const BlockSparse& W = problem.W;
  members_.clear();
  for (int e = W.first[at(j)]; e < W.first[at(j) + 1]; ++e) {
    const int i = W.column[at(e)];
    if (i == j)
      r_[i] = 1;
    else if (W.values[at(W.start[at(e)])] != 0 && (u_[i] <= rest || has_work(problem, i, rest)))
      r_[i] = options_.ratios.size() > 0 ? options_.ratios(j, i) : options_.ratio;
    if (r_[i] > 0) members_.push_back(i);
  }
  make_rates(problem);
  if (options_.restitution == RatioRestitution::Global) return;

  // Neighbours at rest have nothing to return yet: they take part only where they are being pressed.
  for (bool changed = true; changed;) {
    changed = false;
    for (int i : members_) {
      if (i == j || u_[i] < -rest || has_work(problem, i, rest) || rate_[i] < 0 || r_[i] == 0) continue;
      left_out_ |= rate_[i] < r_[i] * normal_entry(W, i, i);  // it is its own share that pushes it off
      r_[i] = 0;
      changed = true;
    }
    make_rates(problem);
  }
  if (rate_[j] > 0) return;
  left_out_ = true;
  leave_alone(problem, j);
}

// W r by normal rows
void ImpulseRatioLaw::make_rates(const ImpactProblem& problem) {
  const BlockSparse& W = problem.W;
  rate_.setZero();
  for (int i : members_)
    for (int e = W.first[at(i)]; e < W.first[at(i) + 1]; ++e)
      rate_[W.column[at(e)]] += r_[i] * W.values[at(W.start[at(e)])];
}

// No neighbours: those at hand would keep contact j from being slowed.
void ImpulseRatioLaw::leave_alone(const ImpactProblem& problem, int j) {
  for (int i : members_) r_[i] = i == j ? 1 : 0;
  make_rates(problem);
}

void ImpulseRatioLaw::advance(double s) {
  p_ += s * r_;
  u_ += s * rate_;
}

// s = -(1 + e) r.u / (r.W r)
void ImpulseRatioLaw::global_event(const ImpactProblem& problem, int j) {
  advance(-(1 + problem.contacts[at(j)].restitution) * r_.dot(u_) / r_.dot(rate_));
  r_.setZero();
}

// Until contact j has returned e^2 of the work it took up; members that have done so before leave.
void ImpulseRatioLaw::contact_event(const ImpactProblem& problem, int j) {
  while (r_[j] > 0) {
    int first = j;
    double s = length_left(problem, j);
    for (int i : members_) {
      if (i == j || r_[i] == 0) continue;
      const double length = length_left(problem, i);
      if (length < s) {
        first = i;
        s = length;
      }
    }
    for (int i : members_)
      if (r_[i] > 0) exchange_work(problem, i, s);
    advance(s);
    stored_[first] = 0;
    r_[first] = 0;
    make_rates(problem);
    if (first != j && !(rate_[j] > 0)) leave_alone(problem, j);
  }
  r_.setZero();
}

// s until contact i, which goes on with its rate, has taken up what it can and returned e^2 of it; may be infinite.
double ImpulseRatioLaw::length_left(const ImpactProblem& problem, int i) const {
  const double e = problem.contacts[at(i)].restitution, rate = rate_[i], r = r_[i];
  if (rate <= 0 && u_[i] <= 0) return kInfinity;
  double s = 0, speed = u_[i], work = stored_[i];
  if (speed < 0) {
    s = -speed / rate;
    work += 0.5 * r * speed * speed / rate;
    speed = 0;
  }
  // r (speed x + rate x^2 / 2) = e^2 work, the smaller root
  const double returned = e * e * work / r, discriminant = speed * speed + 2 * rate * returned;
  if (discriminant < 0) return kInfinity;
  return returned > 0 ? s + 2 * returned / (speed + std::sqrt(discriminant)) : s;
}

// What contact i takes up and returns while its velocity changes by rate s.
void ImpulseRatioLaw::exchange_work(const ImpactProblem& problem, int i, double s) {
  const double e = problem.contacts[at(i)].restitution, begin = u_[i], end = begin + rate_[i] * s;
  const auto pass = [&](double from, double to, double length) {
    const double work = 0.5 * r_[i] * (from + to) * length;  // done on the bodies
    if (work <= 0)
      stored_[i] -= work;
    else
      stored_[i] = e > 0 ? std::max(0.0, stored_[i] - work / (e * e)) : 0.0;
  };
  if (begin * end >= 0) {
    pass(begin, end, s);
    return;
  }
  const double crossing = -begin / rate_[i];
  pass(begin, 0, crossing);
  pass(0, end, s - crossing);
}

}  // namespace carom
