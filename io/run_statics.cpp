#include "io/run_statics.h"

#include <numeric>

#include "base/version.h"
#include "contact/polyhedron.h"
#include "io/run_columns.h"

namespace carom {

namespace layout = run_layout;
using h5::Type;

namespace {

const std::vector<std::string> kBodyKinds = {"dynamic", "kinematic", "fixed", "removed"};

void write_scene(h5::File& file, const Scene& scene) {
  write_scene_head(file, scene.name, scene.title, scene.text, scene.output.frame_every);
  std::vector<std::string> names, texts;
  for (const Attachment& attachment : scene.attachments) {
    names.push_back(attachment.name);
    texts.push_back(attachment.text);
  }
  file.write_texts(layout::kAttachmentNames, names);
  file.write_texts(layout::kAttachmentTexts, texts);
}

// Radius of the ball about the centre of mass that holds the body's bounded shapes; 0 without any.
std::vector<double> body_radii(const World& world) {
  std::vector<double> radius(static_cast<std::size_t>(world.body_count()), 0.0);
  const Colliders& colliders = world.colliders();
  for (std::size_t i = 0; i < colliders.shape.size(); ++i) {
    if (!colliders.shape[i].bounded()) continue;
    double& r = radius[static_cast<std::size_t>(colliders.body[i])];
    r = std::max(r, colliders.local[i].position.norm() + colliders.shape[i].bounding_radius());
  }
  return radius;
}

void write_bodies(h5::File& file, const World& world) {
  const std::string group = layout::kBodies;
  const BodyProperties& bodies = world.properties();
  std::vector<std::uint8_t> kind;
  std::vector<double> inertia;
  for (std::size_t i = 0; i < bodies.kind.size(); ++i) {
    kind.push_back(static_cast<std::uint8_t>(bodies.kind[i]));
    inertia.insert(inertia.end(), bodies.inertia[i].data(), bodies.inertia[i].data() + 9);  // symmetric
  }
  std::vector<std::int32_t> index(bodies.kind.size());
  std::iota(index.begin(), index.end(), 0);
  write_column(file, group + "index", index, {}, "1");
  file.write_texts(group + "name", bodies.name);
  file.write_texts(group + "group", bodies.group);
  write_column(file, group + "kind", kind, {}, "1");
  file.set_attribute(group + "kind", "meaning", kBodyKinds);
  write_column(file, group + "mass", bodies.mass, {}, "kg");
  write_column(file, group + "inertia", inertia, {3, 3}, "kg m^2");
  write_column(file, group + "radius", body_radii(world), {}, "m");
}

// Corners of convex polyhedra, collider i those from vertex_first[i] to vertex_first[i + 1].
void write_vertices(h5::File& file, const Colliders& colliders) {
  std::vector<std::int64_t> first = {0};
  std::vector<double> vertices;
  for (const Shape& shape : colliders.shape) {
    if (shape.kind == ShapeKind::Hull || shape.kind == ShapeKind::Polygon)
      for (const Vec3& v : shape.polyhedron().vertices) vertices.insert(vertices.end(), v.data(), v.data() + 3);
    first.push_back(static_cast<std::int64_t>(vertices.size() / 3));
  }
  write_column(file, layout::kVertexFirst, first, {}, "1");
  if (!vertices.empty()) write_column(file, layout::kVertices, vertices, {3}, "m");
}

void write_colliders(h5::File& file, const World& world) {
  const std::string group = layout::kColliders;
  const Colliders& colliders = world.colliders();
  std::vector<std::int32_t> body, material;
  std::vector<std::uint8_t> shape;
  std::vector<double> radius, half_extents, position, orientation;
  for (int i = 0; i < colliders.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Shape& s = colliders.shape[k];
    const Pose& local = colliders.local[k];
    body.push_back(colliders.body[k]);
    material.push_back(world.material_of(i).index);
    shape.push_back(static_cast<std::uint8_t>(s.kind));
    radius.push_back(s.radius);
    half_extents.insert(half_extents.end(), s.half_extents.data(), s.half_extents.data() + 3);
    position.insert(position.end(), local.position.data(), local.position.data() + 3);
    orientation.insert(orientation.end(),
                       {local.rotation.w(), local.rotation.x(), local.rotation.y(), local.rotation.z()});
  }
  write_column(file, group + "body", body, {}, "1");
  write_column(file, group + "shape", shape, {}, "1");
  file.set_attribute(group + "shape", "meaning", names_up_to(kLastShapeKind));
  write_column(file, group + "radius", radius, {}, "m");
  write_column(file, group + "half_extents", half_extents, {3}, "m");
  write_column(file, group + "position", position, {3}, "m");
  write_column(file, group + "orientation", orientation, {4}, "1");
  write_column(file, group + "material", material, {}, "1");
  write_vertices(file, colliders);
  write_surfaces(file, colliders);
}

void write_materials(h5::File& file, const MaterialTable& materials) {
  const std::string group = layout::kMaterials;
  std::vector<std::string> names;
  std::vector<double> friction, restitution, tangential, stiffness, exponent, cohesion, tensile,
      rolling;  // of each pair
  for (int a = 0; a < materials.size(); ++a) {
    names.push_back(materials[{a}].name);
    for (int b = 0; b < materials.size(); ++b) {
      const PairLaw& law = materials.law({a}, {b});
      friction.push_back(law.friction);
      restitution.push_back(law.restitution);
      tangential.push_back(law.tangential_restitution);
      stiffness.push_back(law.stiffness);
      exponent.push_back(law.exponent);
      cohesion.push_back(law.cohesion);
      tensile.push_back(law.tensile_strength);
      rolling.push_back(law.rolling_friction);
    }
  }
  const h5::Extent row = {static_cast<std::uint64_t>(materials.size())};
  file.write_texts(group + "name", names);
  write_column(file, group + "friction", friction, row, "1");
  write_column(file, group + "restitution", restitution, row, "1");
  write_column(file, group + "tangential_restitution", tangential, row, "1");
  write_column(file, group + "stiffness", stiffness, row, "N/m^exponent");
  write_column(file, group + "exponent", exponent, row, "1");
  write_column(file, group + "cohesion", cohesion, row, "Pa");
  write_column(file, group + "tensile_strength", tensile, row, "Pa");
  write_column(file, group + "rolling_friction", rolling, row, "1");
}

}  // namespace

void write_scene_head(h5::File& file, const std::string& name, const std::string& title, const std::string& text,
                      std::int64_t frame_every) {
  file.create_group(layout::kScene);
  file.set_attribute(layout::kScene, "format", layout::kFormat);
  file.set_attribute(layout::kScene, "format_version", layout::kFormatVersion);
  file.set_attribute(layout::kScene, "program_version", kVersion);
  file.set_attribute(layout::kScene, "name", name);
  file.set_attribute(layout::kScene, "title", title);
  file.set_attribute(layout::kScene, "frame_every", frame_every);
  file.write_text(layout::kSceneText, text);
}

void write_statics(h5::File& file, const Scene& scene) {
  write_scene(file, scene);
  write_bodies(file, scene.world);
  write_colliders(file, scene.world);
  write_materials(file, scene.world.materials());
  write_joints(file, scene.world);
  write_interfaces(file, scene.world);
}

std::vector<RunBody> read_bodies(const h5::File& file) {
  const std::string group = layout::kBodies;
  const std::vector<std::string> names = file.read_texts(group + "name"), groups = file.read_texts(group + "group");
  if (groups.size() != names.size()) file.fail(group + "group", "has an unexpected size");
  const auto kind = read_column<std::uint8_t>(file, group + "kind", names.size());
  const auto mass = read_column<double>(file, group + "mass", names.size());
  std::vector<RunBody> bodies(names.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (kind[i] > static_cast<std::uint8_t>(BodyKind::Removed)) file.fail(group + "kind", "holds an unknown kind");
    bodies[i] = {names[i], groups[i], static_cast<BodyKind>(kind[i]), mass[i]};
  }
  return bodies;
}

// The corners of one polyhedron each, empty for other shapes and in files of older versions.
static std::vector<std::vector<Vec3>> read_vertices(const h5::File& file, std::size_t colliders) {
  std::vector<std::vector<Vec3>> vertices(colliders);
  if (!file.exists(layout::kVertices)) return vertices;
  const auto first = read_column<std::int64_t>(file, layout::kVertexFirst, colliders + 1);
  bool good = first[0] == 0;
  for (std::size_t i = 0; i < colliders; ++i) good = good && first[i] <= first[i + 1];
  if (!good) file.fail(layout::kVertexFirst, "does not increase from 0");
  const auto values = read_column<double>(file, layout::kVertices, static_cast<std::uint64_t>(first.back()), 3);
  for (std::size_t i = 0; i < colliders; ++i)
    for (std::int64_t k = first[i]; k < first[i + 1]; ++k)
      vertices[i].emplace_back(Vec3(&values[3 * static_cast<std::size_t>(k)]));
  return vertices;
}

std::vector<RunCollider> read_colliders(const h5::File& file, std::size_t bodies) {
  const std::string group = layout::kColliders;
  const std::vector<std::string> materials = file.read_texts(std::string(layout::kMaterials) + "name");
  const std::uint64_t count = file.open_dataset(group + "body", Type::Int32, 1).rows();
  if (count > file.size_on_disk()) file.fail(group + "body", "claims more rows than the file holds");
  const auto body = read_column<std::int32_t>(file, group + "body", count);
  const auto shape = read_column<std::uint8_t>(file, group + "shape", count);
  const auto radius = read_column<double>(file, group + "radius", count);
  const auto half_extents = read_column<double>(file, group + "half_extents", count, 3);
  const auto position = read_column<double>(file, group + "position", count, 3);
  const auto orientation = read_column<double>(file, group + "orientation", count, 4);
  const auto material = read_column<std::int32_t>(file, group + "material", count);
  const std::vector<std::vector<Vec3>> vertices = read_vertices(file, count);
  std::vector<RunCollider> colliders(count);
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    if (body[i] < 0 || static_cast<std::size_t>(body[i]) >= bodies) file.fail(group + "body", "names no body");
    if (shape[i] > static_cast<std::uint8_t>(kLastShapeKind)) file.fail(group + "shape", "holds an unknown shape");
    if (material[i] < 0 || static_cast<std::size_t>(material[i]) >= materials.size())
      file.fail(group + "material", "names no material");
    RunCollider& c = colliders[i];
    c.body = body[i];
    c.shape = {static_cast<ShapeKind>(shape[i]), radius[i], Vec3(&half_extents[3 * i]), {}};
    if (c.shape.kind == ShapeKind::Hull || c.shape.kind == ShapeKind::Polygon) {  // a polygon as the prism it is
      if (vertices[i].empty()) file.fail(layout::kVertices, "lacks the corners of a polyhedron");
      c.shape = Shape::hull(vertices[i]);
    }
    c.local.position = Vec3(&position[3 * i]);
    c.local.rotation = Quat(orientation[4 * i], orientation[4 * i + 1], orientation[4 * i + 2], orientation[4 * i + 3]);
    c.material = materials[static_cast<std::size_t>(material[i])];
  }
  read_surfaces(file, colliders);
  return colliders;
}

std::vector<Attachment> read_attachments(const h5::File& file) {
  const std::vector<std::string> names = file.read_texts(layout::kAttachmentNames);
  const std::vector<std::string> texts = file.read_texts(layout::kAttachmentTexts);
  if (texts.size() != names.size()) file.fail(layout::kAttachmentTexts, "has an unexpected size");
  std::vector<Attachment> attachments;
  for (std::size_t i = 0; i < names.size(); ++i) attachments.push_back({names[i], texts[i]});
  return attachments;
}

}  // namespace carom
