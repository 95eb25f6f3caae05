// Shapes, rotations, mass and inertia: what [[body]] and [[group]] have in common.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/height_field.h"
#include "io/mesh_file.h"
#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

// Which keys belong to which shape.
struct ShapeKeys {
  std::string shape;
  std::vector<std::string> keys;
};
const std::vector<ShapeKeys>& shape_table() {
  static const std::vector<ShapeKeys> table = {
      {"sphere", {"radius"}},
      {"box", {"size"}},
      {"capsule", {"radius", "length"}},
      {"cylinder", {"radius", "height"}},
      {"cone", {"radius", "height"}},
      {"convex", {"vertices", "file", "unit", "weld"}},
      {"mesh", {"file", "unit", "weld", "thickness"}},
      {"height_field", {"heights", "cell"}},
      {"disk", {"radius", "thickness"}},
      {"polygon", {"vertices", "thickness"}},
      {"half_space", {"normal"}},
      {"plane", {"normal"}},
  };
  return table;
}

std::vector<std::string> all_shape_keys() {
  std::vector<std::string> keys;
  for (const ShapeKeys& entry : shape_table())
    for (const std::string& key : entry.keys)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

// Keys that belong to another shape get a message of their own instead of "unknown key".
void forbid_keys_of_other_shapes(TomlTable& table, const std::string& shape) {
  for (const std::string& key : all_shape_keys()) {
    std::vector<std::string> owners;
    for (const ShapeKeys& entry : shape_table())
      if (std::find(entry.keys.begin(), entry.keys.end(), key) != entry.keys.end()) owners.push_back(entry.shape);
    if (std::find(owners.begin(), owners.end(), shape) != owners.end()) continue;
    table.forbid(key, fmt::format("a {} has no {}; only {} {}", shape, key, fmt::join(owners, ", "),
                                  owners.size() == 1 ? "has" : "have"));
  }
}

constexpr RealRange kLength = {0, kMaxCoordinate, true};

// A mesh file, looked up beside the scene.
template <class Read>
auto from_file(TomlTable& table, const SceneDraft& draft, Read&& read) {
  const TomlValue file = table.need("file");
  MeshFileOptions options;
  options.unit = table.real("unit", positive(), options.unit);
  options.weld = table.real("weld", not_negative(), options.weld);
  options.thickness = table.real("thickness", not_negative(), options.thickness);
  try {
    return read(draft.folder / file.text(), options);
  } catch (const InputError& error) {
    file.fail_plainly(error.what());
  }
}

Shape read_convex(TomlTable& table, const SceneDraft& draft) {
  table.forbid_both("vertices", "file");
  table.allow("vertices");
  if (table.has("file"))
    return Shape::hull(from_file(table, draft, [](const auto& file, const auto& o) { return read_hull(file, o); }));
  const TomlValue vertices = table.need("vertices");
  std::vector<Vec3> points;
  for (const TomlValue& vertex : vertices.items()) points.push_back(read_position(vertex));
  return at_place(vertices.place(), [&] { return Shape::hull(points); });
}

// Disks and polygons lie in the plane of the run: their own x and y are its first and second axis.
ColliderSpec read_flat(TomlTable& table, const std::string& shape, MaterialId material, const SceneDraft& draft) {
  const std::optional<Vec3>& normal = draft.planar();
  if (!normal) table.fail(fmt::format("a {} is a shape of the plane: the run needs [run] planar", shape));
  ColliderSpec flat{Shape{}, material, Pose{}};
  Mat3 axes = Mat3::Identity();  // columns: where local x, y and z point
  if (*normal == Vec3::UnitY()) axes << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  if (*normal == Vec3::UnitX()) axes << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  flat.local.rotation = Quat(axes);
  const double thickness = table.real("thickness", kLength, 1);
  if (shape == "disk") {
    flat.shape = Shape::disk(table.need("radius").real(kLength), thickness);
    return flat;
  }
  const TomlValue vertices = table.need("vertices");
  std::vector<Vec2> points;
  for (const TomlValue& vertex : vertices.items()) {
    const std::vector<double> xy = vertex.reals(2, within(-kMaxCoordinate, kMaxCoordinate));
    points.emplace_back(xy[0], xy[1]);
  }
  flat.shape = at_place(vertices.place(), [&] { return Shape::polygon(points, thickness); });
  return flat;
}

Shape read_height_field(TomlTable& table) {
  const TomlValue heights = table.need("heights"), cell = table.need("cell");
  const std::vector<double> step = cell.is_list() ? cell.reals(2, kLength) : std::vector<double>(2, cell.real(kLength));
  std::vector<double> samples;
  const std::vector<TomlValue> rows = heights.items();
  if (rows.empty()) heights.fail("needs rows of heights");
  const std::size_t columns = rows[0].items().size();
  for (const TomlValue& row : rows)
    for (const double z : row.reals(columns)) samples.push_back(z);
  return at_place(heights.place(), [&] {
    return Shape::height_field(make_height_field(static_cast<std::uint32_t>(columns),
                                                 static_cast<std::uint32_t>(rows.size()), step[0], step[1],
                                                 std::move(samples)));
  });
}

// A wall's outward normal is its own +z.
void turn_to_normal(TomlTable& table, ColliderSpec& wall) {
  table.forbid_both("normal", "orientation");
  table.forbid_both("normal", "euler");
  table.forbid_both("normal", "rotation");
  if (const auto normal = table.find("normal"))
    wall.local.rotation = Quat::FromTwoVectors(Vec3::UnitZ(), normal->direction());
  else if (!table.has("orientation") && !table.has("euler") && !table.has("rotation"))
    table.need("normal");
}

}  // namespace

