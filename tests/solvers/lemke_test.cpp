#include "solvers/lemke.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "random_problems.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

struct Answer {
  LcpReport report;
  VectorXd z, w;
};

Answer solve(const MatrixXd& M, const VectorXd& q, const LcpOptions& options = {}) {
  const Lcp lcp{M.sparseView(0, 0), q};
  Answer answer;
  answer.z = VectorXd::Zero(q.size());
  answer.report = solve_lcp(lcp, answer.z, options);
  answer.w = M * answer.z + q;
  // The report speaks of the z returned, whatever the exit.
  const double norm_q = q.norm() > 0 ? q.norm() : 1;
  const double residual = answer.z.cwiseMin(answer.w).norm() / norm_q;
  CHECK(std::abs(answer.report.residual - residual) <= 1e-14 + 1e-6 * residual);
  CHECK(answer.report.solved() == (answer.report.residual <= options.tolerance));
  CHECK(answer.z.allFinite());
  return answer;
}

// Every solution of 0 <= z perp M z + q >= 0 with a nonsingular complementary basis.
std::vector<VectorXd> enumerate_solutions(const MatrixXd& M, const VectorXd& q) {
  const int n = static_cast<int>(q.size());
  std::vector<VectorXd> solutions;
  for (int basis = 0; basis < (1 << n); ++basis) {
    std::vector<int> active;
    for (int i = 0; i < n; ++i) {
      if (basis >> i & 1) active.push_back(i);
    }
    VectorXd z = VectorXd::Zero(n);
    if (!active.empty()) z(active) = MatrixXd(M(active, active)).fullPivLu().solve(-q(active));
    if (std::min(z.minCoeff(), (M * z + q).minCoeff()) >= -1e-10) solutions.push_back(z);
  }
  return solutions;
}

// Upper triangular with twos above a diagonal of ones (Murty 1978).
MatrixXd murty(int n) {
  MatrixXd M = MatrixXd::Identity(n, n);
  for (int j = 0; j < n; ++j) M.col(j).head(j).setConstant(2);
  return M;
}

// A ray that leaves almost complementary bases: w = M z + d z0, all >= 0, z_i w_i = 0.
void check_ray(const MatrixXd& M, const LcpRay& ray) {
  const double size = 1e-9 * (1 + M.lpNorm<Eigen::Infinity>()) * (1 + ray.z.lpNorm<Eigen::Infinity>());
  CHECK(ray.z.maxCoeff() > 0);
  CHECK(ray.z.minCoeff() >= -size);
  CHECK(ray.w.minCoeff() >= -size);
  CHECK(ray.z0 >= -size);
  CHECK(std::abs(ray.z.dot(ray.w)) <= size);
  // What M z does not explain is a positive multiple of a positive vector, the covering one.
  const VectorXd covered = ray.w - M * ray.z;
  CHECK(covered.minCoeff() >= -size);
}

// The equilibria of a game with positive costs A and B, as a copositive LCP in (x, y, v+, v-, u+, u-):
//
//     0 <= x perp A y - v e >= 0,  e . x = 1,    0 <= y perp B^T x - u e >= 0,  e . y = 1     (Koller et al. 1996)
Lcp bimatrix_game(const MatrixXd& A, const MatrixXd& B) {
  const Eigen::Index m = A.rows(), n = A.cols();
  MatrixXd M = MatrixXd::Zero(m + n + 4, m + n + 4);
  M.block(0, m, m, n) = A;
  M.block(m, 0, n, m) = B.transpose();
  VectorXd q = VectorXd::Zero(m + n + 4);
  for (int k = 0; k < 2; ++k) {
    const double sign = k == 0 ? 1 : -1;
    M.block(0, m + n + k, m, 1).setConstant(-sign);
    M.block(m + n + k, 0, 1, m).setConstant(sign);
    M.block(m, m + n + 2 + k, n, 1).setConstant(-sign);
    M.block(m + n + 2 + k, m, 1, n).setConstant(sign);
    q[m + n + k] = q[m + n + 2 + k] = -sign;
  }
  return {M.sparseView(), q};
}

}  // namespace

