#include "engine/rockfall/block.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "contact/polyhedron.h"

namespace carom::rockfall {

namespace {

constexpr int kMostDraws = 1000;

// Points spread evenly over the unit sphere (Fibonacci's lattice).
std::vector<Vec3> spread(int count) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) {
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(1 - z * z);
    points.emplace_back(r * std::cos(golden * k), r * std::sin(golden * k), z);
  }
  return points;
}

std::vector<Vec3> eota_points() {
  std::vector<Vec3> points;
  for (int axis = 0; axis < 3; ++axis)
    for (int corner = 0; corner < 8; ++corner) {
      Vec3 p(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      p[axis] *= 3;
      points.push_back(p);
    }
  return points;
}

std::vector<Vec3> points_of(const BlockKind& kind, RandomStream& random) {
  std::vector<Vec3> points;
  switch (kind.form) {
    case BlockForm::Ellipsoid:
      for (const Vec3& p : spread(kind.vertices)) points.push_back(p.cwiseProduct(kind.proportions));
      break;
    case BlockForm::Random: {
      // One point near each of evenly spread ones, so that no rock is a splinter by chance.
      const Quat turn = random.orientation();
      for (const Vec3& p : spread(kind.vertices))
        points.push_back((turn * p + 0.35 * random.direction()).normalized().cwiseProduct(kind.proportions));
      break;
    }
    case BlockForm::Eota:
      points = eota_points();
      break;
    default:
      points = kind.points;
      break;
  }
  return points;
}

Shape hull_of_volume(std::vector<Vec3> points, double volume) {
  const SolidProperties unit = solid_properties(Shape::hull(points));
  const double scale = std::cbrt(volume / unit.volume);
  for (Vec3& p : points) p = scale * (p - unit.centroid);
  return Shape::hull(points);
}

}  // namespace

double VolumeDistribution::draw(RandomStream& random) const {
  switch (law) {
    case VolumeLaw::Fixed:
      return median;
    case VolumeLaw::Uniform:
      return random.uniform(least, most);
    case VolumeLaw::LogNormal: {
      double v = median;
      for (int k = 0; k < kMostDraws; ++k) {
        v = median * std::exp(sigma * random.normal());
        if (v >= least && v <= most) return v;
      }
      return std::clamp(v, least, most);
    }
    case VolumeLaw::PowerLaw: {
      // N(> V) = (V^-b - most^-b) / (least^-b - most^-b)
      const double a = std::pow(least, -exponent), b = std::pow(most, -exponent);
      return std::clamp(std::pow(b + random.uniform() * (a - b), -1 / exponent), least, most);
    }
  }
  return median;
}

Block make_block(const BlockKind& kind, double volume, RandomStream& random) {
  Block block;
  if (kind.form == BlockForm::Sphere) {
    block.shape = Shape::sphere(std::cbrt(0.75 * volume / std::numbers::pi));
  } else if (kind.form == BlockForm::Box) {
    block.shape = Shape::box(0.5 * std::cbrt(volume / kind.proportions.prod()) * kind.proportions);
  } else {
    block.shape = hull_of_volume(points_of(kind, random), volume);
  }
  const SolidProperties solid = solid_properties(block.shape);
  block.volume = solid.volume;
  block.mass = kind.density * solid.volume;
  block.inertia = kind.density * solid.inertia;
  block.radius = block.shape.bounding_radius();
  block.half_thickness = block.shape.inner_radius();
  return block;
}

}  // namespace carom::rockfall
