// Rotation of rigid bodies: the implicit midpoint rule in the body frame.
//
// With body-frame spin w and inertia I, one free step solves
//     I (w1 - w0) + h m x (I m) = h torque,   m = (w0 + w1)/2,      R1 = R0 cay(h m)
// which conserves kinetic energy, and the angular momentum in space R I w, both exactly (Cayley's map
// turns the first equation into I w1 = cay(h m)^T I w0). So free rotation stays bounded at any step size.
#pragma once

#include "base/types.h"

namespace carom {

// R cay(step), as a unit quaternion; step = h * spin in the body frame, rad.
inline Quat rotated(const Quat& rotation, const Vec3& step) {
  Quat result = rotation * Quat(1.0, 0.5 * step.x(), 0.5 * step.y(), 0.5 * step.z());
  result.normalize();
  return result;
}

// w1 of the equation above. torque in the body frame, N m.
Vec3 gyroscopic_step(const Mat3& inertia, const Mat3& inverse_inertia, const Vec3& spin, const Vec3& torque, double h);

}  // namespace carom
