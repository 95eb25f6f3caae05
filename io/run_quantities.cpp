#include "io/run_quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "io/run_reader.h"
#include "io/run_tables.h"
#include "io/system_run_reader.h"
#include "io/toml_reader.h"

namespace carom {

namespace {

using Curves = std::vector<Quantity::Curve>;

const std::vector<QuantityInfo>& all_quantities() {
  static const std::vector<QuantityInfo> table = {
      {"energy", "Energy", "J"},
      {"work", "Work done so far", "J"},
      {"balance", "Energy not accounted for, so far", "J"},
      {"contacts", "Contacts", "count"},
      {"iterations", "Iterations of the solver", "count"},
      {"residual", "Residual, worst contact", "m/s", true},
      {"residual_natural", "Residual, natural map", "relative to |q|", true},
      {"overlap", "Worst overlap", "m"},
      {"phases", "Time per step", "s"},
      {"speed", "Speed", "m/s"},
      {"force", "Contact force", "N"},
      {"centre", "Centre of mass", "m"},
      {"support", "Support reaction", "N"},
      {"joint_error", "Worst joint error", "m or rad", true},
      {"broken_bonds", "Broken bonds", "count"},
      {"impacts", "Multiple impacts per step", "count"},
      {"coordinates", "Coordinates", "m or rad"},
      {"rates", "Rates of the coordinates", "m/s or rad/s"},
      {"gaps", "Gaps", "m"},
  };
  return table;
}

std::vector<double> real(const std::vector<int>& values) { return {values.begin(), values.end()}; }

std::vector<double> running_sum(const std::vector<double>& values) {
  std::vector<double> sums(values.size());
  std::partial_sum(values.begin(), values.end(), sums.begin());
  return sums;
}

bool any(const auto& values) {
  return std::any_of(values.begin(), values.end(), [](auto x) { return x != 0; });
}

void keep_told(Curves& curves) {
  std::erase_if(curves, [](const Quantity::Curve& c) { return !any(c.values); });
}

Curves energies(const RunDiagnostics& d) {
  std::vector<double> total(d.kinetic.size());
  for (std::size_t i = 0; i < total.size(); ++i) total[i] = d.kinetic[i] + d.potential[i] + d.elastic[i];
  Curves curves = {{"kinetic", d.kinetic}, {"potential", d.potential}, {"elastic", d.elastic}};
  keep_told(curves);
  if (curves.size() != 1) curves.push_back({"total", total});
  return curves;
}

Curves works(const RunDiagnostics& d) {
  Curves curves = {{"contacts", running_sum(d.contact_work)},
                   {"loads", running_sum(d.external_work)},
                   {"moving bodies", running_sum(d.boundary_work)},
                   {"joints", running_sum(d.joint_work)},
                   {"projection", running_sum(d.projection_work)}};
  keep_told(curves);
  return curves;
}

Curves phase_times(const RunDiagnostics& d) {
  Curves curves;
  for (int k = 0; k < static_cast<int>(StepPhase::Count); ++k) {
    const auto phase = static_cast<StepPhase>(k);
    std::vector<double> seconds;
    for (const auto& times : d.phase_seconds) seconds.push_back(times[phase]);
    curves.push_back({std::string(name_of(phase)), seconds});
  }
  // What costs most comes first, and what costs next to nothing is left out.
  const auto sum = [](const Quantity::Curve& c) { return std::accumulate(c.values.begin(), c.values.end(), 0.0); };
  const double whole = std::accumulate(curves.begin(), curves.end(), 0.0, [&](double s, auto& c) { return s + sum(c); });
  std::erase_if(curves, [&](const Quantity::Curve& c) { return !(sum(c) >= 0.01 * whole); });
  std::stable_sort(curves.begin(), curves.end(), [&](auto& a, auto& b) { return sum(a) > sum(b); });
  return curves;
}

Curves supports(const RunDiagnostics& d) {
  Curves curves = {{"x", {}}, {"y", {}}, {"z", {}}};
  for (std::size_t i = 0; i + 2 < d.support_reaction.size(); i += 3)
    for (std::size_t c = 0; c < 3; ++c) curves[c].values.push_back(d.support_reaction[i + c]);
  return curves;
}

}  // namespace

// What is told by frames rather than steps.
struct QuantityReader::Frames {
  std::optional<RunReader> bodies;
  std::optional<SystemRunReader> system;

