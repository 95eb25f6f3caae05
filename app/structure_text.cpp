#include "app/structure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "app/terminal.h"

namespace carom {

namespace {

constexpr std::size_t kShown = 8;  // interfaces of a mechanism that are listed

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// One interface of the mechanism as it was when the structure fell.
struct Opened {
  std::string bodies;
  InterfaceStatus status = InterfaceStatus::Closed;
  double opening = 0, sliding = 0;  // m
  Vec3 thrust = Vec3::Zero();       // where the thrust passes: at a hinge its edge, m
  double size() const { return std::max(opening, sliding); }
};

void describe_mechanism(std::vector<Opened> faces, StructureReport& report) {
  for (const Opened& face : faces) ++report.mechanism[static_cast<std::size_t>(face.status)];
  std::stable_sort(faces.begin(), faces.end(), [](const Opened& a, const Opened& b) { return a.size() > b.size(); });
  for (const Opened& face : faces) {
    const Vec3& at = face.thrust;
    const std::string place = face.status == InterfaceStatus::Hinge
                                  ? fmt::format(" at ({:.3f}, {:.3f}, {:.3f}) m", at.x(), at.y(), at.z())
                                  : std::string();
    report.opened.push_back(fmt::format("{} ({}{}, {} {:.3g} mm)", face.bodies, name_of(face.status), place,
                                        face.status == InterfaceStatus::Sliding ? "slid" : "opened",
                                        1000 * face.size()));
  }
}

void add_loads(const World& world, StructureReport& report) {
  const Gravity& gravity = world.forces().gravity;
  double mass = 0;
  for (double m : world.properties().mass) mass += m;
  report.weight = mass * gravity.acceleration.norm();
  report.bonds = world.bonds().size();
  if (report.found.collapse && gravity.tilt_rate != 0)
    report.tilt = std::abs(gravity.tilt(report.found.collapse->onset)) * 180 / std::numbers::pi;
}

std::string counts_text(const std::array<std::size_t, 4>& counts, bool with_closed) {
  std::string text;
  const auto add = [&](InterfaceStatus status, const char* one, const char* many) {
    const std::size_t n = counts[static_cast<std::size_t>(status)];
    if (n > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(n)),
                          n == 1 ? one : many);
  };
  if (with_closed) add(InterfaceStatus::Closed, "closed", "closed");
  add(InterfaceStatus::Hinge, "hinge", "hinges");
  add(InterfaceStatus::Sliding, "sliding", "sliding");
  add(InterfaceStatus::Open, "open", "open");
  return text.empty() ? "none" : text;
}

}  // namespace

StructureReport structure_of(const Scene& scene) {
  const World& world = scene.world;
  StructureReport report;
  report.joints = static_cast<std::size_t>(world.joint_count());
  const InterfaceMonitor* monitor = world.interfaces();
  if (monitor == nullptr) {
    add_loads(world, report);
    return report;
  }
  report.found = {monitor->collapse(), monitor->peak_base_shear(), monitor->peak_time()};
  const std::vector<std::string>& names = world.properties().name;
  // The monitor's own figures are those of the collapse; statuses at the end follow from positions.
  InterfaceMonitor now = *monitor;
  now.update(world, 1, {});
  for (const Interface& face : now.interfaces()) ++report.interfaces[static_cast<std::size_t>(face.status)];
  if (const auto& collapse = monitor->collapse()) {
    report.fallen = names[at(collapse->body)];
    std::vector<Opened> faces;
    for (int k : collapse->mechanism) {
      const Interface& face = monitor->interfaces()[at(k)];
      faces.push_back({fmt::format("{} | {}", names[at(face.body_a)], names[at(face.body_b)]), face.status,
                       face.opening, face.sliding, face.thrust_point});
    }
    describe_mechanism(faces, report);
  }
  add_loads(world, report);
  return report;
}

