#include "engine/rolling.h"

#include <cmath>

namespace carom {

namespace {

// Axis k of `rows`: t1 and t2 in space, the normal of the plane in the plane.
Vec3 axis(const ActiveContacts& active, std::size_t i, int rows, int k) { return active.frame[i].row(3 - rows + k); }

}  // namespace

double rolling_radius(const Model& model, const StepContext& c, std::size_t i) {
  const Vec3 normal = c.active.frame[i].row(0);
  double curvature = 0;
  for (const int side : {0, 1}) {
    const Vec3& arm = side == 0 ? c.active.arm_a[i] : c.active.arm_b[i];
    const auto body = static_cast<std::size_t>(c.active.bodies[i][static_cast<std::size_t>(side)]);
    const Shape& shape = model.colliders.shape[side == 0 ? c.found.key[i].a : c.found.key[i].b];
    if (model.bodies.kind[body] == BodyKind::Dynamic)
      curvature += 1 / std::abs(arm.dot(normal));
    else if (shape.kind == ShapeKind::Sphere)
      curvature += 1 / shape.radius;
  }
  return 1 / curvature;
}

void assemble_rolling(const ActiveContacts& active, std::size_t i, int rows, FactorRow* H) {
  for (int k = 0; k < rows; ++k) {
    const Vec3 direction = active.rolling_radius[i] * axis(active, i, rows, k);
    H[k] = {Vec3::Zero(), direction, -direction};
  }
}

void rolling_velocity(const ActiveContacts& active, std::size_t i, int rows, const Vec3& relative_spin, double* u) {
  for (int k = 0; k < rows; ++k) u[k] = active.rolling_radius[i] * axis(active, i, rows, k).dot(relative_spin);
}

Vec3 rolling_moment(const ActiveContacts& active, std::size_t i, int rows, const double* r) {
  Vec3 moment = Vec3::Zero();
  for (int k = 0; k < rows; ++k) moment += active.rolling_radius[i] * r[k] * axis(active, i, rows, k);
  return moment;
}

void rolling_impulse(const ActiveContacts& active, std::size_t i, int rows, const Vec3& moment, double* r) {
  const double R = active.rolling_radius[i];
  for (int k = 0; k < rows; ++k) r[k] = R > 0 ? axis(active, i, rows, k).dot(moment) / R : 0.0;
}

}  // namespace carom
