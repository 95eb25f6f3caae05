#include <fmt/format.h>

#include <cmath>

#include "io/packing.h"

namespace carom {

namespace {

void check_length(const std::string& item, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError({"", 0, 0, item}, "a length is positive and finite", fmt::format("{:g}", value));
}

}  // namespace

Container Container::box(const Vec3& low, const Vec3& high) {
  for (int axis = 0; axis < 3; ++axis) check_length(fmt::format("container.size[{}]", axis), high[axis] - low[axis]);
  Container c;
  c.low_ = low;
  c.high_ = high;
  return c;
}

Container Container::cylinder(const Vec3& base, double radius, double height) {
  return hopper(base, radius, radius, 0, height);
}

Container Container::hopper(const Vec3& base, double outlet, double radius, double shoulder, double height) {
  check_length("container.radius", radius);
  check_length("container.height", height);
  check_length("container.outlet", outlet);
  if (outlet > radius)
    throw InputError({"", 0, 0, "container.outlet"}, "a hopper widens upwards", fmt::format("{:g}", outlet));
  if (!(shoulder >= 0 && shoulder <= height) || (shoulder == 0 && outlet != radius))
    throw InputError({"", 0, 0, "container.shoulder"}, "lies above the outlet and not above the top",
                     fmt::format("{:g}", shoulder));
  Container c;
  c.round_ = true;
  c.outlet_ = outlet;
  c.radius_ = radius;
  c.shoulder_ = shoulder;
  c.low_ = base - Vec3(radius, radius, 0);
  c.high_ = base + Vec3(radius, radius, height);
  return c;
}

double Container::volume() const {
  if (!round_) return (high_ - low_).prod();
  const double cone = M_PI * shoulder_ / 3 * (outlet_ * outlet_ + outlet_ * radius_ + radius_ * radius_);
  return cone + M_PI * radius_ * radius_ * (high_.z() - low_.z() - shoulder_);
}

double Container::inner_radius() const {
  const double half_height = 0.5 * (high_.z() - low_.z() - shoulder_);
  if (!round_) return 0.5 * (high_ - low_).minCoeff();
  return shoulder_ > 0 ? std::min(radius_, 0.5 * (high_.z() - low_.z())) : std::min(radius_, half_height);
}

double Container::depth_outside(const Vec3& centre, double radius) const {
  double depth = std::max(low_.z() - centre.z(), centre.z() - high_.z());
  if (!round_) {
    for (int axis = 0; axis < 2; ++axis)
      depth = std::max({depth, low_[axis] - centre[axis], centre[axis] - high_[axis]});
    return depth + radius;
  }
  const Vec3 local = centre - 0.5 * (low_ + high_);
  const double rho = std::hypot(local.x(), local.y());
  depth = std::max(depth, rho - radius_);
  if (shoulder_ > 0) {
    // outward normal of the cone in (rho, z): (shoulder, -(radius - outlet)) / length
    const double length = std::hypot(shoulder_, radius_ - outlet_);
    const double z = centre.z() - low_.z();
    depth = std::max(depth, ((rho - outlet_) * shoulder_ - z * (radius_ - outlet_)) / length);
  }
  return depth + radius;
}

void Container::push_inside(double radius, Vec3& centre) const {
  if (round_) {
    const Vec3 axis = 0.5 * (low_ + high_);
    double rho = std::hypot(centre.x() - axis.x(), centre.y() - axis.y());
    const Vec2 radial = rho > 0 ? Vec2((centre - axis).head<2>() / rho) : Vec2(1, 0);
    if (shoulder_ > 0) {
      const double length = std::hypot(shoulder_, radius_ - outlet_);
      const double n_rho = shoulder_ / length, n_z = -(radius_ - outlet_) / length;
      const double depth = (rho - outlet_) * n_rho + (centre.z() - low_.z()) * n_z + radius;
      if (depth > 0) {
        rho -= depth * n_rho;
        centre.z() -= depth * n_z;
      }
    }
    rho = std::min(rho, radius_ - radius);
    centre.head<2>() = axis.head<2>() + rho * radial;
  } else {
    for (int axis = 0; axis < 2; ++axis)
      centre[axis] = std::max(low_[axis] + radius, std::min(high_[axis] - radius, centre[axis]));
  }
  centre.z() = std::max(low_.z() + radius, std::min(high_.z() - radius, centre.z()));
}

}  // namespace carom
