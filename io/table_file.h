// Tables as CSV files.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace carom {

// Written beside its place and moved there when complete, a piece at a time: exports can be larger than memory.
class TableFile {
 public:
  explicit TableFile(const std::string& file);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  template <class... Values>
  void row(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    buffer_.push_back('\n');
    if (buffer_.size() > 1 << 20) write();
  }
  void finish();

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  void write();

  std::string file_, beside_;
  std::ofstream stream_;
  fmt::memory_buffer buffer_;
  bool done_ = false;
};

// A name as a CSV field.
std::string csv_text(const std::string& text);

}  // namespace carom