  const RunFile& run() const { return bodies ? static_cast<const RunFile&>(*bodies) : *system; }

  Curves speeds() const {
    Curves curves = {{"fastest", {}}, {"mean", {}}};
    const std::vector<RunBody> list = bodies->bodies();
    for (std::int64_t f = 0; f < bodies->frame_count(); ++f) {
      const RunFrame frame = bodies->frame(f);
      double fastest = 0, sum = 0, count = 0;
      for (std::size_t i = 0; i < frame.velocity.size(); ++i) {
        if (list[i].kind != BodyKind::Dynamic) continue;
        const double speed = frame.velocity[i].norm();
        fastest = std::max(fastest, speed), sum += speed, ++count;
      }
      curves[0].values.push_back(fastest);
      curves[1].values.push_back(count > 0 ? sum / count : 0);
    }
    return curves;
  }

  Curves centres() const {
    Curves curves = {{"x", {}}, {"y", {}}, {"z", {}}};
    const std::vector<RunBody> list = bodies->bodies();
    for (std::int64_t f = 0; f < bodies->frame_count(); ++f) {
      const RunFrame frame = bodies->frame(f);
      Vec3 sum = Vec3::Zero();
      double mass = 0;
      for (std::size_t i = 0; i < frame.position.size(); ++i) {
        if (list[i].kind != BodyKind::Dynamic) continue;
        sum += list[i].mass * frame.position[i];
        mass += list[i].mass;
      }
      for (std::size_t c = 0; c < 3; ++c) curves[c].values.push_back(mass > 0 ? sum[static_cast<int>(c)] / mass : 0);
    }
    return curves;
  }

  // Normal forces, means over the step before each frame.
  Curves forces() const {
    Curves curves = {{"largest", {}}, {"mean", {}}};
    const std::vector<double> lengths = run().frame_step_lengths();
    for (std::int64_t f = 0; f < run().frame_count(); ++f) {
      std::vector<double> impulses;
      if (bodies)
        for (const ContactRecord& c : bodies->contacts(f)) impulses.push_back(c.impulse.x());
      else
        for (const auto& c : system->contacts(f)) impulses.push_back(c.impulse.x());
      const double length = lengths[static_cast<std::size_t>(f)], h = length > 0 ? length : 1;
      const double sum = std::accumulate(impulses.begin(), impulses.end(), 0.0);
      curves[0].values.push_back(impulses.empty() ? 0 : *std::max_element(impulses.begin(), impulses.end()) / h);
      curves[1].values.push_back(impulses.empty() ? 0 : sum / (h * static_cast<double>(impulses.size())));
    }
    return curves;
  }

