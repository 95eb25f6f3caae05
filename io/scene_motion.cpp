// Prescribed motion of kinematic bodies.
#include <fmt/format.h>

#include <algorithm>

#include "io/motion_table.h"
#include "io/scene_parts.h"
#include "io/text_file.h"

namespace carom {

const std::string& attached_text(const TomlValue& name, SceneDraft& draft) {
  const auto named = [&](const Attachment& a) { return a.name == name.text(); };
  std::vector<Attachment>& kept = draft.scene.attachments;
  const auto known = std::find_if(kept.begin(), kept.end(), named);
  if (known != kept.end()) return known->text;
  const auto given = std::find_if(draft.attachments->begin(), draft.attachments->end(), named);
  if (given != draft.attachments->end()) {
    kept.push_back(*given);
  } else {
    try {
      kept.push_back({name.text(), read_text_file(draft.folder / name.text())});
    } catch (const InputError& error) {
      name.fail_plainly(error.what());
    }
  }
  return kept.back().text;
}

namespace {

MotionTable read_inline_table(const TomlValue& value) {
  MotionTable table;
  for (const TomlValue& row : value.items()) {
    const std::vector<double> entry = row.reals(2);
    if (entry[0] < 0) row.fail("time must be >= 0");
    if (!table.time.empty() && entry[0] <= table.time.back()) row.fail("time must increase from row to row");
    table.time.push_back(entry[0]);
    table.acceleration.push_back(entry[1]);
  }
  if (table.time.size() < 2) value.fail("needs at least two rows [time, acceleration]");
  return table;
}

Motion read_acceleration(TomlTable& motion, SceneDraft& draft) {
  const Vec3 direction = motion.need("direction").direction();
  motion.forbid_both("table", "file");
  motion.allow("table");
  MotionTable table;
  if (const auto file = motion.find("file"))
    table = parse_motion_file(attached_text(*file, draft), file->text());
  else if (motion.has("table"))
    table = read_inline_table(motion.need("table"));
  else
    motion.fail("needs the accelerations: table = [[t, a], ...] or file = \"name.csv\" or \"name.AT2\"");
  const double scale = motion.real("scale", any_real(), 1);
  for (double& a : table.acceleration) a *= scale;
  return at_place(motion.place(), [&] { return acceleration_table(direction, table.time, table.acceleration); });
}

Motion read_harmonic(TomlTable& motion) {
  const Vec3 direction = motion.need("direction").direction();
  const double amplitude = motion.need("amplitude").real();
  const double frequency = motion.need("frequency").real(not_negative());
  const double phase = motion.real("phase", any_real(), 0);
  return harmonic(direction, amplitude, frequency, phase);
}

}  // namespace

Motion read_motion(TomlTable motion, SceneDraft& draft) {
  enum class Type { Velocity, Harmonic, Acceleration, Settlement };
  const auto type = motion.need("type").choice<Type>({{"velocity", Type::Velocity},
                                                      {"harmonic", Type::Harmonic},
                                                      {"acceleration", Type::Acceleration},
                                                      {"settlement", Type::Settlement}});
  Motion result;
  if (type == Type::Velocity) {
    const Vec3 velocity = motion.vector3("velocity", Vec3::Zero());
    result = constant_velocity(velocity, motion.vector3("angular_velocity", Vec3::Zero()));
  } else if (type == Type::Settlement) {
    const Vec3 displacement = motion.need("displacement").vector3();
    const double over = motion.need("over").real(positive());
    result = settlement(displacement, motion.real("from", not_negative(), 0), over);
  } else {
    result = type == Type::Harmonic ? read_harmonic(motion) : read_acceleration(motion, draft);
  }
  motion.finish();
  return result;
}

}  // namespace carom
