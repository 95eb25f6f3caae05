#include "io/table_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "io/text_file.h"

namespace carom {

TableFile::TableFile(const std::string& file) : file_(file), beside_(staging_place(file)) {
  stream_.open(beside_, std::ios::binary | std::ios::trunc);
  if (!stream_) throw OutputError(file_, std::string("cannot be created: ") + std::strerror(errno));
}

TableFile::~TableFile() {
  if (done_ || beside_ == file_) return;
  stream_.close();
  std::error_code error;
  std::filesystem::remove(beside_, error);
}

void TableFile::finish() {
  write();
  stream_.close();
  if (stream_.fail()) fail(std::strerror(errno));
  done_ = beside_ == file_;
  if (done_) return;
  std::error_code error;
  std::filesystem::rename(beside_, file_, error);
  if (error) fail(error.message());
  done_ = true;
}

void TableFile::fail(const std::string& reason) const { throw OutputError(file_, "could not be written: " + reason); }

void TableFile::write() {
  errno = 0;
  stream_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (!stream_) fail(std::strerror(errno));
  buffer_.clear();
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace carom
