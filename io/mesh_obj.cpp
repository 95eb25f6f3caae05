// Wavefront OBJ.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/mesh_text.h"

namespace carom {

namespace {

constexpr std::size_t kMaxPolygon = 10'000;  // corners of one face; ears cost the cube of it

// Keywords of the format that say nothing about vertices and faces.
bool passed_over(std::string_view keyword) {
  constexpr std::string_view words[] = {
      "vt", "vn", "vp",    "o",   "g",        "s",        "mg",         "usemtl", "mtllib",    "usemap", "maplib",
      "l",  "p",  "bevel", "lod", "c_interp", "d_interp", "shadow_obj", "usemtl", "trace_obj", "call",   "csh"};
  return std::find(std::begin(words), std::end(words), keyword) != std::end(words);
}

class ObjParser {
 public:
  explicit ObjParser(RawMesh& mesh) : mesh_(mesh) {}

  void run() {
    std::string_view rest = mesh_.bytes;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      ++line_;
      parse(join(line, rest));
    }
  }

 private:
  // A backslash at the end continues the line on the next.
  std::string_view join(std::string_view line, std::string_view& rest) {
    statement_line_ = line_;
    const auto trimmed = [](std::string_view s) { return s.substr(0, s.find_last_not_of(" \t\r") + 1); };
    line = trimmed(line);
    if (line.empty() || line.back() != '\\') return line;
    joined_.clear();
    while (!line.empty() && line.back() == '\\') {
      joined_ += line.substr(0, line.size() - 1);
      joined_ += ' ';
      const std::size_t end = rest.find('\n');
      line = trimmed(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      ++line_;
    }
    joined_ += line;
    return joined_;
  }

  void parse(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const std::string_view keyword = next_word(line);
    if (keyword.empty() || passed_over(keyword)) return;
    if (keyword == "v") {
      mesh_.vertices.push_back(read_point(mesh_, statement_line_, line));
    } else if (keyword == "f") {
      parse_face(line);
    } else {
      mesh_.fail(statement_line_, "unknown keyword; expected v, f or others of the OBJ format", keyword);
    }
  }

  void parse_face(std::string_view line) {
    polygon_.clear();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      polygon_.push_back(corner(word));
      if (polygon_.size() > kMaxPolygon)
        mesh_.fail(statement_line_, fmt::format("a face has more than {} corners", kMaxPolygon));
    }
    if (polygon_.size() < 3)
      mesh_.fail(statement_line_, "a face needs three corners", fmt::format("{}", polygon_.size()));
    if (!triangulate(mesh_.vertices, polygon_, mesh_.triangles))
      mesh_.fail(statement_line_, "is degenerate: the face has no area or crosses itself",
                 fmt::format("{} corners", polygon_.size()));
    mesh_.line.resize(mesh_.triangles.size(), static_cast<std::uint32_t>(statement_line_));
  }

  // i, i/t, i//n or i/t/n; i counts from 1, or from the end when negative.
  std::uint32_t corner(std::string_view word) const {
    const std::string_view number = word.substr(0, word.find('/'));
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc{} || end != number.data() + number.size() || index == 0)
      mesh_.fail(statement_line_, "a corner must be the number of a vertex, from 1, or negative from the end", word);
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t at = index > 0 ? index - 1 : count + index;
    if (at < 0 || at >= count)
      mesh_.fail(statement_line_, fmt::format("a corner is not among the {} vertices above it", count), word);
    return static_cast<std::uint32_t>(at);
  }

  RawMesh& mesh_;
  std::size_t line_ = 0;            // last line read
  std::size_t statement_line_ = 0;  // first line of the statement
  std::string joined_;
  std::vector<std::uint32_t> polygon_;
};

}  // namespace

void parse_obj(RawMesh& mesh) { ObjParser(mesh).run(); }

}  // namespace carom
