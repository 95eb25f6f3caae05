#include "engine/compound.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"

using namespace carom;

namespace {

// A box of 2 x 1 x 1 in two halves is the whole box, wherever it is drawn.
BodySpec two_halves(const Vec3& origin) {
  BodySpec spec;
  for (const double x : {-0.5, 0.5})
    spec.colliders.push_back({Shape::box(Vec3(0.5, 0.5, 0.5)), {}, {Vec3(x, 0, 0) - origin, Quat::Identity()}});
  return spec;
}

}  // namespace

TEST_CASE("a body drawn off its centre has the mass, the inertia and the motion of the same body drawn at it") {
  RandomStream random(3, 0);
  for (int k = 0; k < 20; ++k) {
    const Vec3 origin = 3 * random.direction();
    BodySpec spec = two_halves(origin);
    spec.pose = {random.direction(), random.orientation()};
    spec.velocity = random.direction();
    spec.angular_velocity = 2 * random.direction();
    const BodySpec before = spec;
    const Vec3 moved = recentre(spec);
    CHECK((moved - before.pose.rotation * -origin).norm() < 1e-14);
    const SolidProperties solid = compound_properties(spec.colliders),
                          whole = solid_properties(Shape::box(Vec3(1, 0.5, 0.5)));
    CHECK(solid.volume == doctest::Approx(whole.volume).epsilon(1e-15));
    CHECK(solid.centroid.norm() < 1e-15);
    CHECK((solid.inertia - whole.inertia).norm() < 1e-14);
    for (std::size_t i = 0; i < 2; ++i) {
      // Each shape stays where it is and moves as it did: v + w x r.
      const Vec3 was = before.pose.to_world(before.colliders[i].local.position);
      const Vec3 is = spec.pose.to_world(spec.colliders[i].local.position);
      CHECK((was - is).norm() < 1e-14);
      CHECK((before.velocity + before.angular_velocity.cross(was - before.pose.position) - spec.velocity -
             spec.angular_velocity.cross(is - spec.pose.position))
                .norm() < 1e-14);
    }
  }
}

TEST_CASE("an L of two boxes balances where its area does") {
  BodySpec spec;
  spec.colliders.push_back({Shape::box(Vec3(1.5, 0.5, 0.5)), {}, {Vec3(1.5, 0, 0.5), Quat::Identity()}});
  // the second as a hull whose own centroid is off its origin, turned
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1 ? 1 : 0, i & 2 ? 0.5 : -0.5, i & 4 ? 2 : 0);
  spec.colliders.push_back({Shape::hull(corners), {}, {Vec3(0, 0, 1), Quat::Identity()}});
  const SolidProperties solid = compound_properties(spec.colliders);
  CHECK(solid.volume == doctest::Approx(5).epsilon(1e-14));
  // (3 * (1.5, 0.5) + 2 * (0.5, 2)) / 5
  CHECK((solid.centroid - Vec3(1.1, 0, 1.1)).norm() < 1e-14);
  // about y: 3 (9 + 1)/12 + 3 (0.4^2 + 0.6^2) + 2 (1 + 4)/12 + 2 (0.6^2 + 0.9^2)
  CHECK(solid.inertia(1, 1) == doctest::Approx(2.5 + 1.56 + 10.0 / 12 + 2.34).epsilon(1e-13));
  World world;
  const MaterialId material = world.add_material({.name = "stone"});
  for (ColliderSpec& collider : spec.colliders) collider.material = material;
  recentre(spec);
  const BodyId body = world.add_body(spec);
  CHECK(world.properties().inertia[body.index](1, 1) == doctest::Approx(1000 * solid.inertia(1, 1)).epsilon(1e-13));
  CHECK((world.state().position[body.index] - Vec3(1.1, 0, 1.1)).norm() < 1e-14);
}

TEST_CASE("fixed bodies and bodies with an inertia of their own stay as they are") {
  BodySpec fixed = two_halves(Vec3(1, 2, 3));
  fixed.kind = BodyKind::Fixed;
  CHECK(recentre(fixed) == Vec3::Zero());
  BodySpec given = two_halves(Vec3(1, 2, 3));
  given.inertia = Mat3::Identity();
  CHECK(recentre(given) == Vec3::Zero());
  CHECK(given.pose.position == Vec3::Zero());
}
