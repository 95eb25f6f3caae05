#include "engine/rotation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"

using namespace carom;

namespace {

// A possible inertia tensor in a random frame: moments are sums of two of three positive numbers.
Mat3 random_inertia(RandomStream& random) {
  const Vec3 x(random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2));
  const Mat3 R = random.orientation().toRotationMatrix();
  return R * Vec3(x.y() + x.z(), x.z() + x.x(), x.x() + x.y()).asDiagonal() * R.transpose();
}

}  // namespace

TEST_CASE("free rotation conserves energy and the momentum vector in space at any step size") {
  RandomStream random(1, 0);
  for (int body = 0; body < 200; ++body) {
    const Mat3 I = random_inertia(random), inverse = I.inverse();
    Vec3 w = random.uniform(0.1, 20) * random.direction();
    Quat R = random.orientation();
    const double h = std::pow(10.0, random.uniform(-4, -1));
    const double energy = w.dot(I * w);
    const Vec3 momentum = R * (I * w);
    for (int step = 0; step < 200; ++step) {
      const Vec3 next = gyroscopic_step(I, inverse, w, Vec3::Zero(), h);
      R = rotated(R, 0.5 * h * (w + next));
      w = next;
    }
    CHECK(w.dot(I * w) == doctest::Approx(energy).epsilon(1e-12));
    CHECK((R * (I * w) - momentum).norm() <= 1e-11 * momentum.norm());
  }
}

TEST_CASE("rotation stays bounded when a step turns the body many times over") {
  RandomStream random(2, 0);
  for (int body = 0; body < 100; ++body) {
    const Mat3 I = random_inertia(random), inverse = I.inverse();
    Vec3 w = 1000 * random.direction();
    const double energy = w.dot(I * w);
    for (int step = 0; step < 50; ++step) w = gyroscopic_step(I, inverse, w, Vec3::Zero(), 0.1);
    CHECK(w.dot(I * w) == doctest::Approx(energy).epsilon(1e-9));
  }
}

TEST_CASE("a constant torque about a principal axis spins up linearly") {
  const Mat3 I = Vec3(1, 2, 2.5).asDiagonal();
  Vec3 w = Vec3::Zero();
  for (int step = 0; step < 100; ++step) w = gyroscopic_step(I, I.inverse(), w, Vec3(0, 0, 5), 0.01);
  CHECK((w - Vec3(0, 0, 2)).norm() < 1e-13);
}

TEST_CASE("a symmetric body precesses at (I3 - I1) w3 / I1, to second order in h") {
  const Mat3 I = Vec3(1, 1, 1.6).asDiagonal();
  const double w3 = 4, rate = 0.6 * w3, duration = 2;
  const auto error = [&](int steps) {
    Vec3 w(0.3, 0, w3);
    for (int k = 0; k < steps; ++k) w = gyroscopic_step(I, I.inverse(), w, Vec3::Zero(), duration / steps);
    return std::abs(std::remainder(std::atan2(w.y(), w.x()) - rate * duration, 2 * 3.14159265358979323846));
  };
  const double coarse = error(200), fine = error(400);
  CHECK(fine < 1e-4);
  CHECK(std::log2(coarse / fine) == doctest::Approx(2).epsilon(0.02));
}
