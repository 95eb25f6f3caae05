#include "io/mesh_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "base/random.h"
#include "io/text_file.h"

using namespace carom;
namespace fs = std::filesystem;

namespace {

fs::path written(const std::string& name, const std::string& text) {
  const fs::path folder = fs::path(CAROM_BINARY_DIR) / "test_mesh_file";
  fs::create_directories(folder);
  write_text_file(folder / name, text);
  return folder / name;
}

// The message of the error that a call ends in.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A box of 2 x 3 x 4 with a corner at the origin: six quads, outward.
const char* const kBoxVertices = "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 4\nv 2 0 4\nv 2 3 4\nv 0 3 4\n";
const char* const kBoxFaces = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

void put(std::string& bytes, float x) {
  const auto word = std::bit_cast<std::uint32_t>(x);
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> 8 * k & 0xFF);
}

std::string binary_stl(const MeshFile& mesh, const std::string& comment = "made by a test") {
  std::string bytes = comment;
  bytes.resize(80, ' ');
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(mesh.triangles.size() >> 8 * k & 0xFF);
  for (const TriangleCorners& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) put(bytes, 0);
    for (const std::uint32_t v : t)
      for (int k = 0; k < 3; ++k) put(bytes, static_cast<float>(mesh.vertices[v][k]));
    bytes += std::string(2, '\0');
  }
  return bytes;
}

std::string text_stl(const MeshFile& mesh) {
  std::string text = "solid rock\n";
  for (const TriangleCorners& t : mesh.triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const std::uint32_t v : t)
      text +=
          fmt::format("      vertex {:e} {} {}\n", mesh.vertices[v].x(), mesh.vertices[v].y(), mesh.vertices[v].z());
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid rock\n";
}

void check_box(const SolidFile& box, double unit) {
  // V = abc, centroid at half, inertia V/12 (b^2 + c^2)
  const double v = 24 * unit * unit * unit;
  CHECK(box.solid.volume == doctest::Approx(v).epsilon(1e-14));
  CHECK((box.solid.centroid - unit * Vec3(1, 1.5, 2)).norm() < 1e-14 * unit);
  const Vec3 inertia = v / 12 * unit * unit * Vec3(25, 20, 13);
  CHECK((box.solid.inertia - Mat3(inertia.asDiagonal())).norm() < 1e-13 * inertia.norm());
  CHECK(box.convexity == doctest::Approx(1).epsilon(1e-12));
  CHECK(box.hull->vertices.size() == 8);
  CHECK(box.hull->planes.size() == 6);
  CHECK(box.surface->closed);
  CHECK(box.surface->vertices.size() == 8);
  CHECK(box.surface->triangles.size() == 12);
}

}  // namespace

TEST_CASE("a box from OBJ, text STL and binary STL has the volume, centroid and inertia of the closed form") {
  const fs::path obj = written("box.obj", std::string("# a box\n") + kBoxVertices + kBoxFaces);
  check_box(read_solid(obj), 1);
  check_box(read_solid(obj, {.unit = 0.001}), 0.001);
  const MeshFile mesh = read_mesh_file(obj);
  check_box(read_solid(written("box_text.stl", text_stl(mesh))), 1);
  check_box(read_solid(written("box_binary.STL", binary_stl(mesh))), 1);
  // Some programs begin the comment of a binary file with the word of text files.
  check_box(read_solid(written("box_solid.stl", binary_stl(mesh, "solid box"))), 1);
}

TEST_CASE("OBJ: all forms of corners, negative numbers, continued lines and what is passed over") {
  const std::string text =
      "mtllib x.mtl\no box\r\nv 0 0 0 1.0\nv 1 0 0\nv 0 1 0\nv +0 0 1e0\nvn 0 0 1\nvt 0 0\ng side\nusemtl stone\ns "
      "off\n"
      "f 1/1 3/1 2/1\nf -4//1 -3//1 \\\n  -1//1\nf 2/1/1 3/1/1 4/1/1  # slanted\nf 3 1 4\nl 1 2\n";
  const SolidFile tetrahedron = read_solid(written("forms.obj", text));
  CHECK(tetrahedron.solid.volume == doctest::Approx(1.0 / 6).epsilon(1e-14));
  CHECK((tetrahedron.solid.centroid - Vec3::Constant(0.25)).norm() < 1e-15);
}