  Curves of_system(const std::string& name) const {
    const bool gaps = name == "gaps";
    Curves curves;
    for (const std::string& label : gaps ? system->contacts() : system->coordinates()) curves.push_back({label, {}});
    for (std::int64_t f = 0; f < system->frame_count(); ++f) {
      const SystemFrame frame = system->frame(f);
      const std::vector<double>& values = gaps ? frame.gap : name == "rates" ? frame.v : frame.q;
      for (std::size_t k = 0; k < curves.size(); ++k) curves[k].values.push_back(values[k]);
    }
    return curves;
  }
};

QuantityReader::QuantityReader(const std::string& file) : file_(file), frames_(std::make_unique<Frames>()) {
  if (run_kind(file) == "system")
    frames_->system.emplace(file);
  else
    frames_->bodies.emplace(file);
  steps_ = frames_->run().diagnostics();
  const auto told = [&](const std::string& name) {
    if (name == "coordinates" || name == "rates") return frames_->system.has_value();
    if (name == "gaps") return frames_->system && !frames_->system->contacts().empty();
    if (name == "speed" || name == "centre") return frames_->bodies.has_value();
    if (name == "work") return !works(steps_).empty();
    if (name == "contacts") return any(steps_.contacts);
    if (name == "iterations") return any(steps_.iterations);
    if (name == "residual") return any(steps_.residual_velocity);
    if (name == "residual_natural") return any(steps_.residual_natural);
    if (name == "overlap") return any(steps_.worst_penetration);
    if (name == "force") return any(steps_.contacts) && frames_->run().frame_count() > 1;
    if (name == "support") return any(steps_.support_reaction);
    if (name == "joint_error") return any(steps_.worst_joint_error);
    if (name == "broken_bonds") return any(steps_.broken_bonds);
    if (name == "impacts") return any(steps_.impacts);
    return true;
  };
  for (const QuantityInfo& info : all_quantities())
    if (told(info.name)) list_.push_back(info);
}
QuantityReader::~QuantityReader() = default;

Quantity QuantityReader::read(const std::string& name) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const QuantityInfo& q) { return q.name == name; });
  if (found == list_.end()) {
    std::vector<std::string> names;
    for (const QuantityInfo& info : list_) names.push_back(info.name);
    for (const QuantityInfo& info : all_quantities())
      if (info.name == name) throw InputError({file_, 0, 0, ""}, fmt::format("has nothing to tell of {}", name));
    throw InputError({file_, 0, 0, ""},
                     fmt::format("has no quantity of that name{}; carom plot --list {} names them",
                                 suggestion(name, names), file_),
                     name);
  }
  Quantity quantity{*found, {}, {}};
  const RunDiagnostics& d = steps_;
  const bool by_frame = name == "speed" || name == "force" || name == "centre" || name == "coordinates" ||
                        name == "rates" || name == "gaps";
  quantity.time = by_frame ? frames_->run().frame_times() : d.time;
  Curves& curves = quantity.curves;
  if (name == "energy") curves = energies(d);
  if (name == "work") curves = works(d);
  if (name == "balance") curves = {{"sum of the steps' errors", running_sum(d.balance_error)}};
  if (name == "contacts")
    curves = {{"active contacts", real(d.contacts)}, {"largest island", real(d.largest_island)}, {"islands", real(d.islands)}};
  if (name == "iterations") curves = {{"iterations", real(d.iterations)}};
  if (name == "residual") curves = {{"worst contact", d.residual_velocity}};
  if (name == "residual_natural") curves = {{"natural map", d.residual_natural}};
  if (name == "overlap") curves = {{"worst overlap", d.worst_penetration}};
  if (name == "phases") curves = phase_times(d);
  if (name == "speed") curves = frames_->speeds();
  if (name == "force") curves = frames_->forces();
  if (name == "centre") curves = frames_->centres();
  if (name == "support") curves = supports(d);
  if (name == "joint_error") curves = {{"worst joint", d.worst_joint_error}};
  if (name == "broken_bonds") curves = {{"broken bonds", real(d.broken_bonds)}};
  if (name == "impacts") curves = {{"islands struck", real(d.impacts)}, {"came to no end", real(d.failed_impacts)}};
  if (name == "coordinates" || name == "rates" || name == "gaps") curves = frames_->of_system(name);
  return quantity;
}

std::vector<std::size_t> thinned(const std::vector<double>& values, std::size_t most) {
  std::vector<std::size_t> kept;
  const std::size_t stretches = std::max<std::size_t>(1, most / 2);
  if (values.size() <= 2 * stretches) {
    kept.resize(values.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  for (std::size_t k = 0; k < stretches; ++k) {
    const std::size_t first = k * values.size() / stretches, end = (k + 1) * values.size() / stretches;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < end; ++i) {
      if (values[i] < values[low] || std::isnan(values[low])) low = i;
      if (values[i] > values[high] || std::isnan(values[high])) high = i;
    }
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
  }
  // The ends are where people look.
  if (kept.front() != 0) kept.insert(kept.begin(), 0);
  if (kept.back() != values.size() - 1) kept.push_back(values.size() - 1);
  return kept;
}

}  // namespace carom
