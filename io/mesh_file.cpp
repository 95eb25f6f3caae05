#include "io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "io/mesh_text.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{4} << 30;

// Vertices at the same place, or within `distance` of each other, become the first of them.
class Welder {
 public:
  Welder(std::span<const Vec3> vertices, double distance) : vertices_(vertices), distance_(distance) {}

  // The new number of each vertex; `kept` are the vertices that stay.
  std::vector<std::uint32_t> run(std::vector<Vec3>& kept) {
    std::vector<std::uint32_t> order(vertices_.size()), same(vertices_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::iota(same.begin(), same.end(), 0u);
    // Sorted by x: partners lie within a window.
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
      const Vec3 &p = vertices_[i], &q = vertices_[j];
      if (p.x() != q.x()) return p.x() < q.x();
      if (p.y() != q.y()) return p.y() < q.y();
      return p.z() != q.z() ? p.z() < q.z() : i < j;
    });
    const auto root = [&](std::uint32_t i) {
      while (same[i] != i) i = same[i] = same[same[i]];
      return i;
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Vec3& p = vertices_[order[k]];
      for (std::size_t m = k + 1; m < order.size() && vertices_[order[m]].x() - p.x() <= distance_; ++m) {
        const Vec3& q = vertices_[order[m]];
        // At distance 0 equals are neighbours in the order.
        if (distance_ == 0 && q != p) break;
        if ((q - p).squaredNorm() > distance_ * distance_) continue;
        const std::uint32_t a = root(order[k]), b = root(order[m]);
        same[std::max(a, b)] = std::min(a, b);
        if (distance_ == 0) break;
      }
    }
    std::vector<std::uint32_t> number(vertices_.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      const std::uint32_t r = root(i);
      if (r == i) {
        number[i] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(vertices_[i]);
      } else {
        number[i] = number[r];
      }
    }
    return number;
  }

 private:
  std::span<const Vec3> vertices_;
  double distance_;
};

void check_options(const MeshFileOptions& options, const std::string& file) {
  const auto demand = [&](bool holds, const char* item, const char* range, double value) {
    if (!holds) throw InputError({file, 0, 0, item}, fmt::format("must be {}", range), fmt::format("{}", value));
  };
  demand(options.unit > 0 && std::isfinite(options.unit), "unit", "finite and > 0", options.unit);
  demand(options.weld >= 0 && std::isfinite(options.weld), "weld", "finite and >= 0", options.weld);
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

std::shared_ptr<const TriangleMesh> link(const MeshFile& data, const MeshFileOptions& options) {
  if (data.triangles.empty()) throw InputError({data.file, 0, 0, ""}, "has no faces");
  return make_triangle_mesh(data.vertices, data.triangles,
                            {options.thickness, [&](std::uint32_t t) { return data.place(t); }});
}

std::shared_ptr<const Polyhedron> hull_of(const MeshFile& data) {
  try {
    return convex_hull(data.vertices);
  } catch (const InputError& error) {
    throw InputError({data.file, 0, 0, error.place().item}, error.problem(), error.value());
  }
}

}  // namespace

void RawMesh::fail(std::size_t at_line, const std::string& problem, std::string_view value) const {
  // A damaged file may hold anything: no more of it than a line, and nothing that is not text.
  std::string shown(value.substr(0, 40));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  throw InputError({file, static_cast<int>(at_line), 0, ""}, problem, shown);
}

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = std::min(line.find_first_not_of(kBlank), line.size());
  const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line = line.substr(end);
  return word;
}

Vec3 read_point(const RawMesh& mesh, std::size_t at_line, std::string_view& line) {
  Vec3 x;
  for (int k = 0; k < 3; ++k) {
    std::string_view word = next_word(line);
    if (word.empty()) mesh.fail(at_line, "a point needs three numbers", fmt::format("{}", k));
    const std::string_view digits = word.front() == '+' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x[k]);
    if (error != std::errc{} || end != digits.data() + digits.size()) mesh.fail(at_line, "is not a number", word);
    if (!std::isfinite(x[k])) mesh.fail(at_line, "must be finite", word);
  }
  return x;
}

Place MeshFile::place(std::uint32_t triangle) const {
  if (triangle < line.size()) return {file, static_cast<int>(line[triangle]), 0, fmt::format("face {}", triangle)};
  return {file, 0, 0, fmt::format("facet {} at byte {}", triangle, 84 + 50 * std::size_t{triangle})};
}

MeshFile read_mesh_file(const std::filesystem::path& file, const MeshFileOptions& options) {
  const std::string name = file.string();
  check_options(options, name);
  const std::string extension = lower_extension(file);
  if (extension != ".obj" && extension != ".stl")
    throw InputError({name, 0, 0, ""}, "is of an unknown kind; meshes are .obj or .stl files", extension);
  const std::string bytes = read_text_file(file, kMaxBytes);
  if (bytes.empty()) throw InputError({name, 0, 0, ""}, "is empty");
  RawMesh raw;
  raw.file = name;
  raw.bytes = bytes;
  if (extension == ".obj")
    parse_obj(raw);
  else
    parse_stl(raw);
  if (raw.vertices.empty()) throw InputError({name, 0, 0, ""}, "has no vertices");

  // + 0.0 makes one zero of the two.
  for (Vec3& x : raw.vertices) x = (options.unit * x).array() + 0.0;
  for (const Vec3& x : raw.vertices)
    if (!x.allFinite()) throw InputError({name, 0, 0, "unit"}, "puts a vertex outside the range of numbers");
  MeshFile data;
  data.file = name;
  data.line = std::move(raw.line);
  const std::vector<std::uint32_t> number = Welder(raw.vertices, options.weld).run(data.vertices);
  data.triangles = std::move(raw.triangles);
  for (TriangleCorners& triangle : data.triangles)
    for (std::uint32_t& v : triangle) v = number[v];
  return data;
}

std::shared_ptr<const TriangleMesh> read_mesh(const std::filesystem::path& file, const MeshFileOptions& options) {
  return link(read_mesh_file(file, options), options);
}

SolidFile read_solid(const std::filesystem::path& file, const MeshFileOptions& options) {
  const MeshFile data = read_mesh_file(file, options);
  SolidFile solid;
  solid.surface = link(data, options);
  solid.solid = solid_properties(*solid.surface, [&](std::uint32_t t) { return data.place(t); });
  solid.hull = hull_of(data);
  solid.convexity = solid.solid.volume / solid_properties(*solid.hull).volume;
  return solid;
}

std::shared_ptr<const Polyhedron> read_hull(const std::filesystem::path& file, const MeshFileOptions& options) {
  return hull_of(read_mesh_file(file, options));
}

}  // namespace carom
