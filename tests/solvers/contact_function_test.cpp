#include "solvers/contact_function.h"

#include <doctest/doctest.h>

#include "random_problems.h"
#include "solvers/one_contact.h"

using namespace carom;

TEST_CASE("the contact function vanishes on solutions of one block, and nowhere near them") {
  RandomStream random(611, 0);
  for (int trial = 0; trial < 2000; ++trial) {
    const Cone cone = random_cone(random, {.rolling = true});
    RowMatrixXd W = random_matrix(random, cone.dim, cone.dim);
    W = (W * W.transpose() + 0.1 * RowMatrixXd::Identity(cone.dim, cone.dim)).eval();
    const VectorXd q = random_vector(random, cone.dim);
    VectorXd r(cone.dim), F(cone.dim);
    solve_block(cone, W.data(), q.data(), r.data());
    VectorXd u = W * r + q;
    const double rho = cone.dim / W.trace();
    contact_function(cone, r.data(), u.data(), rho, F.data());
    CHECK(F.norm() <= 1e-10 * (1 + q.norm() + r.norm() / rho));
    // somewhere else
    if (cone.kind == ConeKind::Free) continue;
    r[0] += 1;
    u = W * r + q;
    contact_function(cone, r.data(), u.data(), rho, F.data());
    CHECK(F.norm() > 1e-3 * W(0, 0));
  }
}

TEST_CASE("A and B are the derivative where there is one") {
  RandomStream random(612, 0);
  int checked = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Cone cone = random_cone(random, {.rolling = true});
    const VectorXd r = random_vector(random, cone.dim), u = random_vector(random, cone.dim);
    const VectorXd dr = random_vector(random, cone.dim), du = random_vector(random, cone.dim);
    const double rho = std::pow(10.0, random.uniform(-2, 2));
    VectorXd F(cone.dim), plus(cone.dim), minus(cone.dim);
    BlockDerivative d, at_plus, at_minus;
    contact_function(cone, r.data(), u.data(), rho, F.data(), d);
    const double h = 1e-6;
    const VectorXd r_plus = r + h * dr, u_plus = u + h * du, r_minus = r - h * dr, u_minus = u - h * du;
    contact_function(cone, r_plus.data(), u_plus.data(), rho, plus.data(), at_plus);
    contact_function(cone, r_minus.data(), u_minus.data(), rho, minus.data(), at_minus);
    // not across a kink
    if (at_plus.open != d.open || at_minus.open != d.open) continue;
    if (at_plus.identity != d.identity || at_minus.identity != d.identity) continue;
    using RowMap = Eigen::Map<const RowMatrixXd>;
    VectorXd expected = dr / rho;
    if (!d.open) expected = RowMap(d.A, cone.dim, cone.dim) * dr + RowMap(d.B, cone.dim, cone.dim) * du;
    const VectorXd measured = (plus - minus) / (2 * h);
    CHECK((measured - expected).norm() <= 1e-5 * (1 + expected.norm()) * (1 + 1 / rho));
    ++checked;
  }
  CHECK(checked > 2500);
}
