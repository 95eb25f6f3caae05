#include "engine/granular.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"
#include "small_worlds.h"

using namespace carom;

namespace {

Grain sphere(const Vec3& at, double radius, double density = 1000, const Vec3& velocity = Vec3::Zero()) {
  const double volume = 4.0 / 3.0 * M_PI * std::pow(radius, 3);
  return {at, velocity, density * volume, volume, radius, true};
}

Region box(const Vec3& low, const Vec3& high) { return {low, high}; }

// n^3 spheres of diameter d touching along the axes, in the cube [0, n d]; contacts carry force along each axis.
struct Lattice {
  std::vector<Grain> grains;
  std::vector<GrainContact> contacts;
};
Lattice lattice(int n, double d, const Vec3& force) {
  Lattice result;
  const auto number = [&](int i, int j, int k) { return (k * n + j) * n + i; };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) result.grains.push_back(sphere(d * Vec3(i + 0.5, j + 0.5, k + 0.5), d / 2));
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const int ni = i + (axis == 0), nj = j + (axis == 1), nk = k + (axis == 2);
          if (ni == n || nj == n || nk == n) continue;
          const int a = number(ni, nj, nk), b = number(i, j, k);
          const Vec3 point = 0.5 * (result.grains[static_cast<std::size_t>(a)].position +
                                    result.grains[static_cast<std::size_t>(b)].position);
          result.contacts.push_back({a, b, point, Vec3::Unit(axis), force[axis] * Vec3::Unit(axis)});
        }
  return result;
}

}  // namespace

TEST_CASE("a sphere in a box: whole, halves, quarters, octants and caps have their closed volumes") {
  const double r = 0.7, whole = 4.0 / 3.0 * M_PI * r * r * r;
  const Vec3 c(0.3, -1.2, 5);
  const double far = 10;
  CHECK(sphere_in_box(c, r, box(c - Vec3::Constant(far), c + Vec3::Constant(far))) == doctest::Approx(whole));
  for (int axis = 0; axis < 3; ++axis) {
    Region half = box(c - Vec3::Constant(far), c + Vec3::Constant(far));
    half.low[axis] = c[axis];
    CHECK(sphere_in_box(c, r, half) == doctest::Approx(whole / 2).epsilon(1e-9));
    for (const double h : {-0.6, -0.2, 0.05, 0.4}) {
      half.low[axis] = c[axis] - h;
      CHECK(sphere_in_box(c, r, half) == doctest::Approx(cap_volume(r, h)).epsilon(1e-9));
    }
  }
  CHECK(sphere_in_box(c, r, box(c, c + Vec3::Constant(far))) == doctest::Approx(whole / 8).epsilon(1e-9));
  CHECK(sphere_in_box(c, r, box(c, c + Vec3(far, far, 0.2))) ==
        doctest::Approx((cap_volume(r, 0) - cap_volume(r, -0.2)) / 4).epsilon(1e-9));
  // A cube inside the sphere is full, a box beside it is empty.
  const double a = 0.5 * r / std::sqrt(3.0);
  CHECK(sphere_in_box(c, r, box(c - Vec3::Constant(a), c + Vec3::Constant(a))) == doctest::Approx(8 * a * a * a));
  CHECK(sphere_in_box(c, r, box(c + Vec3(0.6, 0.6, -1), c + Vec3(2, 2, 1))) < 1e-15);
  CHECK(cap_volume(r, r) == doctest::Approx(whole));
  CHECK(cap_volume(r, -r) == 0);
}

TEST_CASE("boxes that share out space share out a sphere") {
  RandomStream random(2, 0);
  for (int trial = 0; trial < 50; ++trial) {
    const double r = random.uniform(0.2, 2);
    const Vec3 c = random.direction(), cut = c + 0.9 * r * random.uniform() * random.direction();
    double sum = 0;
    for (int octant = 0; octant < 8; ++octant) {
      Region part = box(c - Vec3::Constant(5), c + Vec3::Constant(5));
      for (int axis = 0; axis < 3; ++axis) (octant >> axis & 1 ? part.low : part.high)[axis] = cut[axis];
      sum += sphere_in_box(c, r, part);
    }
    CHECK(sum == doctest::Approx(4.0 / 3.0 * M_PI * r * r * r).epsilon(1e-8));
  }
}

