#include "engine/body_checks.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "base/error.h"
#include "contact/planar.h"
#include "engine/compound.h"

namespace carom {

namespace {

[[noreturn]] void reject(const std::string& whose, const std::string& problem, const std::string& value = {}) {
  throw InputError({"", 0, 0, whose}, problem, value);
}

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

void demand_finite(const Vec3& v, const std::string& whose, const char* field) {
  if (!v.allFinite()) reject(whose, fmt::format("{} must be finite", field), text(v));
}

void check_shape(const Shape& shape, const std::string& whose) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  switch (shape.kind) {
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
    case ShapeKind::Disk:
      if (!positive(shape.half_length()))
        reject(whose, fmt::format("{} must be finite and > 0", shape.flat() ? "thickness" : "length"),
               fmt::format("{}", 2 * shape.half_length()));
      [[fallthrough]];
    case ShapeKind::Sphere:
      if (!positive(shape.radius)) reject(whose, "radius must be finite and > 0", fmt::format("{}", shape.radius));
      return;
    case ShapeKind::Box:
      if (!shape.half_extents.allFinite() || !(shape.half_extents.minCoeff() > 0))
        reject(whose, "size must be finite and > 0 in each direction", text(2.0 * shape.half_extents));
      return;
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
    case ShapeKind::HeightField:
    case ShapeKind::Polygon:
      if (!shape.data) reject(whose, fmt::format("a {} needs its geometry", name_of(shape.kind)));
      return;
    case ShapeKind::HalfSpace:
    case ShapeKind::Plane:
      return;
  }
}

// Out-of-plane motion and tilted walls have no meaning in planar mode.
void check_planar(const BodySpec& spec, const Vec3& k, const std::string& whose) {
  const auto in_plane = [&](const Vec3& v) { return std::abs(v.dot(k)) <= 1e-12 * std::max(1.0, v.norm()); };
  if (!in_plane(spec.velocity)) reject(whose, "velocity must lie in the plane of motion", text(spec.velocity));
  if (spec.angular_velocity.cross(k).norm() > 1e-12 * std::max(1.0, spec.angular_velocity.norm()))
    reject(whose, "angular_velocity must be along the normal of the plane of motion", text(spec.angular_velocity));
  for (const ColliderSpec& collider : spec.colliders) {
    const Pose pose = spec.pose * collider.local;
    if (collider.shape.kind == ShapeKind::Mesh || collider.shape.kind == ShapeKind::HeightField)
      reject(whose, fmt::format("a {} has no place in planar mode", name_of(collider.shape.kind)));
    if (collider.shape.bounded()) {
      if (!in_plane(pose.position)) reject(whose, "position must lie in the plane of motion", text(pose.position));
      if (!has_silhouette(collider.shape, pose, k))
        reject(whose,
               fmt::format("the axis of a {} must be {} the normal of the plane of motion",
                           name_of(collider.shape.kind), collider.shape.flat() ? "along" : "along or across"),
               text(pose.rotation * Vec3::UnitZ()));
    } else if (!in_plane(pose.rotation * Vec3::UnitZ())) {
      reject(whose, "normal must lie in the plane of motion", text(pose.rotation * Vec3::UnitZ()));
    }
  }
}

}  // namespace

void check_body(const BodySpec& spec, int material_count, const std::optional<Vec3>& planar, const std::string& whose) {
  demand_finite(spec.pose.position, whose, "position");
  demand_finite(spec.velocity, whose, "velocity");
  demand_finite(spec.angular_velocity, whose, "angular_velocity");
  const double rotation_norm = spec.pose.rotation.norm();
  if (!(rotation_norm > 0) || !std::isfinite(rotation_norm))
    reject(whose, "orientation must be a finite quaternion, not zero");
  if (spec.kind == BodyKind::Removed) reject(whose, "kind must be dynamic, kinematic or fixed");
  if (spec.kind == BodyKind::Kinematic && !spec.motion) reject(whose, "a kinematic body needs a motion");
  if (spec.kind != BodyKind::Kinematic && spec.motion) reject(whose, "a motion makes sense for kinematic bodies only");
  if (spec.kind == BodyKind::Fixed && (spec.velocity.norm() > 0 || spec.angular_velocity.norm() > 0))
    reject(whose, "a fixed body cannot have a velocity");
  for (const ColliderSpec& collider : spec.colliders) {
    check_shape(collider.shape, whose);
    demand_finite(collider.local.position, whose, "offset");
    if (collider.material.index < 0 || collider.material.index >= material_count)
      reject(whose, "unknown material", fmt::format("number {}", collider.material.index));
    if (spec.kind == BodyKind::Dynamic && collider.shape.surface())
      reject(whose, fmt::format("a {} is {} and cannot be dynamic", name_of(collider.shape.kind),
                                collider.shape.bounded() ? "a surface" : "unbounded"));
  }
  if (planar) return check_planar(spec, *planar, whose);
  for (const ColliderSpec& collider : spec.colliders)
    if (collider.shape.flat())
      reject(whose, fmt::format("a {} is a shape of the plane: the run must be planar", name_of(collider.shape.kind)));
}

