// Laws that every iterative solver of cone problems is held to, whatever its method. Each takes options of the solver
// and fails the test case it is called from.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "random_problems.h"
#include "solvers/nsgs.h"

namespace carom {

struct Answer {
  SolveReport report;
  VectorXd r, u;
};

template <class S>
typename S::Options options_of(double tolerance, int max_iterations) {
  typename S::Options o;
  o.stop.tolerance = tolerance;
  o.stop.max_iterations = max_iterations;
  return o;
}

// Solves from the guess and checks that the report speaks of the r returned, whatever the exit.
template <class S>
Answer solve_from(const ConeProblem& problem, const typename S::Options& o, const VectorXd& guess) {
  Answer answer;
  answer.r = guess;
  answer.u = guess;
  S solver(o);
  answer.report = solver.solve(problem, answer.r);
  const Residuals again = compute_residuals(problem, answer.r, answer.u);
  CHECK(again.natural_map == answer.report.residuals.natural_map);
  CHECK(again.velocity_worst == answer.report.residuals.velocity_worst);
  CHECK(answer.r.allFinite());
  CHECK(answer.report.iterations <= o.stop.max_iterations);
  CHECK(answer.report.solved() == (measured(again, o.stop.measure) <= o.stop.tolerance));
  return answer;
}

template <class S>
Answer solve(const ConeProblem& problem, const typename S::Options& o) {
  return solve_from<S>(problem, o, VectorXd::Zero(problem.cones.rows()));
}

inline ConeProblem one_block(const Cone& cone, const MatrixXd& W, const VectorXd& q) {
  ConeProblem problem;
  problem.cones.add(cone);
  problem.W.assembled = to_block_sparse(W.sparseView(), problem.cones);
  problem.q = q;
  return problem;
}

// W times a, q times b, on the assembled body.
inline ConeProblem scaled(const ConeProblem& problem, double a, double b) {
  ConeProblem copy = problem;
  for (double& value : copy.W.assembled->values) value *= a;
  copy.q *= b;
  return copy;
}

// Velocities agree with nsgs to 1e-6 of |q| wherever both solve; returns the share of what nsgs solves.
template <class S>
double share_solved_like_nsgs(const typename S::Options& o, std::uint64_t seed, int trials, const ConeMix& mix) {
  int theirs = 0, ours = 0;
  for (int trial = 0; trial < trials; ++trial) {
    RandomStream random(seed, static_cast<std::uint64_t>(trial));
    const int blocks = 1 + static_cast<int>(random.below(40));
    const int bodies = 1 + blocks / (1 + static_cast<int>(random.below(3)));
    ConeProblem problem = random_rigid_problem(random, blocks, bodies, mix);
    const Answer reference = solve<Nsgs>(problem, options_of<Nsgs>(1e-10, 20000));
    if (!reference.report.solved()) continue;
    ++theirs;
    if (trial % 2 == 1) problem = assembled_copy(problem);
    const Answer answer = solve<S>(problem, o);
    ours += answer.report.solved();
    CAPTURE(trial);
    if (answer.report.solved()) CHECK((answer.u - reference.u).norm() <= 1e-6 * problem.q.norm());
  }
  REQUIRE(theirs > trials / 2);
  MESSAGE(ours << " solved of " << theirs << " that nsgs solves");
  return static_cast<double>(ours) / theirs;
}

// One contact: W = diag(a, b, b), q = (-1, t, 0) sticks while t/b <= mu/a and slides beyond, by closed forms.
template <class S>
void check_one_contact_closed_forms(const typename S::Options& o) {
  const double a = 2, b = 3, mu = 0.5;
  const MatrixXd W = Vec3(a, b, b).asDiagonal();
  const auto answer = [&](ConeKind kind, double t) {
    const Answer found = solve<S>(one_block({kind, 3, mu}, W, Vec3(-1, t, 0)), o);
    CHECK(found.report.solved());
    return found;
  };
  // Sticking: r = -W^-1 q
  CHECK((answer(ConeKind::Coulomb, 0.6).r - Vec3(1 / a, -0.6 / b, 0)).norm() <= 1e-7);
  // Sliding: u_n = 0, r_n = 1/a, r_t = -mu r_n, u_t = t - b mu/a
  const Answer sliding = answer(ConeKind::Coulomb, 4);
  CHECK((sliding.r - Vec3(1 / a, -mu / a, 0)).norm() <= 1e-7);
  CHECK((sliding.u - Vec3(0, 4 - b * mu / a, 0)).norm() <= 1e-7);
  // Sliding with Anitescu's law: r = r_n (1, -mu, 0) minimizes, r_n = (1 + mu t)/(a + b mu^2)
  const double r_n = (1 + mu * 4) / (a + b * mu * mu);
  CHECK((answer(ConeKind::Associated, 4).r - Vec3(r_n, -mu * r_n, 0)).norm() <= 1e-7);
  // Open, a joint, a frictionless contact
  CHECK(solve<S>(one_block({ConeKind::Coulomb, 3, mu}, W, Vec3(0.1, 4, 0)), o).r.isZero(0));
  CHECK((solve<S>(one_block({ConeKind::Free, 3, 0}, W, Vec3(1, 2, 3)), o).u).norm() <= 1e-7);
  CHECK(solve<S>(one_block({ConeKind::Orthant, 1, 0}, MatrixXd::Constant(1, 1, 4.0), VectorXd::Constant(1, -2)), o)
            .r[0] == doctest::Approx(0.5).epsilon(1e-7));
  // In the plane
  CHECK((solve<S>(one_block({ConeKind::Coulomb, 2, mu}, Vec2(a, b).asDiagonal(), Vec2(-1, -4)), o).r -
         Vec2(1 / a, mu / a))
            .norm() <= 1e-7);
}

// r(a W, b q) = b/a r(W, q) and u = b u. The natural map adds impulses to velocities, so only the velocity residual,
// scaled by b, means the same everywhere.
template <class S>
void check_scale_invariance(typename S::Options o, double agreement) {
  o.stop.measure = Measure::Velocity;
  const double tolerance = o.stop.tolerance;
  for (int trial = 0; trial < 8; ++trial) {
    RandomStream random(71, static_cast<std::uint64_t>(trial));
    const ConeProblem problem = assembled_copy(random_rigid_problem(random, 12, 10));
    o.stop.tolerance = tolerance;
    const Answer plain = solve<S>(problem, o);
    for (const double a : {1e-6, 1e6}) {
      for (const double b : {1e-3, 1e3}) {
        // powers of two would be exact: these are not
        o.stop.tolerance = tolerance * b;
        const Answer other = solve<S>(scaled(problem, a, b), o);
        CAPTURE(trial);
        CHECK(other.report.status == plain.report.status);
        if (plain.report.solved()) CHECK((other.u / b - plain.u).norm() <= agreement * problem.q.norm());
      }
    }
  }
}

// The convex objective r W r / 2 + q . r is not above that of nsgs, and there is no duality gap.
template <class S>
void check_convex_optimum(const typename S::Options& o) {
  int solved = 0;
  for (int trial = 0; trial < 40; ++trial) {
    RandomStream random(72, static_cast<std::uint64_t>(trial));
    const ConeMix mix{.free = trial % 2 == 0, .coulomb = false};
    const ConeProblem problem =
        random_dense_problem(random, 1 + static_cast<int>(random.below(10)), trial % 3 ? 2.0 : 0.7, mix);
    const Answer reference = solve<Nsgs>(problem, options_of<Nsgs>(1e-11, 50000));
    const Answer answer = solve<S>(problem, o);
    if (!reference.report.solved() || !answer.report.solved()) continue;
    ++solved;
    const auto objective = [&](const Answer& x) { return 0.5 * x.r.dot(x.u + VectorXd(problem.q)); };
    CAPTURE(trial);
    const double size = 1 + answer.r.norm() * problem.q.norm();
    CHECK(objective(answer) <= objective(reference) + 1e-8 * size);
    CHECK(std::abs(answer.r.dot(answer.u)) <= 1e-8 * size);
  }
  CHECK(solved >= 30);
}

// The unsymmetric W of the problem defines the answer: its velocities are nsgs', not those of the symmetric part.
template <class S>
void check_unsymmetric(const typename S::Options& o) {
  int told_apart = 0, solved = 0;
  for (int trial = 0; trial < 20; ++trial) {
    RandomStream random(73, static_cast<std::uint64_t>(trial));
    ConeProblem problem = random_dense_problem(random, 8, 2.0, {});
    MatrixXd W = to_dense(problem.W, problem.cones);
    const MatrixXd symmetric = W;
    const MatrixXd B = random_matrix(random, W.rows(), W.cols());
    W += 5e-3 * (B - B.transpose());
    problem.W.assembled = to_block_sparse(W.sparseView(), problem.cones);
    ConeProblem wrong = problem;
    wrong.W.assembled = to_block_sparse(symmetric.sparseView(), problem.cones);
    const Answer reference = solve<Nsgs>(problem, options_of<Nsgs>(1e-11, 50000));
    const Answer answer = solve<S>(problem, o);
    if (!reference.report.solved() || !answer.report.solved()) continue;
    ++solved;
    CAPTURE(trial);
    CHECK((answer.u - reference.u).norm() <= 1e-6 * problem.q.norm());
    const Answer other = solve<Nsgs>(wrong, options_of<Nsgs>(1e-11, 50000));
    told_apart += (other.u - reference.u).norm() > 1e-4 * problem.q.norm();
  }
  CHECK(solved >= 16);
  CHECK(told_apart >= 10);
}

// Random limits and tolerances on problems of every kind, solvable or not: solve_from() checks the report.
template <class S>
void check_honest_statuses(const typename S::Options& base) {
  for (int trial = 0; trial < 150; ++trial) {
    RandomStream random(74, static_cast<std::uint64_t>(trial));
    typename S::Options o = base;
    o.stop.tolerance = std::pow(10.0, random.uniform(-14, -1));
    o.stop.max_iterations = 1 + static_cast<int>(std::pow(10.0, random.uniform(0, 3)));
    o.stop.measure = random.below(2) == 0 ? Measure::NaturalMap : Measure::Velocity;
    const int blocks = 1 + static_cast<int>(random.below(15));
    ConeProblem problem = trial % 2 == 0 ? random_rigid_problem(random, blocks, 1 + blocks / 3)
                                         : random_dense_problem(random, blocks, random.uniform(0.2, 1.5));
    // Every fifth has no solution in general.
    if (trial % 5 == 0) problem.q += random_vector(random, problem.q.size());
    VectorXd guess = VectorXd::Zero(problem.q.size());
    if (random.below(2) == 0) guess = random_vector(random, guess.size());
    CAPTURE(trial);
    const Answer answer = solve_from<S>(problem, o, guess);
    if (answer.report.status == SolveStatus::MaxIterations) CHECK(answer.report.iterations == o.stop.max_iterations);
  }
}

// Each exit says what it was.
template <class S>
void check_limits(const typename S::Options& base) {
  RandomStream random(75, 0);
  const ConeProblem problem = random_rigid_problem(random, 60, 20);
  typename S::Options o = base;
  o.stop.tolerance = 1e-15;
  o.stop.max_iterations = 1;
  CHECK(solve<S>(problem, o).report.status == SolveStatus::MaxIterations);
  o.stop.max_iterations = 1000000;
  o.stop.max_seconds = 0;
  CHECK(solve<S>(problem, o).report.status == SolveStatus::MaxTime);
  // No r >= 0 has W r + q >= 0.
  MatrixXd M(2, 2);
  M << 1, -1, -1, 1;
  o = base;
  o.stop.max_iterations = 20000;
  const SolveStatus status = solve<S>(to_cone_problem({M.sparseView(), Vec2(-1, -1)}), o).report.status;
  CHECK((status == SolveStatus::Stalled || status == SolveStatus::MaxIterations));
  // Nothing to solve, and nonsense.
  VectorXd empty;
  CHECK(S(base).solve(ConeProblem(), empty).solved());
  ConeProblem bad;
  bad.cones.add({ConeKind::Coulomb, 3, -0.5});
  VectorXd r(3);
  CHECK_THROWS_AS(S(base).solve(bad, r), InputError);
}

// The answer as first guess costs nothing, one near it less than none.
template <class S>
void check_warm_start(const typename S::Options& o) {
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 12; ++trial) {
    RandomStream random(76, static_cast<std::uint64_t>(trial));
    const ConeProblem problem = random_rigid_problem(random, 25, 14, {.free = trial % 2 == 0});
    const Answer answer = solve<S>(problem, o);
    if (!answer.report.solved() || answer.report.iterations < 5) continue;
    CHECK(solve_from<S>(problem, o, answer.r).report.iterations == 0);
    const VectorXd near = answer.r + 1e-5 * answer.r.norm() * random_vector(random, answer.r.size()).normalized();
    cold += answer.report.iterations;
    warm += solve_from<S>(problem, o, near).report.iterations;
  }
  MESSAGE(cold << " iterations cold, " << warm << " from near the answer");
  CHECK(warm < cold);
}

}  // namespace carom