TEST_CASE("a cubic lattice fills pi/6 of any of its cells, wherever they are cut") {
  const Lattice l = lattice(6, 0.1, Vec3::Ones());
  for (const double shift : {0.0, 0.013, 0.05, 0.08}) {
    const Region cells = box(Vec3::Constant(0.1 + shift), Vec3::Constant(0.4 + shift));
    CHECK(solid_fraction(l.grains, cells) == doctest::Approx(M_PI / 6).epsilon(1e-8));
  }
}

TEST_CASE("coordination and fabric of a cubic lattice") {
  const Lattice l = lattice(6, 0.1, Vec3::Ones());
  const Region inside = box(Vec3::Constant(0.1), Vec3::Constant(0.5));
  const Coordination z = coordination(l.grains, l.contacts, inside);
  CHECK(z.grains == 64);
  CHECK(z.mean == 6);
  CHECK(z.mechanical == 6);
  CHECK(z.rattlers == 0);
  CHECK(z.histogram == std::vector<int>{0, 0, 0, 0, 0, 0, 64});
  CHECK(coordination(l.grains, l.contacts).mean == doctest::Approx(6 * (1 - 1.0 / 6)));  // 3 n^2 (n-1) contacts
  CHECK((fabric_tensor(l.contacts) - Mat3::Identity() / 3).norm() < 1e-14);
  CHECK(deviator_norm(fabric_tensor(l.contacts)) < 1e-13);

  // Only the vertical contacts carry load: the others are no contacts, and all normals are parallel.
  const Lattice columns = lattice(6, 0.1, Vec3(0, 0, 2));
  CHECK(coordination(columns.grains, columns.contacts, inside).mean == 2);
  const Mat3 fabric = fabric_tensor(columns.contacts);
  CHECK(fabric(2, 2) == 1);
  CHECK(deviator_norm(fabric) == doctest::Approx(1));
}

TEST_CASE("a pair of bodies that touches in four points is one contact, and a grain with one neighbour rattles") {
  std::vector<Grain> grains(4);
  for (Grain& g : grains) g.free = true;
  std::vector<GrainContact> contacts;
  for (int k = 0; k < 4; ++k) contacts.push_back({0, 1, Vec3(k, 0, 0), Vec3::UnitZ(), Vec3::UnitZ()});
  contacts.push_back({1, 2, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX()});
  contacts.push_back({0, 2, Vec3::Zero(), Vec3::UnitY(), Vec3::UnitY()});
  contacts.push_back({2, 3, Vec3::Zero(), Vec3::UnitY(), Vec3::UnitY()});
  const Coordination z = coordination(grains, contacts);
  CHECK(z.contacts == 4);
  CHECK(z.mean == 2);
  CHECK(z.rattlers == 1);
  CHECK(z.mechanical == 2);  // a triangle
}

TEST_CASE("stress of a lattice loaded along its axes is force over the area of a cell, in any region") {
  const double d = 0.1;
  const Vec3 force(3, 5, 7);
  const Lattice l = lattice(8, d, force);
  const Mat3 expected = force.asDiagonal() * Mat3::Identity() / (d * d);
  CHECK((contact_stress(l.grains, l.contacts, box(Vec3::Constant(0.15), Vec3::Constant(0.65))) - expected).norm() <
        1e-10 * expected.norm());
  // Regions that cut branches anywhere along them count what lies inside.
  const Region odd = box(Vec3(0.1, 0.2, 0.231), Vec3(0.5, 0.4, 0.577));
  CHECK(contact_stress(l.grains, l.contacts, odd)(2, 2) == doctest::Approx(expected(2, 2)));
}

