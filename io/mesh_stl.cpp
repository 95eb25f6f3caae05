// STL, binary and text.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "io/mesh_text.h"

namespace carom {

namespace {

constexpr std::size_t kHead = 84, kFacet = 50;  // bytes: 80 of comment and the count; normal, three corners, attribute

std::uint32_t little_endian(const char* p) {
  std::uint32_t word = 0;
  for (int k = 3; k >= 0; --k) word = word << 8 | static_cast<unsigned char>(p[k]);
  return word;
}

void parse_binary(RawMesh& mesh) {
  const std::size_t count = little_endian(mesh.bytes.data() + 80);
  mesh.binary = true;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t at = kHead + t * kFacet;
    TriangleCorners corners;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 x;
      for (std::size_t i = 0; i < 3; ++i) {
        const char* word = mesh.bytes.data() + at + 12 * (k + 1) + 4 * i;
        x[static_cast<int>(i)] = std::bit_cast<float>(little_endian(word));
      }
      if (!x.allFinite())
        throw InputError({mesh.file, 0, 0, fmt::format("facet {} at byte {}", t, at)},
                         fmt::format("corner {} must be finite", k), fmt::format("[{}, {}, {}]", x.x(), x.y(), x.z()));
      corners[k] = static_cast<std::uint32_t>(mesh.vertices.size());
      mesh.vertices.push_back(x);
    }
    mesh.triangles.push_back(corners);
  }
}

// Words in order, with the line each stands on.
class TextStl {
 public:
  explicit TextStl(RawMesh& mesh) : mesh_(mesh), rest_(mesh.bytes) {}

  void run() {
    bool any = false;
    while (advance()) {
      any = true;
      const std::string_view word = next_word(words_);
      if (word != "solid") mesh_.fail(line_, "expected solid", word);
      parse_solid();
    }
    if (!any) mesh_.fail(0, "is empty");
  }

 private:
  // To the next line with words; false at the end of the file.
  bool advance() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      words_ = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
      ++line_;
      if (words_.find_first_not_of(" \t\r") != std::string_view::npos) return true;
    }
    return false;
  }
  std::string_view expect_line(const char* what) {
    if (!advance()) mesh_.fail(line_, fmt::format("the file ends where {} was expected: it is truncated", what));
    return next_word(words_);
  }
  void expect(const char* first, const char* second) {
    const std::string_view word = expect_line(first);
    if (word != first) mesh_.fail(line_, fmt::format("expected {}", first), word);
    if (second == nullptr) return;
    const std::string_view next = next_word(words_);
    if (next != second) mesh_.fail(line_, fmt::format("expected {} {}", first, second), next);
  }

  void parse_solid() {
    for (;;) {
      const std::string_view word = expect_line("facet or endsolid");
      if (word == "endsolid") return;
      if (word != "facet") mesh_.fail(line_, "expected facet or endsolid", word);
      const std::size_t facet_line = line_;
      expect("outer", "loop");
      TriangleCorners corners;
      for (std::size_t k = 0; k < 3; ++k) {
        expect("vertex", nullptr);
        corners[k] = static_cast<std::uint32_t>(mesh_.vertices.size());
        mesh_.vertices.push_back(read_point(mesh_, line_, words_));
      }
      expect("endloop", nullptr);
      expect("endfacet", nullptr);
      mesh_.triangles.push_back(corners);
      mesh_.line.push_back(static_cast<std::uint32_t>(facet_line));
    }
  }

  RawMesh& mesh_;
  std::string_view rest_, words_;
  std::size_t line_ = 0;
};

}  // namespace

void parse_stl(RawMesh& mesh) {
  // A binary file has exactly the size its count demands; a comment may begin with "solid" in both forms.
  const std::size_t size = mesh.bytes.size();
  const std::size_t count = size >= kHead ? little_endian(mesh.bytes.data() + 80) : 0;
  if (size >= kHead && size == kHead + kFacet * count) return parse_binary(mesh);
  const std::size_t first = mesh.bytes.find_first_not_of(" \t\r\n");
  const bool text = first != std::string_view::npos && mesh.bytes.substr(first, 5) == "solid" &&
                    mesh.bytes.find('\0') == std::string_view::npos;
  if (text) return TextStl(mesh).run();
  if (size < kHead)
    mesh.fail(0, fmt::format("is no STL file: text begins with solid, and a binary file has at least {} bytes", kHead),
              fmt::format("{} bytes", size));
  mesh.fail(0,
            fmt::format("is truncated or damaged: a binary STL file of {} facets has {} bytes", count,
                        kHead + kFacet * count),
            fmt::format("{} bytes", size));
}

}  // namespace carom