Vec3 read_position(const TomlValue& value) { return value.vector3(within(-kMaxCoordinate, kMaxCoordinate)); }

MaterialId read_material(TomlTable& table, const SceneDraft& draft) {
  const auto name = table.find("material");
  return name ? find_material(*name, draft) : MaterialId{};
}

std::string read_shape_name(const TomlValue& value) {
  std::vector<std::string> names;
  for (const ShapeKeys& entry : shape_table()) names.push_back(entry.shape);
  return names[value.choice(names)];
}

ColliderSpec read_collider(TomlTable& table, const std::string& shape, MaterialId material, const SceneDraft& draft) {
  forbid_keys_of_other_shapes(table, shape);
  ColliderSpec collider{Shape{}, material, Pose{}};
  const auto length = [&](const char* key) { return table.need(key).real(kLength); };
  if (shape == "sphere") {
    collider.shape = Shape::sphere(length("radius"));
  } else if (shape == "box") {
    collider.shape = Shape::box(0.5 * table.need("size").vector3(kLength));
  } else if (shape == "capsule") {
    const double radius = length("radius");
    collider.shape = Shape::capsule(radius, 0.5 * length("length"));
  } else if (shape == "cylinder" || shape == "cone") {
    const double radius = length("radius"), half = 0.5 * length("height");
    collider.shape = shape == "cone" ? Shape::cone(radius, half) : Shape::cylinder(radius, half);
  } else if (shape == "convex") {
    collider.shape = read_convex(table, draft);
  } else if (shape == "mesh") {
    collider.shape =
        Shape::mesh(from_file(table, draft, [](const auto& file, const auto& o) { return read_mesh(file, o); }));
  } else if (shape == "height_field") {
    collider.shape = read_height_field(table);
  } else if (shape == "disk" || shape == "polygon") {
    collider = read_flat(table, shape, material, draft);
  } else {
    collider.shape = shape == "plane" ? Shape::plane() : Shape::half_space();
    turn_to_normal(table, collider);
  }
  if (const auto offset = table.find("offset")) collider.local.position = read_position(*offset);
  return collider;
}