TEST_CASE("OBJ: concave polygons are cut inside") {
  // An L and a star with ten corners, extruded by nothing: areas of flat sheets.
  const auto area = [](const MeshFile& mesh) {
    Vec3 sum = Vec3::Zero();
    double absolute = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3 one = 0.5 * (mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]);
      sum += one;
      absolute += one.norm();
    }
    // No triangle is turned over.
    CHECK(absolute == doctest::Approx(sum.norm()).epsilon(1e-12));
    return absolute;
  };
  const MeshFile l =
      read_mesh_file(written("l.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n"));
  CHECK(l.triangles.size() == 4);
  CHECK(area(l) == doctest::Approx(3).epsilon(1e-14));
  std::string star;
  double expected = 0;
  std::vector<Vec2> at;
  for (int k = 0; k < 10; ++k) {
    const double r = k % 2 == 0 ? 2 : 0.5, angle = std::numbers::pi * k / 5;
    at.emplace_back(r * std::cos(angle), r * std::sin(angle));
    star += fmt::format("v {} {} 1\n", at.back().x(), at.back().y());
  }
  for (std::size_t k = 0; k < 10; ++k) {
    const Vec2 &p = at[k], &q = at[(k + 1) % 10];
    expected += 0.5 * (p.x() * q.y() - p.y() * q.x());
  }
  CHECK(area(read_mesh_file(written("star.obj", star + "f 1 2 3 4 5 6 7 8 9 10\n"))) ==
        doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("a sphere of triangles, moved far away, has the properties of its own polyhedron") {
  // Latitudes and longitudes; the volume of the inscribed polyhedron tends to 4/3 pi with second order.
  const auto sphere = [](int n, const Vec3& centre) {
    std::string text = fmt::format("v {} {} {}\n", centre.x(), centre.y(), centre.z() + 1);
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < 2 * n; ++j) {
        const double a = std::numbers::pi * i / n, b = std::numbers::pi * j / n;
        const Vec3 x = centre + Vec3(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
        text += fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
      }
    text += fmt::format("v {} {} {}\n", centre.x(), centre.y(), centre.z() - 1);
    const auto v = [&](int i, int j) { return 2 + (i - 1) * 2 * n + j % (2 * n); };
    const int last = 2 + (n - 1) * 2 * n;
    for (int j = 0; j < 2 * n; ++j) {
      text += fmt::format("f 1 {} {}\n", v(1, j), v(1, j + 1));
      for (int i = 1; i + 1 < n; ++i)
        text += fmt::format("f {} {} {} {}\n", v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j + 1));
      text += fmt::format("f {} {} {}\n", last, v(n - 1, j + 1), v(n - 1, j));
    }
    return text;
  };
  const double exact = 4 * std::numbers::pi / 3;
  const double coarse = exact - read_solid(written("s10.obj", sphere(10, Vec3::Zero()))).solid.volume;
  const double fine = exact - read_solid(written("s20.obj", sphere(20, Vec3::Zero()))).solid.volume;
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.03));
  const SolidFile near = read_solid(written("near.obj", sphere(12, Vec3::Zero())));
  const SolidFile far = read_solid(written("far.obj", sphere(12, Vec3(1e4, -2e4, 3e4))));
  CHECK(far.solid.volume == doctest::Approx(near.solid.volume).epsilon(1e-10));
  CHECK((far.solid.centroid - Vec3(1e4, -2e4, 3e4)).norm() < 1e-9);
  CHECK((far.solid.inertia - near.solid.inertia).norm() < 1e-9);
}

TEST_CASE("welding joins what lies within the distance, and nothing else") {
  // A box of six separate quads, each with corners of its own, shaken by 1e-7.
  RandomStream random(5, 1);
  const MeshFile box = read_mesh_file(written("box.obj", std::string(kBoxVertices) + kBoxFaces));
  MeshFile shaken;
  for (const TriangleCorners& t : box.triangles) {
    const auto first = static_cast<std::uint32_t>(shaken.vertices.size());
    for (const std::uint32_t v : t) shaken.vertices.push_back(box.vertices[v] + 1e-7 * random.direction());
    shaken.triangles.push_back({first, first + 1, first + 2});
  }
  const fs::path file = written("shaken.stl", text_stl(shaken));
  CHECK(has(message_of([&] { read_solid(file); }), "open"));
  const SolidFile solid = read_solid(file, {.weld = 1e-6});
  CHECK(solid.surface->vertices.size() == 8);
  CHECK(solid.solid.volume == doctest::Approx(24).epsilon(1e-6));
}

