// Bounds of a solid in the world: what the broad phase knows of a shape other than a sphere.
#pragma once

#include "contact/shape.h"

namespace carom {

// A box in the shape's own frame that holds it. Shapes without a rule of their own get the cube about their ball.
struct LocalBox {
  Vec3 centre = Vec3::Zero();
  Vec3 half = Vec3::Zero();
};
LocalBox local_box(const Shape& shape);

struct SolidBounds {
  Vec3 centre = Vec3::Zero();  // world, of all three bounds
  double radius = 0;           // of the ball
  Vec3 extent = Vec3::Zero();  // half extents of the box along the world's axes
  Mat3 axes = Mat3::Identity();
  Vec3 half = Vec3::Zero();  // half extents of the box along the columns of `axes`
};
SolidBounds bounds_of(const Shape& shape, const Pose& pose);

// Whether a face of one of the oriented boxes has the other box more than `distance` in front of it. False may be wrong
// (edges are not looked at), true is not, up to rounding in favour of false.
bool apart(const SolidBounds& a, const SolidBounds& b, double distance);

// Whether a point is farther than `distance` from the oriented box.
bool apart(const SolidBounds& box, const Vec3& point, double distance);

// Height of the oriented box's lowest point over the plane through `point` with this unit normal.
double lowest_over(const SolidBounds& box, const Vec3& normal, const Vec3& point);

}  // namespace carom
