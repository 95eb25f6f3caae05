// The journal of an unfinished study: blocks of records in the order of their numbers, each with a checksum. A killed
// study loses at most the block that was being written.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "engine/rockfall/record.h"

namespace carom {

class Journal {
 public:
  Journal() = default;
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // A new journal in place of any other. Throws OutputError.
  void create(const std::string& file, std::uint64_t fingerprint);
  // Goes on with one: calls take(record) for all that it holds, and cuts off a block that was not finished. Throws
  // InputError when it belongs to another study or is no journal.
  void resume(const std::string& file, std::uint64_t fingerprint,
              const std::function<void(const rockfall::TrajectoryRecord&)>& take);
  // Throws OutputError; the blocks before are safe.
  void append(const std::vector<rockfall::TrajectoryRecord>& records);
  void remove();  // the study is finished

  const std::string& file() const { return file_; }

 private:
  void close();

  std::string file_;
  std::FILE* stream_ = nullptr;
  long end_ = 0;  // of the last whole block
  std::string bytes_;
};

}  // namespace carom