TEST_CASE("with M = I the solution is the positive part of -q") {
  RandomStream random(1, 1);
  for (int n : {1, 2, 7, 50}) {
    const VectorXd q = random_vector(random, n);
    const Answer answer = solve(MatrixXd::Identity(n, n), q);
    CHECK(answer.report.solved());
    CHECK((answer.z - (-q).cwiseMax(0)).norm() == 0);
  }
  CHECK(solve(MatrixXd::Identity(3, 3), VectorXd::Zero(3)).report.pivots == 0);
  CHECK(solve(MatrixXd(0, 0), VectorXd(0)).report.solved());
}

TEST_CASE("P-matrices have one solution, and it is the one that enumeration finds") {
  for (int trial = 0; trial < 120; ++trial) {
    RandomStream random(2, static_cast<std::uint64_t>(trial));
    const int n = 1 + static_cast<int>(random.below(trial < 100 ? 8 : 12));
    const MatrixXd B = random_matrix(random, n, n), S = random_matrix(random, n, n);
    const MatrixXd M = B * B.transpose() + 0.1 * MatrixXd::Identity(n, n) + 2 * (S - S.transpose());
    const VectorXd q = random_vector(random, n);
    const Answer answer = solve(M, q, {.tolerance = 1e-12});
    const std::vector<VectorXd> solutions = enumerate_solutions(M, q);
    CAPTURE(trial);
    CHECK(answer.report.solved());
    REQUIRE(!solutions.empty());
    CHECK((answer.z - solutions[0]).norm() <= 1e-8 * (1 + solutions[0].norm()));
  }
}

TEST_CASE("on Murty's example the path visits all 2^n complementary cones") {
  // Along q + z0 e each z_i, seen from the last, folds the line once more: 2^n - 1 breakpoints for z0 > 0.
  for (int n = 1; n <= 11; ++n) {
    VectorXd q(n), solution = VectorXd::Zero(n);
    for (int i = 0; i < n; ++i) q[i] = -(std::exp2(n) - std::exp2(i));
    solution[n - 1] = std::exp2(n - 1);
    LcpOptions options;
    options.pivot.covering = Covering::Ones;
    const Answer answer = solve(murty(n), q, options);
    CAPTURE(n);
    CHECK(answer.report.pivots == 1 << n);
    CHECK((answer.z - solution).norm() <= 1e-12 * solution.norm());
    // Another covering vector leads another way to the same answer.
    options.pivot.covering = Covering::Mixed;
    CHECK((solve(murty(n), q, options).z - solution).norm() <= 1e-12 * solution.norm());
  }
}

TEST_CASE("bimatrix games end in their known equilibria") {
  // Costs are positive: a constant minus the payoffs.
  const auto play = [](const MatrixXd& payoff_row, const MatrixXd& payoff_column, VectorXd& x, VectorXd& y) {
    const MatrixXd A = MatrixXd::Constant(payoff_row.rows(), payoff_row.cols(), 5) - payoff_row;
    const MatrixXd B = MatrixXd::Constant(payoff_row.rows(), payoff_row.cols(), 5) - payoff_column;
    const Lcp lcp = bimatrix_game(A, B);
    VectorXd z = VectorXd::Zero(lcp.q.size());
    const LcpReport report = solve_lcp(lcp, z);
    x = z.head(A.rows()) / z.head(A.rows()).sum();
    y = z.segment(A.rows(), A.cols()) / z.segment(A.rows(), A.cols()).sum();
    return report;
  };
  VectorXd x, y;
  MatrixXd pennies(2, 2);
  pennies << 1, -1, -1, 1;
  CHECK(play(pennies, -pennies, x, y).solved());
  CHECK((x - VectorXd::Constant(2, 0.5)).norm() <= 1e-12);
  CHECK((y - VectorXd::Constant(2, 0.5)).norm() <= 1e-12);

  // Rock, paper, scissors: a degenerate game with one equilibrium.
  MatrixXd rock(3, 3);
  rock << 0, -1, 1, 1, 0, -1, -1, 1, 0;
  CHECK(play(rock, -rock, x, y).solved());
  CHECK((x - VectorXd::Constant(3, 1.0 / 3)).norm() <= 1e-12);
  CHECK((y - VectorXd::Constant(3, 1.0 / 3)).norm() <= 1e-12);

  // Battle of the sexes: (1,0; 1,0), (0,1; 0,1) or (2/3,1/3; 1/3,2/3).
  MatrixXd his(2, 2), hers(2, 2);
  his << 2, 0, 0, 1;
  hers << 1, 0, 0, 2;
  CHECK(play(his, hers, x, y).solved());
  const bool pure = (x - y).norm() <= 1e-12 && std::abs(x.maxCoeff() - 1) <= 1e-12;
  const bool mixed = std::abs(x[0] - 2.0 / 3) <= 1e-12 && std::abs(y[0] - 1.0 / 3) <= 1e-12;
  CHECK((pure || mixed));
}

