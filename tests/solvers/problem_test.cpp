#include "solvers/problem.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "base/error.h"
#include "random_problems.h"

using namespace carom;

namespace {

ConeProblem good_problem(bool factors) {
  RandomStream random(31, 0);
  const ConeProblem problem =
      random_rigid_problem(random, 20, 8, {.free = false, .orthant = false, .associated = false, .planar = false});
  return factors ? problem : assembled_copy(problem);
}

// What the rejection of a spoiled problem says.
std::string complaint(bool factors, const std::function<void(ConeProblem&)>& spoil) {
  ConeProblem problem = good_problem(factors);
  check_problem(problem);
  spoil(problem);
  try {
    check_problem(problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void set_cone(ConeProblem& problem, int which, const Cone& cone) {
  Cones cones;
  for (int i = 0; i < problem.cones.count(); ++i) cones.add(i == which ? cone : problem.cones[i]);
  problem.cones = cones;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("a bad friction coefficient names its contact and value") {
  for (const double mu : {-0.3, kNaN, std::numeric_limits<double>::infinity()}) {
    const std::string text = complaint(true, [&](ConeProblem& p) { set_cone(p, 17, {ConeKind::Coulomb, 3, mu}); });
    CHECK(says(text, "contact 17"));
    CHECK(says(text, "mu = "));
  }
  CHECK(says(complaint(false, [](ConeProblem& p) { set_cone(p, 17, {ConeKind::Coulomb, 3, -0.3}); }), "mu = -0.3"));
}

TEST_CASE("q that is not finite names its contact") {
  const std::string text = complaint(true, [](ConeProblem& p) { p.q[3 * 5 + 1] = kNaN; });
  CHECK(says(text, "contact 5"));
  CHECK(says(text, "q(1) = nan"));
}

TEST_CASE("dimensions that do not fit their kind name the contact") {
  CHECK(says(complaint(true, [](ConeProblem& p) { set_cone(p, 4, {ConeKind::Coulomb, 4, 0.1}); }), "contact 4"));
  CHECK(says(complaint(true, [](ConeProblem& p) { set_cone(p, 4, {ConeKind::Coulomb, 1, 0.1}); }), "contact 4"));
  CHECK(says(complaint(true, [](ConeProblem& p) { set_cone(p, 4, {ConeKind::Orthant, 3, 0}); }), "dim = 3"));
  CHECK(says(complaint(true, [](ConeProblem& p) { set_cone(p, 4, {ConeKind::Free, 7, 0}); }), "dim = 7"));
  CHECK(says(complaint(true, [](ConeProblem& p) { set_cone(p, 4, {ConeKind::Free, 0, 0}); }), "dim = 0"));
}

TEST_CASE("sizes that disagree are told") {
  CHECK(says(complaint(true, [](ConeProblem& p) { p.q.resize(7); }), "q: the cones have 60 rows"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors.reset(); }), "neither factors nor assembled"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->bodies.pop_back(); }), "there are 20 contacts"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->rows.pop_back(); }), "60 rows"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->compliance.resize(3); }), "60 rows"));
  CHECK(says(complaint(false, [](ConeProblem& p) { p.W.assembled->first.pop_back(); }), "there are 20 contacts"));
  CHECK(says(complaint(false, [](ConeProblem& p) { p.W.assembled->start.pop_back(); }), "do not match"));
}

TEST_CASE("factors that make no sense name the contact or the body") {
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->bodies[9] = {3, 99}; }), "contact 9"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->bodies[9] = {3, 3}; }), "contact 9"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->bodies[9] = {-1, -1}; }), "contact 9"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->rows[28].linear[0] = kNaN; }), "contact 9"));
  CHECK(says(complaint(true,
                       [](ConeProblem& p) {
                         p.W.factors->compliance.assign(60, 0.0);
                         p.W.factors->compliance[28] = -1;
                       }),
             "contact 9"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->inverse_mass[2].linear = -1; }), "body 2"));
  CHECK(says(complaint(true, [](ConeProblem& p) { p.W.factors->inverse_mass[2].angular(0, 1) = kNaN; }), "body 2"));
}

TEST_CASE("a diagonal block of W without positive normal entry names its contact") {
  const auto diagonal_value = [](ConeProblem& p, int i, int k) -> double& {
    BlockSparse& W = *p.W.assembled;
    const auto start = W.start[static_cast<std::size_t>(W.diagonal[static_cast<std::size_t>(i)])];
    return W.values[static_cast<std::size_t>(start + k)];
  };
  for (const double value : {0.0, -1.0}) {
    const std::string text = complaint(false, [&](ConeProblem& p) { diagonal_value(p, 6, 0) = value; });
    CHECK(says(text, "contact 6"));
    CHECK(says(text, "W(0, 0) = "));
  }
  CHECK(says(complaint(false, [&](ConeProblem& p) { diagonal_value(p, 6, 8) = -1; }), "W(2, 2) = -1"));
  CHECK(says(complaint(false, [&](ConeProblem& p) { diagonal_value(p, 6, 1) = kNaN; }), "contact 6"));
}

TEST_CASE("broken block rows name their contact") {
  CHECK(says(complaint(false, [](ConeProblem& p) { p.W.assembled->column[0] = 1000; }), "contact 0"));
  CHECK(says(complaint(false, [](ConeProblem& p) { p.W.assembled->start[0] = 1 << 30; }), "contact 0"));
  CHECK(says(complaint(false, [](ConeProblem& p) { p.W.assembled->diagonal[3] = 0; }), "contact 3"));
}

TEST_CASE("a free block may have no mobility, a unilateral one may not") {
  ConeProblem problem;
  problem.cones.add({ConeKind::Free, 2, 0});
  problem.q.assign(2, 0.0);
  problem.W.assembled = to_block_sparse(Eigen::SparseMatrix<double>(2, 2), problem.cones);
  CHECK_NOTHROW(check_problem(problem));
  problem.cones.clear();
  problem.cones.add({ConeKind::Coulomb, 2, 0.5});
  CHECK_THROWS_AS(check_problem(problem), InputError);
}

TEST_CASE("an LCP becomes orthant blocks with the same matrix") {
  RandomStream random(32, 0);
  const MatrixXd M = random_matrix(random, 5, 5);
  const Lcp lcp{M.sparseView(), random_vector(random, 5)};
  const ConeProblem problem = to_cone_problem(lcp);
  CHECK(problem.cones.count() == 5);
  CHECK(problem.cones[3].kind == ConeKind::Orthant);
  CHECK(to_dense(problem.W, problem.cones) == M);
  CHECK(VectorXd(problem.q) == lcp.q);
  CHECK_THROWS_AS(to_cone_problem({M.sparseView(), random_vector(random, 4)}), InputError);
}