TEST_CASE("open, inverted, degenerate and non-manifold files are named with the line or the facet") {
  const std::string v = kBoxVertices;
  const auto solid = [](const fs::path& file) { return message_of([&] { read_solid(file); }); };
  const std::string open = solid(written("open.obj", v + "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"));
  CHECK(has(open, "open.obj:"));
  CHECK(has(open, "open"));
  // Such a sheet is a fine static surface.
  CHECK(read_mesh(written("open.obj", v + "f 1 4 3 2\nf 5 6 7 8\n"))->closed == false);

  std::string inverted = v;
  for (const char* face : {"f 2 3 4 1\n", "f 8 7 6 5\n", "f 5 6 2 1\n", "f 6 7 3 2\n", "f 7 8 4 3\n", "f 8 5 1 4\n"})
    inverted += face;
  CHECK(has(solid(written("inside_out.obj", inverted)), "inverted: its triangles look inwards"));

  const std::string one =
      solid(written("one.obj", v + "f 1 4 3 2\nf 5 6 7 8\nf 5 6 2 1\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"));
  CHECK(has(one, "inverted against its neighbour"));
  CHECK(has(one, "one.obj:1"));

  const std::string three = solid(written("fin.obj", v + kBoxFaces + "v 9 9 9\nf 1 2 9\n"));
  CHECK(has(three, "not manifold"));
  CHECK(has(three, "fin.obj:16"));

  const std::string flat = solid(written("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n"));
  CHECK(has(flat, "flat.obj:6"));
  CHECK(has(flat, "degenerate"));

  const MeshFile box = read_mesh_file(written("box.obj", v + kBoxFaces));
  MeshFile collapsed = box;
  collapsed.triangles[5] = {0, 0, 1};
  CHECK(has(solid(written("collapsed.stl", binary_stl(collapsed))), "facet 5 at byte 334"));
  CHECK(has(solid(written("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")), "open"));
  CHECK(has(message_of([&] { read_hull(written("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")); }), "sheet.obj"));
}

TEST_CASE("damaged files are refused with the place and the value, before memory is taken") {
  const auto read = [](const std::string& name, const std::string& text) {
    return message_of([&] { read_mesh(written(name, text)); });
  };
  CHECK(has(read("empty.obj", ""), "is empty"));
  CHECK(has(read("empty.stl", ""), "is empty"));
  CHECK(has(read("comment.obj", "# nothing\n"), "no vertices"));
  CHECK(has(read("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"), "has no faces"));
  CHECK(has(read("nan.obj", "v 0 0 0\nv 0 nan 0\n"), "nan.obj:2"));
  CHECK(has(read("nan.obj", "v 0 0 0\nv 0 nan 0\n"), "nan"));
  CHECK(has(read("word.obj", "v 0 0 zero\n"), "zero"));
  CHECK(has(read("short.obj", "v 0 0\n"), "three numbers"));
  CHECK(has(read("beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "beyond.obj:4"));
  CHECK(has(read("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n"), "from 1"));
  CHECK(has(read("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"), "three corners"));
  CHECK(has(read("bow.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n"), "degenerate"));
  CHECK(has(read("what.obj", "curv2 1 2\n"), "unknown keyword"));
  CHECK(has(read("kind.ply", "ply\n"), "unknown kind"));
  CHECK(has(message_of([] { read_mesh("no_such_file.stl"); }), "no such file"));

  const MeshFile box = read_mesh_file(written("box.obj", std::string(kBoxVertices) + kBoxFaces));
  const std::string text = text_stl(box), binary = binary_stl(box);
  CHECK(has(read("cut.stl", text.substr(0, text.size() / 2)), "cut.stl:"));
  CHECK(has(read("cut2.stl", text.substr(0, text.rfind("endsolid"))), "truncated"));
  CHECK(has(read("cut3.stl", binary.substr(0, binary.size() - 7)), "truncated"));
  CHECK(has(read("cut4.stl", binary.substr(0, 50)), "no STL"));
  // Four thousand million facets promised in a file of one.
  std::string huge = binary.substr(0, 80) + std::string(4, '\xFF') + binary.substr(84, 50);
  CHECK(has(read("huge.stl", huge), "4294967295 facets"));
  std::string nan = binary;
  for (int k = 0; k < 4; ++k) nan[static_cast<std::size_t>(84 + 50 * 2 + 12 + k)] = '\xFF';
  CHECK(has(read("nan.stl", nan), "facet 2 at byte 184"));
  CHECK(has(message_of([&] { read_mesh_file(written("box.obj", kBoxVertices), {.unit = -1}); }), "unit"));
}

TEST_CASE("any cut and any changed byte of a file ends in a mesh or in an InputError") {
  const MeshFile box = read_mesh_file(written("box.obj", std::string(kBoxVertices) + kBoxFaces));
  RandomStream random(5, 2);
  for (const auto& [name, bytes] :
       {std::pair{"fuzz.obj", std::string(kBoxVertices) + kBoxFaces}, std::pair{"fuzz_text.stl", text_stl(box)},
        std::pair{"fuzz_binary.stl", binary_stl(box)}}) {
    for (int i = 0; i < 300; ++i) {
      std::string damaged = bytes.substr(0, i % 2 == 0 ? bytes.size() : random.below(bytes.size()));
      for (std::uint64_t k = random.below(4); k > 0 && !damaged.empty(); --k)
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      try {
        read_solid(written(name, damaged));
      } catch (const InputError& error) {
        CHECK(has(error.what(), name));
      }
    }
  }
}
