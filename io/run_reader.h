// Reading run files, also while they are being written and after their writer was killed: what counts is the
// last flush. Throws InputError naming file and dataset when the file is foreign or damaged; sizes are checked
// against each other and against the file before anything is allocated.
#pragma once

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
  Shape shape;
  Pose local;
  std::string material;
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
  std::optional<WorldSnapshot> checkpoint() const;
  std::optional<Checkpoint> last_checkpoint() const;  // the same with its place in the file

 private:
  std::size_t bodies_ = 0;
};

}  // namespace carom