TEST_CASE("a settled column of spheres bears the weight above: stress by the step's own forces") {
  // A column of ten in a pit as wide as they are: sigma_zz = weight above / area, in each sphere's own slab.
  StepOptions options;
  World world(options);
  const MaterialId smooth = world.add_material({.name = "smooth", .friction = 0});
  world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), smooth);
  const double r = 0.05, d = 2 * r, h = 1e-3;
  const int n = 10;
  for (int k = 0; k < n; ++k) world.add_sphere(r, smooth, {.position = Vec3(0, 0, r + k * d)});
  for (int i = 0; i < 50; ++i) world.step(h);
  std::vector<ContactRecord> records;
  world.contact_records(records);
  REQUIRE(records.size() == n);
  const std::vector<Grain> grains = grains_of(world);
  const std::vector<GrainContact> contacts = grain_contacts(records, h);
  const double weight = grains[1].mass * world.forces().gravity.at(0).norm();
  const double area = d * d;
  for (int k = 0; k + 1 < n; ++k) {
    // Between the centres of sphere k and k + 1 one force acts, that of the n - 1 - k above.
    const Region slab = box(Vec3(-r, -r, r + k * d + 0.01), Vec3(r, r, r + (k + 1) * d - 0.01));
    const Mat3 sigma = contact_stress(grains, contacts, slab);
    CHECK(sigma(2, 2) == doctest::Approx((n - 1 - k) * weight / area).epsilon(1e-5));
    CHECK(std::abs(sigma(0, 0)) < 1e-9 * weight / area);
  }
  // Down to the floor the branch ends at the contact point: the bottom half sphere bears all ten.
  CHECK(contact_stress(grains, contacts, box(Vec3(-r, -r, 0.01), Vec3(r, r, r - 0.01)))(2, 2) ==
        doctest::Approx(n * weight / area).epsilon(1e-5));
  const ForceDistribution forces = force_distribution(contacts);
  CHECK(forces.contacts == n);
  CHECK(forces.mean == doctest::Approx(0.5 * (n + 1) * weight).epsilon(1e-5));
  CHECK(forces.largest == doctest::Approx(2.0 * n / (n + 1)).epsilon(1e-5));
  CHECK(forces.mobilized < 1e-9);
}

TEST_CASE("a settled pile in a pit: the floor's pressure is the weight over the area") {
  World world = pile_world(60);
  const double h = 2e-3;
  for (int i = 0; i < 300; ++i) world.step(h);
  std::vector<ContactRecord> records;
  world.contact_records(records);
  const auto contacts = grain_contacts(records, h);
  const auto grains = grains_of(world);
  double weight = 0, on_floor = 0, on_walls = 0;
  for (const Grain& g : grains) weight += 9.81 * g.mass;
  for (const GrainContact& c : contacts) {
    if (c.a == 0 || c.b == 0) on_floor += std::abs(c.force.z());
    if (c.a > 0 && c.a < 5) on_walls -= c.force.z();
  }
  CHECK(on_floor + on_walls == doctest::Approx(weight).epsilon(0.02));
  const Coordination z = coordination(grains, contacts);
  CHECK(z.grains == 60);
  CHECK(z.mechanical > 3);  // with friction: 4 to 6 in bulk, less at a free surface
  CHECK(z.mechanical < 6);
  CHECK(fabric_tensor(contacts).trace() == doctest::Approx(1));
}

TEST_CASE("forces drawn from an exponential law have its density") {
  std::vector<GrainContact> contacts;
  const int n = 200000;
  for (int k = 0; k < n; ++k) {
    RandomStream random(3, static_cast<std::uint64_t>(k));
    contacts.push_back({0, 1, Vec3::Zero(), Vec3::UnitX(), Vec3(-7 * std::log(1 - random.uniform()), 0, 0)});
  }
  const ForceDistribution f = force_distribution(contacts, {}, 16, 8);
  CHECK(f.mean == doctest::Approx(7).epsilon(4 / std::sqrt(n)));
  CHECK(f.deviation == doctest::Approx(1).epsilon(0.02));
  for (std::size_t k = 0; k < 8; ++k) {
    const double from = 0.5 * static_cast<double>(k);
    const double expected = (std::exp(-from) - std::exp(-from - 0.5)) / 0.5;
    CHECK(f.density[k] == doctest::Approx(expected).epsilon(6 / std::sqrt(n * 0.5 * expected)));
  }
}

TEST_CASE("temperature is the spread of velocities, not their mean; kinetic stress is density times it") {
  std::vector<Grain> grains;
  const int n = 40000;
  for (int k = 0; k < n; ++k) {
    RandomStream random(4, static_cast<std::uint64_t>(k));
    const Vec3 noise(random.normal(), random.normal(), random.normal());
    grains.push_back(
        sphere(Vec3(random.uniform(), random.uniform(), random.uniform()), 0.001, 2500, Vec3(5, -3, 1) + 0.2 * noise));
  }
  const Region all = box(Vec3::Zero(), Vec3::Ones());
  const Motions m = motions(grains, all);
  CHECK(m.grains == n);
  CHECK((m.velocity - Vec3(5, -3, 1)).norm() < 0.01);
  CHECK(m.temperature == doctest::Approx(0.04).epsilon(0.03));
  const Mat3 p = kinetic_stress(grains, all);
  CHECK(p.trace() / 3 == doctest::Approx(m.mass * m.temperature));
  CHECK(deviator_norm(p) < 0.05 * p.trace());
}

