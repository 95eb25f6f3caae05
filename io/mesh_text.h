// What the readers of mesh files share; for their own files only.
#pragma once

#include <string_view>

#include "io/mesh_file.h"

namespace carom {

// A file as read, before welding.
struct RawMesh {
  std::string file;
  std::string_view bytes;  // of the whole file
  std::vector<Vec3> vertices;
  std::vector<TriangleCorners> triangles;
  std::vector<std::uint32_t> line;  // of each triangle; text only
  bool binary = false;

  [[noreturn]] void fail(std::size_t at_line, const std::string& problem, std::string_view value = {}) const;
};

void parse_obj(RawMesh& mesh);
void parse_stl(RawMesh& mesh);

// The next word of a line, or an empty one; takes it off.
std::string_view next_word(std::string_view& line);
// Three numbers off a line; fails unless they are there and finite.
Vec3 read_point(const RawMesh& mesh, std::size_t at_line, std::string_view& line);

// Cuts a polygon (vertex numbers, counter-clockwise) into triangles, ear by ear; false when it crosses itself or has no
// area, so that there is no ear.
bool triangulate(std::span<const Vec3> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<TriangleCorners>& out);

}  // namespace carom