void check_options(const StepOptions& options) {
  const auto demand = [](bool holds, const char* field, const char* range, double value) {
    if (!holds) throw InputError({"", 0, 0, field}, fmt::format("must be {}", range), fmt::format("{}", value));
  };
  demand(options.theta >= 0.5 && options.theta <= 1, "theta", "in [1/2, 1]", options.theta);
  demand(options.activation_margin >= 0 && std::isfinite(options.activation_margin), "activation_margin",
         "finite and >= 0", options.activation_margin);
  demand(options.touching >= 0 && options.touching < 1, "touching", "in [0, 1)", options.touching);
  demand(options.projection_slop > 0 && std::isfinite(options.projection_slop), "projection_slop", "finite and > 0",
         options.projection_slop);
  demand(options.projection_fraction > 0 && options.projection_fraction <= 1, "projection_fraction", "in (0, 1]",
         options.projection_fraction);
  demand(options.projection_iterations > 0, "projection_iterations", "> 0", options.projection_iterations);
  demand(options.joint_tolerance > 0, "joint_tolerance", "> 0", options.joint_tolerance);
  demand(options.impact_threshold > 0 && std::isfinite(options.impact_threshold), "impact_threshold", "finite and > 0",
         options.impact_threshold);
  demand(options.threads.count >= 1, "threads", ">= 1", options.threads.count);
}

MassProperties mass_properties(const BodySpec& spec, const std::optional<Vec3>& planar, const std::string& whose) {
  MassProperties result;
  if (spec.kind != BodyKind::Dynamic) return result;

  // Of all shapes together, moved from their centroid to the body's origin (Steiner).
  const SolidProperties solid = compound_properties(spec.colliders);
  const double volume = solid.volume;
  const Vec3& d = solid.centroid;
  const Mat3 inertia = solid.inertia + volume * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  if (!spec.mass && !(spec.density > 0 && std::isfinite(spec.density)))
    reject(whose, "density must be finite and > 0", fmt::format("{}", spec.density));
  if (spec.mass && !(*spec.mass > 0 && std::isfinite(*spec.mass)))
    reject(whose, "mass must be finite and > 0", fmt::format("{}", *spec.mass));
  if (volume == 0 && (!spec.mass || !spec.inertia))
    reject(whose, "a body without a solid shape needs mass and inertia");
  result.mass = spec.mass ? *spec.mass : spec.density * volume;
  result.inertia = spec.inertia ? *spec.inertia : Mat3(result.mass / volume * inertia);
  if (!(result.mass > 0) || !std::isfinite(1.0 / result.mass))
    reject(whose, "its mass is outside the range of numbers", fmt::format("{} kg", result.mass));

  const Mat3& I = result.inertia;
  if (!I.allFinite() || (I - I.transpose()).norm() > 1e-12 * I.norm())
    reject(whose, "inertia must be finite and symmetric");
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(I, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(moments.minCoeff() > 0))
    reject(whose, "inertia must be positive definite", "principal moments " + text(moments));
  // No mass distribution has one principal moment above the sum of the others.
  if (moments[2] > (moments[0] + moments[1]) * (1 + 1e-9))
    reject(whose, "inertia is impossible: one principal moment exceeds the sum of the other two", text(moments));

  result.inverse_mass = 1.0 / result.mass;
  if (planar) {
    const Vec3 k = spec.pose.rotation.normalized().conjugate() * *planar;
    result.inverse_inertia = k * k.transpose() / k.dot(I * k);
  } else {
    result.inverse_inertia = I.inverse();
    result.gyroscopic = moments[2] - moments[0] > 1e-14 * moments[2];
    // An isotropic body's tensor is exactly a multiple of the identity, so that frames cannot leak rounding.
    if (!result.gyroscopic) result.inverse_inertia = Mat3::Identity() / moments.mean();
    if (!result.gyroscopic) result.inertia = moments.mean() * Mat3::Identity();
  }
  return result;
}

}  // namespace carom
