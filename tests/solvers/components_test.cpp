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
    const ConeProblem by_factors = random_rigid_problem(random, blocks, 3 * blocks);
    const ConeProblem problem = assembled_copy(by_factors);
    const BlockSparse& W = *problem.W.assembled;
    finder.find(problem, components);
    Components through_bodies;
    finder.find(by_factors, through_bodies);
    CHECK(through_bodies.first == components.first);
    CHECK(through_bodies.blocks == components.blocks);
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

TEST_CASE("a component as a problem of its own has the velocities it has in the whole, on either body") {
  RandomStream random(622, 0);
  const ConeProblem by_factors = random_rigid_problem(random, 60, 150), by_blocks = assembled_copy(by_factors);
  for (const ConeProblem* problem : {&by_factors, &by_blocks}) {
    const Cones& cones = problem->cones;
    const VectorXd r = random_vector(random, cones.rows());
    VectorXd u(r.size()), back = VectorXd::Zero(r.size()), u_back = back;
    apply(problem->W, cones, r, problem->q, u);
    ComponentFinder finder;
    Components components;
    finder.find(*problem, components);
    REQUIRE(components.count() > 3);
    PartCopy part;
    for (int c = 0; c < components.count(); ++c) {
      part.extract(*problem, components, c, r);
      CHECK(part.problem.W.factors.has_value() == problem->W.factors.has_value());
      part.assemble();
      check_problem(part.problem);
      VectorXd u_part(part.r.size()), u_assembled = u_part;
      apply(part.problem.W, part.problem.cones, part.r, part.problem.q, u_part);
      apply(*part.problem.W.assembled, part.problem.cones, part.r, part.problem.q, u_assembled);
      CHECK((u_part - u_assembled).norm() <= 1e-13 * (1 + u_part.norm()));
      part.insert(cones, components, c, back);
      part.r = u_part;
      part.insert(cones, components, c, u_back);
    }
    CHECK(back == r);
    CHECK((u_back - u).norm() <= 1e-13 * u.norm());
  }
}
