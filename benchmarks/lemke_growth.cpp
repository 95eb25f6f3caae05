// How Lemke's method grows with the size of contact-sparse LCPs.
//
//     bench_lemke_growth [facets = 4] [largest Siconos size = 2500] [sizes = 200 1000 5000 10000 ...]
//
// Spheres on a cubic lattice, each touching the one below and two beside, normals tilted at random, under gravity;
// friction facetized. Prints processor time, pivots and residual by size with the fitted exponent of time, and where
// Siconos is linked the time of its lcp_lexicolemke (a dense tableau) on the same arrays, up to the size given.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/random.h"
#include "solvers/facetize.h"
#include "solvers/lemke.h"

#ifdef CAROM_SICONOS
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#endif

using namespace carom;

namespace {

// Contacts of k x k columns of spheres, layer by layer, until there are enough.
ConeProblem lattice(int contacts) {
  ConeProblem problem;
  DelassusFactors& factors = problem.W.factors.emplace();
  const int k = std::max(2, static_cast<int>(std::round(std::cbrt(contacts / 3.0))));
  std::vector<Twist> v;
  RandomStream random(7, static_cast<std::uint64_t>(contacts));
  const auto touch = [&](int a, int b, const Vec3& towards_a) {
    const Vec3 n = (towards_a + 0.2 * Vec3(random.normal(), random.normal(), random.normal())).normalized();
    const Vec3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    problem.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = 0.4});
    factors.bodies.push_back({a, b});
    // Arms of unit spheres: -n from a's centre, n from b's.
    for (const Vec3& axis : {n, t1, t2}) factors.rows.push_back({axis, (-n).cross(axis), -n.cross(axis)});
  };
  for (int s = 0; problem.cones.count() < contacts; ++s) {
    const double mass = random.uniform(0.5, 2);
    factors.inverse_mass.push_back({1 / mass, 2.5 / mass * Mat3::Identity()});
    v.push_back({.linear = Vec3(0.1 * random.normal(), 0.1 * random.normal(), -1),
                 .angular = 0.1 * Vec3(random.normal(), random.normal(), random.normal())});
    touch(s, s - k * k >= 0 ? s - k * k : -1, Vec3::UnitZ());
    if (s % k != 0 && problem.cones.count() < contacts) touch(s, s - 1, Vec3::UnitX());
    if (s / k % k != 0 && problem.cones.count() < contacts) touch(s, s - k, Vec3::UnitY());
  }
  problem.q.assign(problem.cones.rows(), 0.0);
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int offset = problem.cones.offset(i);
    add_block_velocity(factors, i, offset, 3, v, problem.q.data() + offset);
  }
  return problem;
}

// Processor time: other programs on the machine count little.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Seconds of Siconos' lcp_lexicolemke; negative when it is not linked or did not solve.
double time_siconos([[maybe_unused]] const Lcp& lcp) {
#ifdef CAROM_SICONOS
  const int n = static_cast<int>(lcp.q.size());
  MatrixXd M = lcp.M;
  VectorXd q = lcp.q, z = VectorXd::Zero(n), w = z;
  LinearComplementarityProblem problem;
  problem.size = n;
  problem.M = NM_create_from_data(NM_DENSE, n, n, M.data());
  problem.q = q.data();
  SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 100 * n;
  int info = -1;
  const double begin = processor_seconds();
  lcp_lexicolemke(&problem, z.data(), w.data(), &info, options);
  const double seconds = processor_seconds() - begin;
  solver_options_delete(options);
  std::free(problem.M);
  const double residual = lcp_residual(lcp, {}, z);
  if (info != 0 || residual > 1e-6) fmt::print("  Siconos: info {}, residual {:.1e}\n", info, residual);
  return seconds;
#else
  return -1;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int facets = argument(1, 4), largest_siconos = argument(2, 2500);
  std::vector<int> sizes;
  for (int k = 3; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {200, 1000, 5000, 10000};

  fmt::print("Lemke on facetized sphere lattices, {} facets\n", facets);
  fmt::print("{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}{:>11}{:>11}{:>9}  {}\n", "unknowns", "contacts", "entries", "s", "pivots",
             "factors", "residual", "Siconos s", "ratio", "status");
  std::vector<double> log_size, log_seconds;
  for (int size : sizes) {
    const ConeProblem problem = lattice(std::max(1, size / (facets + 2)));
    const FacetedProblem faceted = facetize(problem, {.facets = facets});
    const int n = static_cast<int>(faceted.lcp.q.size());
    VectorXd z;
    LcpReport report;
    // The best of a few: short runs are noisy.
    for (int run = 0; run < (n < 2000 ? 7 : 1); ++run) {
      z = VectorXd::Zero(n);
      const double begin = processor_seconds();
      LcpReport again = solve_lcp(faceted.lcp, faceted.free, z);
      again.seconds = processor_seconds() - begin;
      if (run == 0 || again.seconds < report.seconds) report = again;
    }
    const double siconos = n <= largest_siconos ? time_siconos(faceted.lcp) : -1;
    fmt::print("{:>9}{:>9}{:>9}{:>10.4f}{:>9}{:>9}{:>11.1e}", n, problem.cones.count(), faceted.lcp.M.nonZeros(),
               report.seconds, report.pivots, report.factorizations, report.residual);
    if (siconos >= 0)
      fmt::print("{:>11.4f}{:>9.1f}", siconos, siconos / report.seconds);
    else
      fmt::print("{:>11}{:>9}", "-", "-");
    fmt::print("  {}\n", name_of(report.status));
    log_size.push_back(std::log(n));
    log_seconds.push_back(std::log(report.seconds));
  }
  // log(seconds) = exponent log(size) + constant, by least squares
  const auto count = static_cast<Eigen::Index>(sizes.size());
  if (count < 2) return 0;
  MatrixXd A(count, 2);
  A.col(0) = Eigen::Map<const VectorXd>(log_size.data(), count);
  A.col(1).setOnes();
  const VectorXd fit = A.colPivHouseholderQr().solve(Eigen::Map<const VectorXd>(log_seconds.data(), count));
  fmt::print("time grows as size to the power {:.2f}\n", fit[0]);
  return 0;
}
