// Reading run files, also while they are being written and after their writer was killed: what counts is the
// last flush. Throws InputError naming file and dataset when the file is foreign or damaged; sizes are checked
// against each other and against the file before anything is allocated.
#pragma once

#include "engine/interfaces.h"
#include "io/checkpoint.h"
#include "io/run_file.h"
#include "io/scene.h"

namespace carom {

struct RunBody {
  std::string name, group;
  BodyKind kind = BodyKind::Dynamic;
  double mass = 0;
};
struct RunCollider {
  int body = 0;
  Shape shape;  // meshes and height fields of files of early versions have no data
  Pose local;
  std::string material;
};

struct RunJoint {
  std::string name;
  JointType type = JointType::Ball;
  int body_a = -1, body_b = -1;  // -1: the world
};
struct RunInterface {
  int body_a = 0, body_b = 0;
  double area = 0;  // m^2
};
struct CollapseRecord {
  std::optional<Collapse> collapse;
  double peak_base_shear = 0;  // N
  double peak_time = 0;        // s
};

// Of one joint or interface in one frame.
struct JointFrame {
  Vec3 force, torque;  // on a, N and N m
  AxisRecord slide, turn;
  double error = 0;  // m or rad
};
struct InterfaceFrame {
  InterfaceStatus status = InterfaceStatus::Closed;
  double opening = 0, closest = 0, sliding = 0;     // m
  double normal_force = 0, shear_force = 0;         // N
  double eccentricity = 0;
  Vec3 thrust_point;
  bool bonded = false;
};

struct RunFrame {
  double time = 0;
  std::int64_t step = 0;
  std::vector<Vec3> position;
  std::vector<Quat> orientation;
  std::vector<Vec3> velocity;
  std::vector<Vec3> angular_velocity;  // world frame
};

class RunReader : public RunFile {
 public:
  explicit RunReader(const std::string& file);

  std::vector<Attachment> attachments() const;
  std::vector<RunBody> bodies() const;
  std::vector<RunCollider> colliders() const;
  RunFrame frame(std::int64_t index) const;
  std::vector<ContactRecord> contacts(std::int64_t frame) const;
  bool has_moments() const;  // of contacts: some pair of materials resists rolling
  std::vector<RunJoint> joints() const;
  std::vector<JointFrame> joints(std::int64_t frame) const;
  std::vector<RunInterface> interfaces() const;
  std::vector<InterfaceFrame> interfaces(std::int64_t frame) const;
  CollapseRecord collapse() const;
  std::optional<WorldSnapshot> checkpoint() const;
  std::optional<Checkpoint> last_checkpoint() const;  // the same with its place in the file

 private:
  std::size_t bodies_ = 0;
  std::size_t joints_ = 0, interfaces_ = 0;
};

}  // namespace carom