TEST_CASE("profiles: a lattice is uniform, a shear flow is linear") {
  Lattice l = lattice(8, 0.1, Vec3::Ones());
  for (Grain& g : l.grains) g.velocity = Vec3(3 * g.position.z(), 0, 0);
  const Profile p = profile(l.grains, l.contacts, box(Vec3::Zero(), Vec3::Constant(0.8)), 2, 8);
  REQUIRE(p.height.size() == 8);
  for (std::size_t s = 0; s < 8; ++s) {
    CHECK(p.solid_fraction[s] == doctest::Approx(M_PI / 6).epsilon(1e-8));
    CHECK(p.motion[s].grains == 64);
    CHECK(p.motion[s].velocity.x() == doctest::Approx(3 * p.height[s]));
    CHECK(p.motion[s].temperature < 1e-20);
    const double layer = s == 0 || s == 7 ? 1 : 2;
    CHECK(p.contacts[s] == doctest::Approx(layer + 4 * 7.0 / 8));
  }
}

TEST_CASE("mass flow: what crosses is what is beyond, and a hole lets through what meets it") {
  std::vector<Grain> before, after;
  const double speed = 0.3, dt = 0.5, spacing = 0.05;
  for (int k = 0; k < 8000; ++k) {
    const Vec3 at = spacing * Vec3(k % 20, k / 20 % 20, k / 400) - Vec3(0.475, 0.475, 0.4);
    before.push_back(sphere(at, 0.02));
    after.push_back(sphere(at - Vec3(0, 0, speed * dt), 0.02));
  }
  const Gate down{Vec3(0, 0, 0.123), -Vec3::UnitZ()};
  const double crossed = mass_crossed(before, after, down);
  // bulk density times speed times area, by whole layers of spheres
  CHECK(crossed / dt == doctest::Approx(400 * before[0].mass * 3 / dt));
  CHECK(mass_crossed(after, before, down) == doctest::Approx(-crossed));
  // Cut spheres: rho phi v A exactly, as the way is a whole number of layers.
  CHECK(mass_beyond(after, down) - mass_beyond(before, down) == doctest::Approx(400 * before[0].mass * 3));
  const Gate hole{Vec3(0, 0, 0.123), -Vec3::UnitZ(), 0.2};
  int inside = 0;
  for (int k = 0; k < 400; ++k) inside += before[static_cast<std::size_t>(k)].position.head<2>().norm() <= 0.2 ? 1 : 0;
  CHECK(mass_crossed(before, after, hole) == doctest::Approx(3 * inside * before[0].mass));
}

TEST_CASE("the angle of a slope and of a heap of known form") {
  for (const double degrees : {10.0, 25.0, 35.0}) {
    const double angle = degrees * M_PI / 180;
    std::vector<Grain> slope, heap;
    for (int k = 0; k < 200000; ++k) {
      RandomStream random(9, static_cast<std::uint64_t>(k));
      const Vec3 at(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 1));
      if (at.z() < 0.5 + std::tan(angle) * 0.6 * (0.8 * at.x() + 0.6 * at.y())) slope.push_back(sphere(at, 0.01));
      if (at.z() < std::tan(angle) * (0.9 - (at.head<2>() - Vec2(0.05, -0.03)).norm()))
        heap.push_back(sphere(at, 0.01));
    }
    const SurfaceFit plane = fit_slope(surface_points(slope, 0.08));
    REQUIRE(plane.found);
    CHECK(plane.angle == doctest::Approx(std::atan(0.6 * std::tan(angle))).epsilon(0.02));
    const SurfaceFit cone = fit_heap(surface_points(heap, 0.05), 0.05);
    REQUIRE(cone.found);
    CHECK(cone.angle == doctest::Approx(angle).epsilon(0.04));
    CHECK(cone.height == doctest::Approx(0.9 * std::tan(angle)).epsilon(0.08));
  }
  CHECK_FALSE(fit_slope({}).found);
  CHECK_FALSE(fit_heap({}, 0.1).found);
  const std::vector<Vec3> line = {Vec3(0, 0, 0), Vec3(1, 0, 1), Vec3(2, 0, 2)};
  CHECK_FALSE(fit_slope(line).found);
}
