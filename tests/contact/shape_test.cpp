#include "contact/shape.h"

#include <doctest/doctest.h>

#include "base/random.h"

using namespace carom;

namespace {

// Volume and inertia by sampling the cube that holds the shape.
SolidProperties sampled_properties(const Shape& shape, int samples) {
  RandomStream random(6, 0);
  const double reach = shape.bounding_radius();
  const double weight = 8 * reach * reach * reach / samples;
  SolidProperties sum;
  for (int k = 0; k < samples; ++k) {
    const Vec3 x(random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach));
    const bool inside = shape.kind == ShapeKind::Sphere ? x.norm() <= shape.radius
                                                        : (x.array().abs() <= shape.half_extents.array()).all();
    if (!inside) continue;
    sum.volume += weight;
    sum.inertia += weight * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
  }
  return sum;
}

}  // namespace

TEST_CASE("volume and inertia of solids agree with sampling") {
  for (const Shape& shape : {Shape::sphere(0.7), Shape::box(Vec3(0.3, 0.5, 0.9))}) {
    const SolidProperties exact = solid_properties(shape), sampled = sampled_properties(shape, 400000);
    CHECK(exact.volume == doctest::Approx(sampled.volume).epsilon(0.02));
    CHECK((exact.inertia - sampled.inertia).norm() < 0.02 * exact.inertia.norm());
  }
}

TEST_CASE("a solid twice as large has 8 times the volume and 32 times the inertia") {
  const auto check_scaling = [](const Shape& once, const Shape& twice) {
    CHECK(solid_properties(twice).volume == doctest::Approx(8 * solid_properties(once).volume));
    CHECK(solid_properties(twice).inertia.isApprox(32 * solid_properties(once).inertia));
  };
  check_scaling(Shape::sphere(0.4), Shape::sphere(0.8));
  check_scaling(Shape::box(Vec3(1, 2, 3)), Shape::box(Vec3(2, 4, 6)));
}

TEST_CASE("unbounded shapes have no mass and no bounding ball") {
  for (const Shape& shape : {Shape::half_space(), Shape::plane()}) {
    CHECK_FALSE(shape.bounded());
    CHECK(std::isinf(shape.bounding_radius()));
    CHECK(solid_properties(shape).volume == 0);
    CHECK(solid_properties(shape).inertia == Mat3::Zero());
  }
}

TEST_CASE("the bounding ball reaches to the corners of a box") {
  CHECK(Shape::box(Vec3(2, 3, 6)).bounding_radius() == 7);
  CHECK(Shape::sphere(0.5).bounding_radius() == 0.5);
}