std::vector<ColliderSpec> read_colliders(TomlTable& body, const SceneDraft& draft) {
  const TomlValue shape = body.need("shape");
  const MaterialId material = read_material(body, draft);
  if (!shape.is_list()) {
    if (shape.is_table()) shape.fail_plainly("is a text like \"sphere\", or a list: [[body.shape]], with two brackets");
    return {read_collider(body, read_shape_name(shape), material, draft)};
  }
  std::vector<std::string> keys = all_shape_keys();
  keys.emplace_back("offset");
  for (const std::string& key : keys)
    body.forbid(key, fmt::format("a body with a list of shapes gives \"{}\" in each [[body.shape]]", key));
  std::vector<ColliderSpec> colliders;
  for (const TomlValue& item : shape.items()) {
    TomlTable table = item.table();
    const TomlValue name = table.need("shape");
    const MaterialId own = table.has("material") ? read_material(table, draft) : material;
    table.allow("material");
    ColliderSpec collider = read_collider(table, read_shape_name(name), own, draft);
    if (const auto rotation = read_rotation(table))
      collider.local.rotation = *rotation * (collider.shape.bounded() ? collider.local.rotation : Quat::Identity());
    table.finish();
    colliders.push_back(collider);
  }
  if (colliders.empty()) shape.fail("a body needs at least one shape");
  return colliders;
}

std::optional<Quat> read_rotation(TomlTable& table) {
  table.forbid_both("orientation", "euler");
  table.forbid_both("orientation", "rotation");
  table.forbid_both("euler", "rotation");
  if (const auto value = table.find("orientation")) {
    const std::vector<double> q = value->reals(4);
    const Quat quaternion(q[0], q[1], q[2], q[3]);
    const double length = quaternion.coeffs().stableNorm();
    if (!(length > 1e-100) || !std::isfinite(length))
      value->fail("is not a rotation: the quaternion [w, x, y, z] must have a length > 0");
    return Quat(quaternion.coeffs() / length).normalized();
  }
  if (const auto value = table.find("euler")) {
    const Vec3 angles = kDegree * value->vector3();
    return Quat(Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
                Eigen::AngleAxisd(angles.x(), Vec3::UnitX()))
        .normalized();
  }
  if (const auto value = table.find("rotation")) {
    TomlTable rotation = value->table();
    const Vec3 axis = rotation.need("axis").direction();
    const double angle = kDegree * rotation.need("angle").real();
    rotation.finish();
    return Quat(Eigen::AngleAxisd(angle, axis)).normalized();
  }
  return std::nullopt;
}

Mat3 read_inertia(const TomlValue& value) {
  Mat3 inertia = Mat3::Zero();
  if (value.is_number()) {
    inertia = value.real(positive()) * Mat3::Identity();
  } else if (value.is_list() && value.items().size() == 3 && value.items()[0].is_list()) {
    for (int row = 0; row < 3; ++row)
      inertia.row(row) = value.items()[static_cast<std::size_t>(row)].vector3().transpose();
  } else if (value.is_list() && value.items().size() == 3) {
    inertia = value.vector3(positive()).asDiagonal();
  } else {
    value.fail_type("a number, [Ix, Iy, Iz] or a 3 x 3 matrix");
  }
  const double scale = inertia.cwiseAbs().maxCoeff();
  const double rounding = 1e-9 * scale;
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > rounding) value.fail("must be symmetric");
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(principal.x() > 0)) value.fail("must be positive definite");
  // A mass distribution has I1 + I2 >= I3; a flat body has equality.
  if (principal.x() + principal.y() < principal.z() - rounding)
    value.fail(fmt::format("no body has these principal moments: {:.6g} + {:.6g} < {:.6g}", principal.x(),
                           principal.y(), principal.z()));
  return inertia;
}

void read_mass(TomlTable& table, BodySpec& spec) {
  table.forbid_both("density", "mass");
  spec.density = table.real("density", positive(), spec.density);
  if (const auto mass = table.find("mass")) spec.mass = mass->real(positive());
  if (const auto inertia = table.find("inertia")) spec.inertia = read_inertia(*inertia);
}

}  // namespace carom
