// Meshes and terrain in pictures: triangle by triangle, those that face the eye.
#include <algorithm>

#include "contact/height_field.h"
#include "io/picture_view.h"

namespace carom {

namespace {

constexpr std::uint32_t kMostSamples = 150;  // of a terrain along each side; finer ones are drawn coarser

// A lone triangle as the one face of a polyhedron: what drawing and painter's order read of it.
std::shared_ptr<const Polyhedron> lone_face(const std::array<Vec3, 3>& corner, const Vec3& normal) {
  auto face = std::make_shared<Polyhedron>();
  face->vertices.assign(corner.begin(), corner.end());
  face->planes = {{normal, normal.dot(corner[0])}};
  face->face_vertices.items = {0, 1, 2};
  face->face_vertices.close();
  face->centroid = (corner[0] + corner[1] + corner[2]) / 3;
  for (const Vec3& x : corner) face->outer_radius = std::max(face->outer_radius, (x - face->centroid).norm());
  face->bounding_radius = face->outer_radius;
  return face;
}

std::shared_ptr<const TriangleMesh> drawn_mesh(const Shape& surface) {
  if (surface.kind == ShapeKind::Mesh) return {surface.data, &surface.triangle_mesh()};
  const HeightField& fine = surface.terrain();
  const auto stride = [](std::uint32_t samples) { return (samples + kMostSamples - 1) / kMostSamples; };
  const std::uint32_t dx = stride(fine.columns), dy = stride(fine.rows);
  const std::uint32_t columns = (fine.columns - 1) / dx + 1, rows = (fine.rows - 1) / dy + 1;
  std::vector<double> heights;
  for (std::uint32_t j = 0; j < rows; ++j)
    for (std::uint32_t i = 0; i < columns; ++i) heights.push_back(fine.height(i * dx, j * dy));
  try {
    return mesh_of(*make_height_field(columns, rows, dx * fine.spacing_x, dy * fine.spacing_y, std::move(heights)));
  } catch (const InputError&) {  // data so sparse that no coarse cell has any
    return mesh_of(fine);
  }
}

}  // namespace

void add_surface(const RunCollider& collider, int number, const Pose& pose, PictureView& view) {
  if (!collider.shape.data) return;  // a file that does not keep it
  const std::shared_ptr<const TriangleMesh> mesh = drawn_mesh(collider.shape);
  for (std::size_t t = 0; t < mesh->triangles.size(); ++t) {
    if ((pose.rotation * mesh->normals[t]).dot(view.eye.sight) > -1e-6) continue;
    const TriangleCorners& corners = mesh->triangles[t];
    PictureItem item;
    item.body = collider.body;
    item.collider = number;
    item.pose = pose;
    item.solid = lone_face({mesh->vertices[corners[0]], mesh->vertices[corners[1]], mesh->vertices[corners[2]]},
                           mesh->normals[t]);
    item.shape = Shape::hull(item.solid);
    item.smooth = item.facet = true;
    measure(view.eye, item);
    view.items.push_back(std::move(item));
  }
}

}  // namespace carom