TEST_CASE("copositive-plus problems that are feasible are all solved to 1e-8, singular and unsymmetric ones too") {
  int trials = 0, restarts = 0;
  double worst = 0;
  for (int trial = 0; trial < 400; ++trial) {
    RandomStream random(3, static_cast<std::uint64_t>(trial));
    const int n = 1 + static_cast<int>(random.below(trial < 300 ? 30 : 120));
    const int rank = static_cast<int>(random.below(static_cast<std::uint64_t>(n) + 1));
    const MatrixXd B = random_matrix(random, n, std::max(rank, 1)), S = random_matrix(random, n, n);
    MatrixXd M = B * B.transpose();
    if (trial % 2 == 1) M += S - S.transpose();
    // Feasible: M z + q = w at some z, w >= 0; every third with ties and zeros.
    VectorXd z = random_vector(random, n).cwiseMax(0), w = random_vector(random, n).cwiseMax(0);
    if (trial % 3 == 0) {
      for (double& v : z) v = std::round(v);
      for (double& v : w) v = std::round(v);
    }
    const Answer answer = solve(M, w - M * z);
    CAPTURE(trial);
    CAPTURE(n);
    CAPTURE(rank);
    CAPTURE(answer.report.message);
    CHECK(answer.report.solved());
    ++trials;
    restarts += answer.report.restarts;
    worst = std::max(worst, answer.report.residual);
  }
  MESSAGE(trials << " problems, " << restarts << " restarts, worst residual " << worst);
}

TEST_CASE("where no z >= 0 has M z + q >= 0, the ray proves it") {
  int proved = 0, trials = 0;
  for (int trial = 0; trial < 150; ++trial) {
    RandomStream random(4, static_cast<std::uint64_t>(trial));
    const int n = 2 + static_cast<int>(random.below(30));
    const int rank = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(n) / 2 + 1));
    // y >= 0 with M^T y = 0 and q . y < 0
    const VectorXd y = random_vector(random, n).cwiseAbs();
    const MatrixXd project = MatrixXd::Identity(n, n) - y * y.transpose() / y.squaredNorm();
    const MatrixXd B = project * random_matrix(random, n, rank);
    const MatrixXd S = random_matrix(random, n, n);
    MatrixXd M = B * B.transpose();
    if (trial % 2 == 1) M += project * (S - S.transpose()) * project;
    VectorXd q = random_vector(random, n);
    q -= (q.dot(y) / y.squaredNorm() + 0.1) * y;
    const Answer answer = solve(M, q);
    CAPTURE(trial);
    CAPTURE(answer.report.message);
    ++trials;
    CHECK(!answer.report.solved());
    CHECK(answer.report.status == SolveStatus::Infeasible);
    if (!answer.report.ray) continue;
    check_ray(M, *answer.report.ray);
    const VectorXd& ray = answer.report.ray->z;
    proved += q.dot(ray) < 0 && (M.transpose() * ray).maxCoeff() <= 1e-7 * M.lpNorm<Eigen::Infinity>() * ray.norm();
  }
  CHECK(proved == trials);
}

