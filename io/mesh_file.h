// Meshes from files: Wavefront OBJ (.obj) and STL (.stl, binary or text, told apart by what they hold).
//
// OBJ: `v` and `f` are read, with any of the forms i, i/t, i//n, i/t/n and negative (relative) numbers; faces of more
// than three corners are cut into triangles, concave ones too. What else the format has (texture, normals, groups,
// materials, lines, points) is passed over. STL: the stored normals are passed over; the order of corners tells the
// front, in both formats counter-clockwise.
//
// Vertices at the same place are one. Every error is an InputError with file and line (text) or facet and byte
// (binary).
#pragma once

#include <filesystem>
#include <memory>

#include "base/error.h"
#include "contact/polyhedron.h"
#include "contact/triangle_mesh.h"

namespace carom {

struct MeshFileOptions {
  double unit = 1;       // m per unit of the file, > 0: 0.001 for millimetres
  double weld = 0;       // m, >= 0: vertices nearer than this become one; 0: those at the very same place
  double thickness = 0;  // m, >= 0: of a static mesh, see TriangleMesh
};

// As read: welded and in metres, not yet checked for edges and areas.
struct MeshFile {
  std::string file;
  std::vector<Vec3> vertices;
  std::vector<TriangleCorners> triangles;
  std::vector<std::uint32_t> line;  // of each triangle; empty for binary STL

  Place place(std::uint32_t triangle) const;  // for messages: "rock.stl:12" or "facet 3 at byte 234"
};
MeshFile read_mesh_file(const std::filesystem::path& file, const MeshFileOptions& options = {});

// A surface for Shape::mesh: may be open; not degenerate, manifold, neighbours oriented alike.
std::shared_ptr<const TriangleMesh> read_mesh(const std::filesystem::path& file, const MeshFileOptions& options = {});

// The solid inside a surface that must also be closed and look outwards: its surface, its exact mass properties at
// density 1, and its convex hull for Shape::hull. `convexity` is the share of the hull's volume that the solid fills: 1
// when it is convex.
struct SolidFile {
  std::shared_ptr<const TriangleMesh> surface;
  SolidProperties solid;
  std::shared_ptr<const Polyhedron> hull;
  double convexity = 1;
};
SolidFile read_solid(const std::filesystem::path& file, const MeshFileOptions& options = {});

// The convex hull of all vertices, whatever the triangles are: point clouds, open or crossing surfaces.
std::shared_ptr<const Polyhedron> read_hull(const std::filesystem::path& file, const MeshFileOptions& options = {});

}  // namespace carom
