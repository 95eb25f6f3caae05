// What a run file tells of joints and interfaces besides their rows by frame.
#include <cmath>
#include <limits>

#include "io/run_columns.h"
#include "io/run_statics.h"

namespace carom {

namespace layout = run_layout;
using h5::Type;

void write_joints(h5::File& file, const World& world) {
  if (world.joint_count() == 0) return;
  const std::string group = layout::kJoints;
  std::vector<std::string> names;
  std::vector<std::uint8_t> type;
  std::vector<std::int32_t> body_a, body_b;
  for (const Joint& joint : world.joints()) {
    names.push_back(joint.name);
    type.push_back(static_cast<std::uint8_t>(joint.type));
    body_a.push_back(joint.bodies[0]);
    body_b.push_back(joint.bodies[1]);
  }
  file.write_texts(group + "name", names);
  write_column(file, group + "type", type, {}, "1");
  file.set_attribute(group + "type", "meaning", names_up_to(JointType::Spring));
  write_column(file, group + "body_a", body_a, {}, "1");
  write_column(file, group + "body_b", body_b, {}, "1");
}

void write_interfaces(h5::File& file, const World& world) {
  if (world.interfaces() == nullptr || world.interfaces()->interfaces().empty()) return;
  const std::string group = layout::kInterfaces;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<double> area;
  for (const Interface& face : world.interfaces()->interfaces()) {
    body_a.push_back(face.body_a);
    body_b.push_back(face.body_b);
    area.push_back(face.area);
  }
  write_column(file, group + "body_a", body_a, {}, "1");
  write_column(file, group + "body_b", body_b, {}, "1");
  write_column(file, group + "area", area, {}, "m^2");
  constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
  write_column(file, layout::kCollapse, std::vector<double>{kNever, kNever, kNever, kNever, 0, 0}, {},
               "s, s, 1, m, N, s");
  file.set_attribute(layout::kCollapse, "meaning",
                     std::vector<std::string>{"time", "onset", "body", "displacement", "peak base shear",
                                              "time of the peak"});
  write_column(file, layout::kMechanism, std::vector<std::uint8_t>(area.size(), 0), {}, "1");
}

std::vector<RunJoint> read_joints(const h5::File& file, std::size_t bodies) {
  const std::string group = layout::kJoints;
  if (!file.exists(group + "name")) return {};
  const std::vector<std::string> names = file.read_texts(group + "name");
  const auto type = read_column<std::uint8_t>(file, group + "type", names.size());
  const auto body_a = read_column<std::int32_t>(file, group + "body_a", names.size());
  const auto body_b = read_column<std::int32_t>(file, group + "body_b", names.size());
  std::vector<RunJoint> joints;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (type[i] > static_cast<std::uint8_t>(JointType::Spring)) file.fail(group + "type", "holds an unknown type");
    for (const std::int32_t body : {body_a[i], body_b[i]})
      if (body < -1 || body >= static_cast<std::int64_t>(bodies)) file.fail(group, "names no body");
    joints.push_back({names[i], static_cast<JointType>(type[i]), body_a[i], body_b[i]});
  }
  return joints;
}

std::vector<RunInterface> read_interfaces(const h5::File& file, std::size_t bodies) {
  const std::string group = layout::kInterfaces;
  if (!file.exists(group + "body_a")) return {};
  const std::uint64_t count = file.open_dataset(group + "body_a", Type::Int32, 1).rows();
  if (count > file.size_on_disk()) file.fail(group + "body_a", "claims more rows than the file holds");
  const auto body_a = read_column<std::int32_t>(file, group + "body_a", count);
  const auto body_b = read_column<std::int32_t>(file, group + "body_b", count);
  const auto area = read_column<double>(file, group + "area", count);
  std::vector<RunInterface> faces;
  for (std::size_t i = 0; i < body_a.size(); ++i) {
    for (const std::int32_t body : {body_a[i], body_b[i]})
      if (body < 0 || static_cast<std::size_t>(body) >= bodies) file.fail(group, "names no body");
    faces.push_back({body_a[i], body_b[i], area[i]});
  }
  return faces;
}

CollapseRecord read_collapse(const h5::File& file, std::size_t bodies, std::size_t interfaces) {
  CollapseRecord record;
  if (!file.exists(layout::kCollapse)) return record;
  const auto values = read_column<double>(file, layout::kCollapse, layout::kCollapseValues);
  const auto mechanism = read_column<std::uint8_t>(file, layout::kMechanism, interfaces);
  record.peak_base_shear = values[4];
  record.peak_time = values[5];
  if (std::isnan(values[0])) return record;
  if (!(values[2] >= 0 && values[2] < static_cast<double>(bodies))) file.fail(layout::kCollapse, "names no body");
  Collapse& collapse = record.collapse.emplace();
  collapse.time = values[0];
  collapse.onset = values[1];
  collapse.body = static_cast<int>(values[2]);
  collapse.displacement = values[3];
  for (std::size_t k = 0; k < mechanism.size(); ++k)
    if (mechanism[k] != 0) collapse.mechanism.push_back(static_cast<int>(k));
  return record;
}

}  // namespace carom
