#include "io/problem_writer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "io/hdf5.h"
#include "io/text_file.h"

namespace carom {

namespace {

template <class T>
void write_array(h5::File& file, const std::string& path, const T* values, std::size_t count) {
  h5::Dataset dataset = file.create_dataset(path, h5::TypeOf<T>::value, {count});
  dataset.write_rows(0, count, values);
}

void write_integer(h5::File& file, const std::string& path, std::int32_t value) { write_array(file, path, &value, 1); }

// The dimension that all blocks share; 3 without any.
int space_dimension(const std::string& file, const Cones& cones) {
  for (int i = 0; i < cones.count(); ++i) {
    const std::string item = fmt::format("contact {}", i);
    if (cones[i].kind != ConeKind::Coulomb || cones[i].dim < 2 || cones[i].dim > 3)
      throw InputError({file, 0, 0, item}, "FCLIB problems hold Coulomb contacts of dimension 2 or 3 only",
                       fmt::format("{} of dimension {}", name_of(cones[i].kind), cones[i].dim));
    if (cones[i].dim != cones[0].dim)
      throw InputError({file, 0, 0, item}, "FCLIB problems hold contacts of one dimension only",
                       fmt::format("{} and {}", cones[0].dim, cones[i].dim));
  }
  return cones.count() > 0 ? cones.dim(0) : 3;
}

// nz = -1 marks compressed columns: column j is rows i[p[j]..p[j+1]) with values x.
void write_matrix(h5::File& file, const std::string& group, const Eigen::SparseMatrix<double>& W) {
  const auto nonzeros = static_cast<std::size_t>(W.nonZeros());
  write_integer(file, group + "nzmax", static_cast<std::int32_t>(nonzeros));
  write_integer(file, group + "m", static_cast<std::int32_t>(W.rows()));
  write_integer(file, group + "n", static_cast<std::int32_t>(W.cols()));
  write_integer(file, group + "nz", -1);
  write_array(file, group + "p", W.outerIndexPtr(), static_cast<std::size_t>(W.cols()) + 1);
  write_array(file, group + "i", W.innerIndexPtr(), nonzeros);
  write_array(file, group + "x", W.valuePtr(), nonzeros);
}

void write(const std::string& path, const ConeProblem& problem, const std::string& title, const VectorXd* guess) {
  const Cones& cones = problem.cones;
  const int dimension = space_dimension(path, cones);
  const auto rows = static_cast<std::size_t>(cones.rows());
  if (static_cast<std::size_t>(problem.q.size()) != rows || (problem.W.empty() && rows > 0))
    throw InputError({path, 0, 0, ""}, "W, q and the cones of the problem disagree in size");
  Eigen::SparseMatrix<double> W(cones.rows(), cones.rows());
  if (rows > 0) W = to_sparse(problem.W.assembled ? *problem.W.assembled : assemble(*problem.W.factors, cones), cones);
  W.makeCompressed();
  std::vector<double> mu;
  for (int i = 0; i < cones.count(); ++i) mu.push_back(cones[i].mu);

  h5::File file = h5::File::create_in_memory(path);
  write_integer(file, "/fclib_local/spacedim", dimension);
  write_matrix(file, "/fclib_local/W/", W);
  write_array(file, "/fclib_local/vectors/mu", mu.data(), mu.size());
  write_array(file, "/fclib_local/vectors/q", problem.q.data(), rows);
  file.write_text("/fclib_local/info/title", title);
  file.write_text("/fclib_local/info/description", fmt::format("{} contacts, written by carom", cones.count()));
  file.write_text("/fclib_local/info/math_info", "u = W r + q; blocks are (normal, tangential)");
  if (guess != nullptr) {
    if (static_cast<std::size_t>(guess->size()) != rows)
      throw InputError({path, 0, 0, "guess"}, "has another size than the problem", fmt::format("{}", guess->size()));
    const VectorXd u = W * *guess + problem.q;
    write_integer(file, "/guesses/number_of_guesses", 1);
    write_array(file, "/guesses/1/u", u.data(), rows);
    write_array(file, "/guesses/1/r", guess->data(), rows);
  }
  write_text_file(path, file.image());
}

}  // namespace

void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title) {
  write(file, problem, title, nullptr);
}

void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title, VectorIn guess) {
  const VectorXd r = guess;
  write(file, problem, title, &r);
}

}  // namespace carom
