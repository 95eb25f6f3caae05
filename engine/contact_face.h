// The face at which two bodies touch, seen along its normal: hull, area, and the area that each corner stands for.
#pragma once

#include <span>
#include <utility>

#include "base/types.h"
#include "contact/shape.h"

namespace carom {

// Two directions that span the plane of n.
std::pair<Vec3, Vec3> plane_axes(const Vec3& n);

// Indices of the corners of the convex hull of points in the plane, counter-clockwise.
std::vector<std::size_t> hull_of(std::span<const Vec2> points);

// Per point, the part of the face's area it stands for, m^2: 0 for points that are no corners. With T_k the triangle
// between the face's centroid and its edge from corner k to the next,
//
//     a_k = (T_(k-1) + T_k) / 2,     so that sum a_k = A and sum a_k x_k = A x_centroid.
//
// Empty when the points span no area.
std::vector<double> corner_areas(std::span<const Vec3> points, const Vec3& normal);

// The same of planar runs, whose faces are lines between two points and as deep as the thinner shape.
std::vector<double> end_areas(std::span<const Vec3> points, double depth);
// Extent of a shape along a direction, m; infinite when it is unbounded.
double depth_along(const Shape& shape, const Quat& rotation, const Vec3& direction);

}  // namespace carom
