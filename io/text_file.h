#pragma once

#include <filesystem>
#include <string>

namespace carom {

// The whole file. Throws InputError naming the file when it is missing, a folder, unreadable or over `limit` bytes.
std::string read_text_file(const std::filesystem::path& file, std::uintmax_t limit = 256u << 20);

// Where a new `file` is to be written first: beside its place, to be renamed when complete. A device, a pipe or a
// link is never replaced: it is written through, and this is `file` itself. Throws OutputError when it is a folder.
std::filesystem::path staging_place(const std::filesystem::path& file);

// Replaces `file` in one step (write beside it, then rename), so that no half-written file is ever seen.
// Throws OutputError.
void write_text_file(const std::filesystem::path& file, const std::string& text);

// Text as XML and SVG take it: markup characters escaped, control characters left out.
std::string xml_escaped(const std::string& text);

}  // namespace carom
