#include "solvers/lorentz.h"

#include <doctest/doctest.h>

#include "random_problems.h"

using namespace carom;

namespace {

VectorXd interior(RandomStream& random, int n) {
  VectorXd x = random_vector(random, n);
  x[0] = (n > 1 ? x.tail(n - 1).norm() : 0.0) + std::pow(10.0, random.uniform(-6, 1));
  return x;
}

}  // namespace

TEST_CASE("Nesterov-Todd scaling takes z and y to the same point, and P^-1 is the inverse of P") {
  RandomStream random(631, 0);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + static_cast<int>(random.below(3));
    const VectorXd z = interior(random, n), y = interior(random, n);
    lorentz::Scaling scaling;
    lorentz::set_scaling(n, z.data(), y.data(), scaling);
    using RowMap = Eigen::Map<const RowMatrixXd>;
    const RowMatrixXd P = RowMap(scaling.forward, n, n), inverse = RowMap(scaling.backward, n, n);
    const double condition = P.norm() * inverse.norm();
    CHECK((P * inverse - RowMatrixXd::Identity(n, n)).norm() <= 1e-12 * condition);
    const VectorXd from_z = inverse * z, from_y = P * y;
    CHECK((from_z - from_y).norm() <= 1e-9 * std::sqrt(condition) * from_z.norm());
    // the complementarity gap is scale free
    CHECK(from_z.squaredNorm() == doctest::Approx(z.dot(y)).epsilon(1e-6));
  }
}

TEST_CASE("dividing undoes the Jordan product") {
  RandomStream random(632, 0);
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 1 + static_cast<int>(random.below(3));
    VectorXd x = random_vector(random, n);
    x[0] = 1 + (n > 1 ? x.tail(n - 1).norm() : 0.0);
    const VectorXd y = random_vector(random, n);
    VectorXd product(n), back(n);
    lorentz::product(n, x.data(), y.data(), product.data());
    lorentz::divide(n, x.data(), product.data(), back.data());
    CHECK((back - y).norm() <= 1e-12 * (1 + y.norm()));
  }
}

TEST_CASE("the longest step ends on the boundary, and no shorter one leaves the cone") {
  RandomStream random(633, 0);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + static_cast<int>(random.below(3));
    const VectorXd x = interior(random, n), dx = random_vector(random, n);
    const double t = lorentz::longest_step(n, x.data(), dx.data());
    const auto eigenvalue = [&](double s) {
      const VectorXd y = x + s * dx;
      return y[0] - (n > 1 ? y.tail(n - 1).norm() : 0.0);
    };
    REQUIRE(t > 0);
    if (!std::isfinite(t)) {
      CHECK(eigenvalue(1e6) >= 0);
      continue;
    }
    CHECK(std::abs(eigenvalue(t)) <= 1e-9 * (x.norm() + t * dx.norm()));
    for (double share : {0.1, 0.5, 0.9}) CHECK(eigenvalue(share * t) > 0);
  }
}
