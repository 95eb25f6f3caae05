// Shapes, rotations, mass and inertia: what [[body]] and [[group]] have in common.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "io/scene_parts.h"

namespace carom {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"sphere", "box", "half_space", "plane"};
  return names;
}

// Keys that belong to another shape get a message of their own instead of "unknown key".
void forbid_keys_of_other_shapes(TomlTable& table, const std::string& shape) {
  if (shape != "sphere") table.forbid("radius", fmt::format("a {} has no radius; only a sphere has", shape));
  if (shape != "box") table.forbid("size", fmt::format("a {} has no size; only a box has", shape));
  if (shape == "sphere" || shape == "box")
    table.forbid("normal", fmt::format("a {} has no normal; only half_space and plane have", shape));
}

}  // namespace

Vec3 read_position(const TomlValue& value) { return value.vector3(within(-kMaxCoordinate, kMaxCoordinate)); }

MaterialId read_material(TomlTable& table, const SceneDraft& draft) {
  const auto name = table.find("material");
  return name ? find_material(*name, draft) : MaterialId{};
}

ColliderSpec read_collider(TomlTable& table, const std::string& shape, MaterialId material) {
  forbid_keys_of_other_shapes(table, shape);
  ColliderSpec collider{Shape{}, material, Pose{}};
  const RealRange length = {0, kMaxCoordinate, true};
  if (shape == "sphere") {
    collider.shape = Shape::sphere(table.need("radius").real(length));
  } else if (shape == "box") {
    collider.shape = Shape::box(0.5 * table.need("size").vector3(length));
  } else {
    collider.shape = shape == "plane" ? Shape::plane() : Shape::half_space();
    table.forbid_both("normal", "orientation");
    table.forbid_both("normal", "euler");
    table.forbid_both("normal", "rotation");
    // The shape's outward normal is its own +z.
    if (const auto normal = table.find("normal"))
      collider.local.rotation = Quat::FromTwoVectors(Vec3::UnitZ(), normal->direction());
    else if (!table.has("orientation") && !table.has("euler") && !table.has("rotation"))
      table.need("normal");
  }
  if (const auto offset = table.find("offset")) collider.local.position = read_position(*offset);
  return collider;
}

std::vector<ColliderSpec> read_colliders(TomlTable& body, const SceneDraft& draft) {
  const TomlValue shape = body.need("shape");
  const MaterialId material = read_material(body, draft);
  if (!shape.is_list()) {
    if (shape.is_table()) shape.fail_plainly("is a text like \"sphere\", or a list: [[body.shape]], with two brackets");
    return {read_collider(body, shape_names()[shape.choice(shape_names())], material)};
  }
  for (const char* key : {"radius", "size", "normal", "offset"})
    body.forbid(key, fmt::format("a body with a list of shapes gives \"{}\" in each [[body.shape]]", key));
  std::vector<ColliderSpec> colliders;
  for (const TomlValue& item : shape.items()) {
    TomlTable table = item.table();
    const TomlValue name = table.need("shape");
    const MaterialId own = table.has("material") ? read_material(table, draft) : material;
    table.allow("material");
    ColliderSpec collider = read_collider(table, shape_names()[name.choice(shape_names())], own);
    if (const auto rotation = read_rotation(table)) collider.local.rotation = *rotation;
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
