// Stand-in: local problems in compressed columns only.
#include "io/fclib.h"

#include "io/hdf5.h"

namespace carom {

namespace {
template <class T>
std::vector<T> read(const h5::File& file, const std::string& path) {
  const h5::Dataset dataset = file.open_dataset(path, h5::TypeOf<T>::value, 1);
  std::vector<T> values(dataset.rows());
  dataset.read_rows(0, dataset.rows(), values.data());
  return values;
}
}  // namespace

FclibProblem read_fclib(const std::string& path) {
  const h5::File file = h5::File::open_for_reading(path);
  const std::string w = "/fclib_local/W/";
  if (!file.exists("/fclib_local") || !file.exists(w + "x")) file.fail("/fclib_local/W", "is missing");
  if (read<std::int32_t>(file, w + "nz").at(0) != -1) file.fail(w + "nz", "must be -1");
  const int dim = read<std::int32_t>(file, "/fclib_local/spacedim").at(0);
  const auto p = read<std::int32_t>(file, w + "p");
  const auto i = read<std::int32_t>(file, w + "i");
  const auto x = read<double>(file, w + "x");
  const auto q = read<double>(file, "/fclib_local/vectors/q");
  FclibProblem result;
  for (double mu : read<double>(file, "/fclib_local/vectors/mu"))
    result.problem.cones.add({.kind = ConeKind::Coulomb, .dim = dim, .mu = mu});
  const int n = result.problem.cones.rows();
  if (static_cast<int>(q.size()) != n || static_cast<int>(p.size()) != n + 1)
    file.fail("/fclib_local", "sizes disagree");
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int k = p[static_cast<std::size_t>(j)]; k < p[static_cast<std::size_t>(j) + 1]; ++k)
      entries.emplace_back(i.at(static_cast<std::size_t>(k)), j, x.at(static_cast<std::size_t>(k)));
  Eigen::SparseMatrix<double> W(n, n);
  W.setFromTriplets(entries.begin(), entries.end());
  result.problem.W.assembled = to_block_sparse(W, result.problem.cones);
  result.problem.q = Eigen::Map<const VectorXd>(q.data(), n);
  check_problem(result.problem);
  return result;
}

}  // namespace carom
