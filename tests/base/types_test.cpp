#include "base/types.h"

#include <doctest/doctest.h>

#include <numbers>
#include <type_traits>

using namespace carom;

namespace {

Vector make(std::initializer_list<double> values) {
  Vector v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

double sum_of(VectorIn v) { return v.sum(); }
void double_it(VectorOut v) { v *= 2; }
const double* address_of(VectorIn v) { return v.data(); }

}  // namespace

TEST_CASE("a vector keeps its capacity when it shrinks and grows again") {
  Vector v(100);
  const double* storage = v.data();
  v.resize(10);
  v.resize(100);
  CHECK(v.data() == storage);
  v.assign(50, 3.0);
  CHECK(v.data() == storage);
  CHECK(v.size() == 50);
  CHECK(v.minCoeff() == 3.0);
  v = VectorXd::Ones(70);
  CHECK(v.data() == storage);
  CHECK(v.size() == 70);
  const Vector other = make({1, 2, 3});
  v = other;
  CHECK(v.data() == storage);
  CHECK(v.size() == 3);

  Vector reserved;
  reserved.reserve(20);
  reserved.resize(5);
  storage = reserved.data();
  reserved.resize(20);
  CHECK(reserved.data() == storage);
}

TEST_CASE("resizing keeps the first values and zeroes new ones") {
  Vector v = make({1, 2, 3});
  v.resize(5);
  CHECK(v == make({1, 2, 3, 0, 0}));
  v.resize(2);
  CHECK(v == make({1, 2}));
}

TEST_CASE("a copy is its own vector") {
  Vector v = make({1, 2, 3});
  Vector copy = v;
  CHECK(copy == v);
  CHECK(copy.data() != v.data());
  copy[0] = 7;
  CHECK(v[0] == 1);
  v = static_cast<const Vector&>(v);
  CHECK(v == make({1, 2, 3}));
}

TEST_CASE("a move takes the storage and leaves an empty, usable vector") {
  static_assert(std::is_nothrow_move_constructible_v<Vector> && std::is_nothrow_move_assignable_v<Vector>);
  Vector v = make({1, 2, 3});
  const double* storage = v.data();
  Vector moved = std::move(v);
  CHECK(moved.data() == storage);
  CHECK(moved == make({1, 2, 3}));
  CHECK(v.size() == 0);
  v = make({4, 5});
  moved = std::move(v);
  CHECK(moved == make({4, 5}));
  CHECK(v.size() == 0);
  std::swap(moved, v);
  CHECK(v == make({4, 5}));
  CHECK(moved.size() == 0);

  // Vectors of vectors move when they grow.
  std::vector<Vector> many;
  for (int k = 0; k < 100; ++k) many.push_back(make({double(k), double(-k)}));
  for (int k = 0; k < 100; ++k) CHECK(many[static_cast<std::size_t>(k)] == make({double(k), double(-k)}));
}

TEST_CASE("an expression that reads the vector it is assigned to sees the old values") {
  Vector v = make({1, 2, 3});
  SUBCASE("coefficient by coefficient") {
    v = 2 * v;
    CHECK(v == make({2, 4, 6}));
    v = v + v.cwiseProduct(v);
    CHECK(v == make({6, 20, 42}));
  }
  SUBCASE("square matrix") {
    Mat3 M;
    M << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    v = M * v;
    CHECK(v == make({2, 3, 1}));
  }
  SUBCASE("wide matrix: the result is shorter") {
    MatrixXd M(2, 3);
    M << 1, 1, 1, 0, 0, 1;
    v = M * v;
    CHECK(v == make({6, 3}));
  }
  SUBCASE("tall matrix: the result outgrows the capacity") {
    MatrixXd M = MatrixXd::Zero(200, 3);
    M.row(0) << 1, 1, 1;
    M.row(199) << 0, 0, 1;
    v = M * v;
    CHECK(v.size() == 200);
    CHECK(v[0] == 6);
    CHECK(v[199] == 3);
    CHECK(v.sum() == 9);
  }
  SUBCASE("lazily, growing") {
    v = v.replicate(100, 1);
    CHECK(v.size() == 300);
    CHECK(v.sum() == 600);
    CHECK(v.tail(3) == make({1, 2, 3}));
  }
  SUBCASE("parts of itself") {
    v = v.tail(2);
    CHECK(v == make({2, 3}));
  }
}

TEST_CASE("a vector passes as an argument without a copy") {
  Vector v = make({1, 2, 3});
  CHECK(address_of(v) == v.data());
  CHECK(sum_of(v) == 6);
  double_it(v);
  double_it(v.segment(1, 1));
  CHECK(v == make({2, 8, 6}));
  Vector empty;
  CHECK(sum_of(empty) == 0);
  empty = v;
  v.resize(0);
  CHECK(sum_of(v) == 0);
  CHECK(sum_of(empty) == 16);
}

TEST_CASE("poses compose and invert") {
  const Pose body{Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 2) / 3))};
  const Pose local{Vec3(-1, 0.5, 2), Quat(Eigen::AngleAxisd(-1.9, Vec3(2, -1, 2) / 3))};
  const Vec3 p(0.3, -4, 2.5);
  CHECK((body.to_local(body.to_world(p)) - p).norm() < 1e-14);
  CHECK(((body * local).to_world(p) - body.to_world(local.to_world(p))).norm() < 1e-14);
  // a quarter turn about z takes x to y
  const Pose quarter{Vec3(0, 0, 1), Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()))};
  CHECK((quarter.to_world(Vec3(1, 0, 0)) - Vec3(0, 1, 1)).norm() < 1e-15);
}
