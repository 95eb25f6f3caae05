#include "solvers/components.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "random_problems.h"

using namespace carom;

TEST_CASE("components partition the blocks, and nothing of W lies between two of them") {
  RandomStream random(621, 0);
  ComponentFinder finder;
  Components components;
  for (int trial = 0; trial < 50; ++trial) {
    const int blocks = 1 + static_cast<int>(random.below(80));
    const ConeProblem problem = assembled_copy(random_rigid_problem(random, blocks, 3 * blocks));
    const BlockSparse& W = *problem.W.assembled;
    finder.find(W, components);
    std::vector<int> part(size_t(blocks), -1);
    for (int c = 0; c < components.count(); ++c) {
      CHECK(components.size(c) > 0);
      for (int b = components.first[size_t(c)]; b < components.first[size_t(c) + 1]; ++b) {
        CHECK(part[size_t(components.blocks[size_t(b)])] == -1);
        part[size_t(components.blocks[size_t(b)])] = c;
        if (b > components.first[size_t(c)]) CHECK(components.blocks[size_t(b)] > components.blocks[size_t(b) - 1]);
      }
    }
    CHECK(std::count(part.begin(), part.end(), -1) == 0);
    for (int i = 0; i < blocks; ++i) {
      for (int e = W.first[size_t(i)]; e < W.first[size_t(i) + 1]; ++e)
        CHECK(part[size_t(i)] == part[size_t(W.column[size_t(e)])]);
    }
  }
}

TEST_CASE("a component as a problem of its own has the velocities it has in the whole") {
  RandomStream random(622, 0);
  const ConeProblem problem = assembled_copy(random_rigid_problem(random, 60, 150));
  const VectorXd r = random_vector(random, problem.cones.rows());
  VectorXd u(r.size()), back = VectorXd::Zero(r.size()), u_back = back;
  apply(problem.W, problem.cones, r, problem.q, u);
  ComponentFinder finder;
  Components components;
  finder.find(*problem.W.assembled, components);
  REQUIRE(components.count() > 3);
  ConeProblem part;
  Vector r_part;
  for (int c = 0; c < components.count(); ++c) {
    extract(*problem.W.assembled, problem.q, problem.cones, components, c, r, part, r_part);
    check_problem(part);
    VectorXd u_part(r_part.size());
    apply(part.W, part.cones, r_part, part.q, u_part);
    insert(problem.cones, components, c, r_part, back);
    insert(problem.cones, components, c, u_part, u_back);
  }
  CHECK(back == r);
  CHECK((u_back - u).norm() <= 1e-13 * u.norm());
}
