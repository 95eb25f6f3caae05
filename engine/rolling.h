// Rolling resistance: a contact with mu_r > 0 transmits a moment about its tangents too, which opposes relative spin
// there and is at most
//
//     |moment| <= mu_r R r_n,     1/R = 1/R_a + 1/R_b
//
// R_a and R_b are the bodies' rolling radii: the distance of the centre of mass from the contact's tangent plane, which
// for spheres is the radius, for a cylinder on its side too, and for any shape makes tan(slope) <= mu_r what it takes
// to stay. Fixed and driven spheres count with their radius, what else cannot be moved is flat (no term). Spin about
// the normal is not resisted.
//
// In the cone problem the rows are velocities R (w_a - w_b) . t, so that mu_r itself is the cone's coefficient
// (solvers/cone.h); r is the moment impulse over R.
#pragma once

#include "engine/step_context.h"

namespace carom {

// R of contact i, m.
double rolling_radius(const Model& model, const StepContext& c, std::size_t i);

// Rows of H, q and u_minus of a Rolling block beyond those of friction.
void assemble_rolling(const ActiveContacts& active, std::size_t i, int rows, FactorRow* H);

// R (w_a - w_b) along the axes of rolling.
void rolling_velocity(const ActiveContacts& active, std::size_t i, int rows, const Vec3& relative_spin, double* u);

// The moment impulse of r about the contact point, on body a, world, N m s; and r of a moment.
Vec3 rolling_moment(const ActiveContacts& active, std::size_t i, int rows, const double* r);
void rolling_impulse(const ActiveContacts& active, std::size_t i, int rows, const Vec3& moment, double* r);

}  // namespace carom
