#include "io/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.h"

namespace carom {

std::string read_text_file(const std::filesystem::path& file, std::uintmax_t limit) {
  std::error_code error;
  const auto kind = std::filesystem::status(file, error);
  if (error || !std::filesystem::exists(kind)) throw InputError({file.string(), 0, 0, ""}, "no such file");
  if (std::filesystem::is_directory(kind)) throw InputError({file.string(), 0, 0, ""}, "is a folder, not a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError({file.string(), 0, 0, ""}, std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit)
      throw InputError({file.string(), 0, 0, ""}, "is larger than the " + std::to_string(limit >> 20) + " MiB allowed");
  }
  if (stream.bad()) throw InputError({file.string(), 0, 0, ""}, "could not be read to its end");
  return text;
}

std::filesystem::path staging_place(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw OutputError(file.string(), "is a folder, not a file");
  const auto kind = std::filesystem::symlink_status(file, ignored);
  if (std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind)) return file;
  std::filesystem::path beside = file;
  beside += ".part" + std::to_string(::getpid());
  return beside;
}

void write_text_file(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path beside = staging_place(file);
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  if (!stream) throw OutputError(file.string(), std::string("cannot be created: ") + std::strerror(errno));
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  std::error_code error;
  if (stream.fail()) {
    const std::string reason = std::strerror(errno);
    if (beside != file) std::filesystem::remove(beside, error);
    throw OutputError(file.string(), "could not be written: " + reason);
  }
  if (beside == file) return;
  std::filesystem::rename(beside, file, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(beside, error);
    throw OutputError(file.string(), "could not be put in place: " + reason);
  }
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out;
}

}  // namespace carom
