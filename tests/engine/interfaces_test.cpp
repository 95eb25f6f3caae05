#include "engine/interfaces.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "solvers/registry.h"

using namespace carom;

namespace {

constexpr double kG = 9.81;

// A block of width b and height h on rough ground, pushed at its middle by a horizontal force.
struct Pushed {
  World world;
  BodyId block;
  double weight = 0;

  Pushed(const Vec3& size, double friction, double push_over_weight) {
    const MaterialId m = world.add_material({.name = "stone", .friction = friction});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), m);
    block = world.add_box(size, m, {.position = Vec3(0, 0, 0.5 * size.z())});
    weight = world.properties().mass[1] * kG;
    // corners that touch stay contacts whatever rounding says: without a margin one may be left out of the first step,
    // and the block tilts by h^2 g / 2
    world.options().activation_margin = 1e-9;
    // forces are impulses over the step: 1e-12 m/s are 1e-9 of the block's weight
    world.set_solver(make_solver("nsgs", {{"measure", "velocity"}, {"tolerance", 1e-12}}));
    world.add_load({.body = block, .force = Vec3(push_over_weight * weight, 0, 0)});
  }
};

}  // namespace

TEST_CASE("the thrust of a pushed block moves off the centre by height times push over weight") {
  Pushed p(Vec3(0.4, 0.3, 1.0), 0.8, 0.1);
  InterfaceMonitor monitor;
  monitor.begin(p.world);
  REQUIRE(monitor.interfaces().size() == 1);
  CHECK(monitor.interfaces()[0].area == doctest::Approx(0.12));
  for (int i = 0; i < 50; ++i) p.world.step(1e-3), monitor.update(p.world, 1e-3);
  const Interface& face = monitor.interfaces()[0];
  CHECK(face.normal_force == doctest::Approx(p.weight).epsilon(1e-6));
  CHECK(face.shear_force == doctest::Approx(0.1 * p.weight).epsilon(1e-6));
  // moment about the centre of the base: N x = F h/2
  CHECK(face.thrust_point.x() == doctest::Approx(0.05).epsilon(1e-6));
  CHECK(face.eccentricity == doctest::Approx(0.25).epsilon(1e-6));
  CHECK(face.status == InterfaceStatus::Closed);
  CHECK(monitor.base_reaction().z() == doctest::Approx(p.weight).epsilon(1e-6));
  CHECK(monitor.base_reaction().x() == doctest::Approx(-0.1 * p.weight).epsilon(1e-6));
  CHECK(!monitor.collapse());
}

TEST_CASE(
    "a block pushed harder than friction holds is seen to slide, and one pushed over its edge to hinge and fall") {
  Pushed slides(Vec3(0.4, 0.3, 0.2), 0.2, 0.3);
  InterfaceMonitor monitor;
  monitor.begin(slides.world);
  for (int i = 0; i < 100; ++i) slides.world.step(1e-3), monitor.update(slides.world, 1e-3);
  CHECK(monitor.interfaces()[0].status == InterfaceStatus::Sliding);
  // x = (F/m - mu g) t^2 / 2
  CHECK(monitor.interfaces()[0].sliding == doctest::Approx(0.5 * 0.1 * kG * 0.01).epsilon(0.02));

  Pushed tips(Vec3(0.2, 0.3, 1.0), 0.9, 0.25);  // overturns from F = W b/h = 0.2 W on
  monitor.begin(tips.world);
  bool hinged = false;
  for (int i = 0; i < 3000 && !monitor.collapse(); ++i) {
    tips.world.step(1e-3);
    monitor.update(tips.world, 1e-3);
    monitor.watch(tips.world, 1e-3);
    const Interface& face = monitor.interfaces()[0];
    if (face.status == InterfaceStatus::Hinge) {
      if (!hinged) CHECK(face.eccentricity == doctest::Approx(1).epsilon(1e-3));
      hinged = true;
    }
  }
  CHECK(hinged);
  REQUIRE(monitor.collapse());
  CHECK(monitor.collapse()->body == 1);
  CHECK(monitor.collapse()->mechanism == std::vector<int>{0});
  CHECK(monitor.collapse()->displacement > 0.25);
}

TEST_CASE("options of watching are checked") {
  World world;
  InterfaceMonitor monitor;
  CHECK_THROWS_AS(monitor.begin(world, {.margin = -1}), InputError);
  CHECK_THROWS_AS(monitor.begin(world, {.opening_tolerance = std::nan("")}), InputError);
}