StructureReport structure_of(const RunReader& run, const Scene* scene) {
  StructureReport report;
  report.joints = run.joints().size();
  report.found = run.collapse();
  const std::vector<RunInterface> faces = run.interfaces();
  if (!faces.empty())
    for (const InterfaceFrame& face : run.interfaces(run.frame_count() - 1))
      ++report.interfaces[static_cast<std::size_t>(face.status)];
  if (const auto& collapse = report.found.collapse) {
    const std::vector<RunBody> bodies = run.bodies();
    report.fallen = bodies[at(collapse->body)].name;
    const std::vector<double> times = run.frame_times();
    const auto frame = std::lower_bound(times.begin(), times.end(), collapse->time);
    const auto rows = run.interfaces(std::min<std::int64_t>(frame - times.begin(), run.frame_count() - 1));
    std::vector<Opened> opened;
    for (int k : collapse->mechanism)
      opened.push_back(
          {fmt::format("{} | {}", bodies[at(faces[at(k)].body_a)].name, bodies[at(faces[at(k)].body_b)].name),
           rows[at(k)].status, rows[at(k)].opening, rows[at(k)].sliding, rows[at(k)].thrust_point});
    describe_mechanism(opened, report);
  }
  if (scene != nullptr) add_loads(scene->world, report);
  return report;
}

std::string structure_text(const StructureReport& r, const RunSummary& summary) {
  std::string text;
  if (r.joints > 0)
    text += row("joints", fmt::format("{}, held to {:.2g} (m or rad)", with_commas(static_cast<std::int64_t>(r.joints)),
                                      summary.worst_joint_error));
  if (r.bonds > 0 || summary.broken_bonds > 0)
    text += row(
        "cohesion",
        summary.broken_bonds == 0
            ? fmt::format("{} interfaces bonded, none broke", with_commas(static_cast<std::int64_t>(r.bonds)))
            : fmt::format("{} of {} bonded interfaces broke, the first at {:.4g} s", with_commas(summary.broken_bonds),
                          with_commas(static_cast<std::int64_t>(r.bonds)), summary.first_break));
  std::size_t watched = 0;
  for (std::size_t n : r.interfaces) watched += n;
  if (watched == 0) return text;
  text += row("interfaces", fmt::format("{} watched; at the end {}", with_commas(static_cast<std::int64_t>(watched)),
                                        counts_text(r.interfaces, true)));
  text +=
      row("base shear",
          fmt::format("at most {:.4g} N, at {:.4g} s{}", r.found.peak_base_shear, r.found.peak_time,
                      r.weight > 0 ? fmt::format(", {:.3g} of the weight", r.found.peak_base_shear / r.weight) : ""));
  const auto& collapse = r.found.collapse;
  if (!collapse) return text + row("collapse", fmt::format("none up to {:.4g} s", summary.time));
  text += row("collapse", fmt::format("began at {:.4g} s{}; at {:.4g} s {} had moved by {:.3g} m", collapse->onset,
                                      r.tilt ? fmt::format(", at a tilt of {:.4g} degrees", *r.tilt) : "",
                                      collapse->time, r.fallen, collapse->displacement));
  text += row("mechanism", counts_text(r.mechanism, false));
  for (std::size_t k = 0; k < std::min(kShown, r.opened.size()); ++k) text += row("", r.opened[k]);
  if (r.opened.size() > kShown) text += row("", fmt::format("and {} more", r.opened.size() - kShown));
  return text;
}

void add_structure(const StructureReport& r, const RunSummary& summary, JsonObject& json) {
  json.add("joints", r.joints);
  if (r.joints > 0) json.add("worst_joint_error", summary.worst_joint_error);
  json.add("bonds", r.bonds);
  json.add("broken_bonds", summary.broken_bonds);
  JsonObject counts;
  std::size_t watched = 0;
  for (int k = 0; k < 4; ++k) {
    counts.add(name_of(static_cast<InterfaceStatus>(k)), r.interfaces[at(k)]);
    watched += r.interfaces[at(k)];
  }
  if (watched == 0) return;
  json.add("interfaces", counts);
  json.add("peak_base_shear", r.found.peak_base_shear);
  json.add("peak_base_shear_time", r.found.peak_time);
  json.add("collapsed", r.found.collapse.has_value());
  if (!r.found.collapse) return;
  JsonObject collapse;
  collapse.add("onset", r.found.collapse->onset);
  collapse.add("time", r.found.collapse->time);
  if (r.tilt) collapse.add("tilt_degrees", *r.tilt);
  collapse.add("body", r.fallen);
  collapse.add("displacement", r.found.collapse->displacement);
  collapse.add("mechanism", r.opened);
  json.add("collapse", collapse);
}

}  // namespace carom
