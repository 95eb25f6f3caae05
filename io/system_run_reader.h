// Reading run files of systems in generalized coordinates: the same format as those of bodies (io/run_layout.h), with
// /system instead of /bodies, and frames of q, v and gaps.
#pragma once

#include "io/checkpoint.h"
#include "io/run_file.h"

namespace carom {

struct SystemFrame {
  double time = 0;
  std::int64_t step = 0;
  std::vector<double> q, v, gap;
};

// As RunReader does for bodies.
class SystemRunReader : public RunFile {
 public:
  explicit SystemRunReader(const std::string& file);

  std::string system() const;  // type
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const std::vector<std::string>& contacts() const { return contacts_; }
  SystemFrame frame(std::int64_t index) const;
  std::vector<LagrangianContactRecord> contacts(std::int64_t frame) const;
  std::optional<SystemCheckpoint> last_checkpoint() const;

 private:
  std::vector<std::string> coordinates_, contacts_;
};

}  // namespace carom
