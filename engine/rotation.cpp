#include "engine/rotation.h"

#include <Eigen/LU>
#include <limits>

namespace carom {

namespace {

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

// Newton on F(m) = 2 I (m - w0) + h m x (I m) - h torque. False when it does not contract.
bool solve_midpoint(const Mat3& I, const Vec3& w0, const Vec3& start, const Vec3& torque, double h, Vec3& m) {
  m = start;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Vec3 Im = I * m;
    const Vec3 F = 2.0 * I * (m - w0) + h * m.cross(Im) - h * torque;
    const Mat3 J = 2.0 * I + h * (cross_matrix(m) * I - cross_matrix(Im));
    const Vec3 change = J.inverse() * F;
    const double size = change.norm();
    if (!(size < 2.0 * last)) return false;
    m -= change;
    if (size <= 4.0 * std::numeric_limits<double>::epsilon() * m.norm() || (size >= last && size < 1e-12 * m.norm()))
      return true;
    last = size;
  }
  return false;
}

}  // namespace

Vec3 gyroscopic_step(const Mat3& inertia, const Mat3& inverse_inertia, const Vec3& spin, const Vec3& torque, double h) {
  // A turn of many radians in one step may need smaller ones: halve until Newton contracts. Each substep
  // conserves energy, so the result is bounded even at the last resort.
  Vec3 m;
  for (int substeps = 1; substeps <= 1024; substeps *= 2) {
    const double dt = h / substeps;
    Vec3 w = spin;
    bool contracted = true;
    for (int k = 0; k < substeps && contracted; ++k) {
      const Vec3 start = w + 0.5 * dt * (inverse_inertia * (torque - w.cross(inertia * w)));
      contracted = solve_midpoint(inertia, w, start, torque, dt, m) || solve_midpoint(inertia, w, w, torque, dt, m);
      w = 2.0 * m - w;
    }
    if (contracted) return w;
  }
  return spin + h * (inverse_inertia * torque);
}

}  // namespace carom