TEST_CASE("a ray that proves nothing is called a ray") {
  // w = -z - 1 is never >= 0, and the ray shows it.
  const Answer infeasible = solve(MatrixXd::Constant(1, 1, -1.0), VectorXd::Constant(1, -1.0));
  CHECK(infeasible.report.status == SolveStatus::Infeasible);
  // A game's equilibria without its simplices (0 <= y perp A x - 1): solvable, by (1, 1) for one, but the matrix is
  // not copositive-plus and the path leaves at once.
  MatrixXd M(2, 2);
  M << 0, 1, 1, 0;
  const Answer ray = solve(M, Vec2(-1, -1));
  CHECK(ray.report.status == SolveStatus::RayTermination);
  REQUIRE(ray.report.ray);
  CHECK(!ray.report.ray->proves_infeasible);
  check_ray(M, *ray.report.ray);
}

TEST_CASE("problems made of ties end without cycling") {
  int trials = 0;
  std::int64_t pivots = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RandomStream random(5, static_cast<std::uint64_t>(trial));
    // Incidence-like entries -1, 0, 1 and equal q: nearly every ratio is tied.
    const int n = 2 + static_cast<int>(random.below(60));
    const int columns = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
    MatrixXd B(n, columns);
    for (double& b : B.reshaped()) b = static_cast<double>(random.below(3)) - 1;
    MatrixXd M = B * B.transpose();
    const VectorXd v = VectorXd::Constant(columns, -1.0);
    VectorXd q = B * v;  // in the range of B: solvable
    if (trial % 4 == 0) q = q.cwiseMax(-1).cwiseMin(1) * 0 - VectorXd::Ones(n), M += MatrixXd::Ones(n, n);
    const Answer answer = solve(M, q);
    CAPTURE(trial);
    CAPTURE(answer.report.message);
    CHECK(answer.report.solved());
    CHECK(answer.report.pivots <= 50 * n);
    pivots += answer.report.pivots;
    ++trials;
  }
  MESSAGE(trials << " degenerate problems, " << pivots << " pivots");
}

TEST_CASE("rows, columns and q scaled by 1e-6 to 1e6 do not change what is solved") {
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(6, static_cast<std::uint64_t>(trial));
    const int n = 2 + static_cast<int>(random.below(30));
    const MatrixXd B = random_matrix(random, n, n);
    const MatrixXd M = B * B.transpose() + MatrixXd::Identity(n, n);
    const VectorXd q = random_vector(random, n);
    const Answer plain = solve(M, q);
    VectorXd row(n), column(n);
    for (double& x : row) x = std::pow(10.0, random.uniform(-6, 6));
    for (double& x : column) x = std::pow(10.0, random.uniform(-6, 6));
    const Lcp lcp{MatrixXd(row.asDiagonal() * M * column.asDiagonal()).sparseView(0, 0), row.asDiagonal() * q};
    VectorXd z = VectorXd::Zero(n);
    const LcpReport report = solve_lcp(lcp, z, {.tolerance = 1e-10});
    CAPTURE(trial);
    CHECK(report.solved());
    CHECK((column.asDiagonal() * z - plain.z).norm() <= 1e-9 * (1 + plain.z.norm()));
    for (double factor : {1e-6, 1e6}) {
      const Answer matrix = solve(factor * M, q), right = solve(M, factor * q);
      CHECK((factor * matrix.z - plain.z).norm() <= 1e-10 * (1 + plain.z.norm()));
      CHECK((right.z / factor - plain.z).norm() <= 1e-10 * (1 + plain.z.norm()));
    }
  }
}

