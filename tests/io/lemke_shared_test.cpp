#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/hdf5.h"
#include "solvers/facetize.h"
#include "solvers/lemke.h"

using namespace carom;

namespace {

template <class T>
std::vector<T> read_array(const h5::File& file, const std::string& path) {
  const h5::Dataset dataset = file.open_dataset(path, h5::TypeOf<T>::value, 1);
  std::vector<T> values(static_cast<std::size_t>(dataset.rows()));
  dataset.read_rows(0, dataset.rows(), values.data());
  return values;
}

// A local FCLIB problem in 3D, W by compressed columns.
ConeProblem read_shared(const std::string& path) {
  const h5::File file = h5::File::open_for_reading(path);
  const auto p = read_array<std::int32_t>(file, "/fclib_local/W/p"),
             i = read_array<std::int32_t>(file, "/fclib_local/W/i");
  const auto x = read_array<double>(file, "/fclib_local/W/x"), q = read_array<double>(file, "/fclib_local/vectors/q");
  ConeProblem problem;
  for (double mu : read_array<double>(file, "/fclib_local/vectors/mu"))
    problem.cones.add({.kind = ConeKind::Coulomb, .dim = 3, .mu = mu});
  const auto n = static_cast<Eigen::Index>(q.size());
  const Eigen::SparseMatrix<double> W = Eigen::Map<const Eigen::SparseMatrix<double>>(
      n, n, static_cast<Eigen::Index>(x.size()), p.data(), i.data(), x.data());
  problem.W.assembled = to_block_sparse(W, problem.cones);
  problem.q = Eigen::Map<const VectorXd>(q.data(), n);
  return problem;
}

std::vector<std::filesystem::path> shared_problems() {
  const std::filesystem::path folder = std::filesystem::path(CAROM_SOURCE_DIR) / ".." / "shared" / "fclib";
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("Lemke's method solves the facetized problems of other codes to 1e-8") {
  const auto files = shared_problems();
  if (files.empty()) {
    MESSAGE("skipped: ../shared/fclib is not there");
    return;
  }
  int solved = 0, trials = 0;
  std::string table = fmt::format("\n{:<46}{:>3}{:>7}{:>8}{:>7}{:>9}{:>10}{:>10}  {}\n", "problem", "f", "size",
                                  "pivots", "again", "s", "LCP", "cone", "status");
  for (const auto& path : files) {
    const ConeProblem problem = read_shared(path.string());
    for (int f : {4, 8}) {
      const FacetedProblem faceted = facetize(problem, {.facets = f});
      VectorXd z = VectorXd::Zero(faceted.lcp.q.size());
      LcpOptions options;
      options.max_seconds = 100;
      const LcpReport report = solve_lcp(faceted.lcp, faceted.free, z, options);
      CAPTURE(path.stem().string());
      CHECK(report.solved() == (report.residual <= 1e-8));
      CHECK(std::abs(lcp_residual(faceted.lcp, faceted.free, z) - report.residual) <= 1e-6 * report.residual + 1e-16);
      const VectorXd r = faceted.G * z;
      ++trials;
      solved += report.solved();
      table += fmt::format("{:<46}{:>3}{:>7}{:>8}{:>7}{:>9.3f}{:>10.1e}{:>10.1e}  {}\n", path.stem().string(), f,
                           z.size(), report.pivots, report.restarts, report.seconds, report.residual,
                           natural_map_residual(problem, r), name_of(report.status));
    }
  }
  CHECK(solved == trials);
  MESSAGE(table << solved << " of " << trials << " solved to 1e-8");
}