TEST_CASE("starting from the solution takes no pivot, from a near one few") {
  RandomStream random(7, 0);
  const int n = 80;
  const MatrixXd B = random_matrix(random, n, n);
  const Lcp lcp{MatrixXd(B * B.transpose() + MatrixXd::Identity(n, n)).sparseView(), random_vector(random, n)};
  VectorXd z = VectorXd::Zero(n);
  const LcpReport cold = solve_lcp(lcp, z);
  CHECK(cold.solved());
  const VectorXd solution = z;
  CHECK(solve_lcp(lcp, z).pivots == 0);
  CHECK(z == solution);
  Lcp near = lcp;
  near.q += 0.02 * random_vector(random, n);
  const LcpReport warm = solve_lcp(near, z);
  CHECK(warm.solved());
  CHECK(warm.pivots < cold.pivots / 2);
}

TEST_CASE("frictionless contacts and joints, redundant or not, get the velocities of Gauss-Seidel") {
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 60; ++trial) {
    RandomStream random(8, static_cast<std::uint64_t>(trial));
    const int blocks = 2 + static_cast<int>(random.below(40));
    const int bodies = 1 + blocks / (1 + static_cast<int>(random.below(4)));
    const ConeProblem problem =
        random_rigid_problem(random, blocks, bodies, {.free = trial % 2 == 0, .coulomb = false, .associated = false});
    VectorXd r = VectorXd::Zero(problem.cones.rows()), u = r, r_nsgs = r, u_nsgs = r;
    const SolveReport report = Lemke().solve(problem, r);
    const Residuals again = compute_residuals(problem, r, u);
    CAPTURE(trial);
    CAPTURE(report.message);
    CHECK(again.natural_map == report.residuals.natural_map);
    CHECK(report.solved());
    NsgsOptions options;
    options.stop.tolerance = 1e-10;
    options.stop.max_iterations = 50000;
    const SolveReport check = Nsgs(options).solve(problem, r_nsgs);
    compute_residuals(problem, r_nsgs, u_nsgs);
    ++trials;
    solved += check.solved();
    if (check.solved()) CHECK((u - u_nsgs).norm() <= 1e-6 * (1 + problem.q.norm()));
  }
  MESSAGE(solved << " of " << trials << " compared with Gauss-Seidel");
  CHECK(solved >= trials / 2);
}

TEST_CASE("limits of pivots and time are statuses, and never a worse answer than the first guess") {
  RandomStream random(9, 0);
  const int n = 100;
  const MatrixXd B = random_matrix(random, n, n);
  const MatrixXd M = B * B.transpose() + MatrixXd::Identity(n, n);
  const VectorXd q = random_vector(random, n);
  const Answer few = solve(M, q, {.max_pivots = 5});
  CHECK(few.report.status == SolveStatus::MaxIterations);
  CHECK(few.report.pivots == 5);
  CHECK(few.report.residual <= 1 + 1e-12);
  CHECK(solve(M, q, {.max_seconds = 0}).report.status == SolveStatus::MaxTime);
}

TEST_CASE("what is no LCP is rejected by name, and other cones by kind") {
  VectorXd z = VectorXd::Zero(2);
  const Lcp good{MatrixXd::Identity(2, 2).sparseView(), VectorXd::Ones(2)};
  Lcp bad = good;
  bad.q[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(solve_lcp(bad, z), doctest::Contains("q[1]"), InputError);
  bad = good;
  bad.M.coeffRef(1, 0) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(solve_lcp(bad, z), doctest::Contains("M[1, 0]"), InputError);
  bad = good;
  bad.q = VectorXd::Ones(3);
  CHECK_THROWS_AS(solve_lcp(bad, z), InputError);
  RandomStream random(10, 0);
  const ConeProblem friction = random_dense_problem(random, 3, 2.0, {.free = false, .orthant = false});
  VectorXd r = VectorXd::Zero(friction.cones.rows());
  CHECK_THROWS_WITH_AS(Lemke().solve(friction, r), doctest::Contains("contact 0"), InputError);
}
