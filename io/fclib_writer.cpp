#include <fmt/format.h>

#include "base/error.h"
#include "io/fclib.h"
#include "io/hdf5.h"
#include "io/text_file.h"

namespace carom {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

template <class T>
void write_array(h5::File& file, const std::string& path, const T* values, std::size_t count) {
  h5::Dataset dataset = file.create_dataset(path, h5::TypeOf<T>::value, {count});
  dataset.write_rows(0, count, values);
}

void write_integer(h5::File& file, const std::string& path, std::int32_t value) { write_array(file, path, &value, 1); }

void write_vector(h5::File& file, const std::string& path, const VectorXd& values) {
  write_array(file, path, values.data(), static_cast<std::size_t>(values.size()));
}

// FCLIB's reader expects a zero at the end.
void write_string(h5::File& file, const std::string& path, const std::string& text) {
  file.write_text(path, text, text.size() + 1);
}

void write_matrix(h5::File& file, const std::string& group, Sparse A, FclibStorage storage) {
  A.makeCompressed();
  const auto nonzeros = static_cast<std::size_t>(A.nonZeros());
  const auto count = static_cast<std::int32_t>(nonzeros);
  write_integer(file, group + "/nzmax", count);
  write_integer(file, group + "/m", static_cast<std::int32_t>(A.rows()));
  write_integer(file, group + "/n", static_cast<std::int32_t>(A.cols()));
  const auto write_compressed = [&](const auto& matrix, std::int32_t mark) {
    write_integer(file, group + "/nz", mark);
    write_array(file, group + "/p", matrix.outerIndexPtr(), static_cast<std::size_t>(matrix.outerSize()) + 1);
    write_array(file, group + "/i", matrix.innerIndexPtr(), nonzeros);
    write_array(file, group + "/x", matrix.valuePtr(), nonzeros);
  };
  switch (storage) {
    case FclibStorage::Columns:
      return write_compressed(A, -1);
    case FclibStorage::Rows:
      return write_compressed(Eigen::SparseMatrix<double, Eigen::RowMajor>(A), -2);
    case FclibStorage::Triplet: {
      std::vector<std::int32_t> column;
      for (int j = 0; j < A.outerSize(); ++j)
        column.insert(column.end(), static_cast<std::size_t>(A.col(j).nonZeros()), j);
      write_integer(file, group + "/nz", count);
      write_array(file, group + "/p", column.data(), nonzeros);
      write_array(file, group + "/i", A.innerIndexPtr(), nonzeros);
      write_array(file, group + "/x", A.valuePtr(), nonzeros);
    }
  }
}

// The dimension that all contacts share; 3 without any.
int space_dimension(const std::string& file, const Cones& cones) {
  int dimension = 0;
  for (int i = 0; i < cones.count(); ++i) {
    const std::string item = fmt::format("contact {}", i);
    if (cones[i].kind == ConeKind::Free) continue;
    if (cones[i].kind == ConeKind::Rolling)
      throw InputError({file, 0, 0, item}, "FCLIB has no form for contacts with rolling resistance");
    if (cones[i].kind != ConeKind::Coulomb || cones[i].dim < 2 || cones[i].dim > 3)
      throw InputError({file, 0, 0, item}, "FCLIB problems hold Coulomb contacts of dimension 2 or 3 only",
                       fmt::format("{} of dimension {}", name_of(cones[i].kind), cones[i].dim));
    if (dimension != 0 && cones[i].dim != dimension)
      throw InputError({file, 0, 0, item}, "FCLIB problems hold contacts of one dimension only",
                       fmt::format("{} and {}", dimension, cones[i].dim));
    dimension = cones[i].dim;
  }
  return dimension > 0 ? dimension : 3;
}

// Throws InputError unless FCLIB has a form for the problem; returns its dimension.
int check_writable(const std::string& file, const ConeProblem& problem) {
  const int dimension = space_dimension(file, problem.cones);
  const int rows = problem.cones.rows();
  if (problem.q.size() != rows || (problem.W.empty() && rows > 0))
    throw InputError({file, 0, 0, ""}, "W, q and the cones of the problem disagree in size");
  return dimension;
}

// Where FCLIB has the rows of the cones: those of contacts and those of bilateral constraints, each in their order.
struct RowSplit {
  std::vector<int> place;       // per row: its number among the rows of its sort
  std::vector<bool> bilateral;  // per row
  int contact_rows = 0;
  int bilateral_rows = 0;
};
RowSplit split_rows(const Cones& cones) {
  RowSplit split;
  for (int i = 0; i < cones.count(); ++i) {
    const bool bilateral = cones[i].kind == ConeKind::Free;
    for (int k = 0; k < cones.dim(i); ++k) {
      split.bilateral.push_back(bilateral);
      split.place.push_back(bilateral ? split.bilateral_rows++ : split.contact_rows++);
    }
  }
  return split;
}

struct SplitVector {
  VectorXd contact, bilateral;
};
SplitVector split_vector(const RowSplit& rows, VectorIn x) {
  SplitVector result{VectorXd(rows.contact_rows), VectorXd(rows.bilateral_rows)};
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const auto row = static_cast<std::size_t>(k);
    (rows.bilateral[row] ? result.bilateral : result.contact)[rows.place[row]] = x[k];
  }
  return result;
}

Sparse assembled_sparse(const ConeProblem& problem) {
  if (problem.W.empty()) return Sparse(problem.cones.rows(), problem.cones.rows());
  return to_sparse(problem.W.assembled ? *problem.W.assembled : assemble(*problem.W.factors, problem.cones),
                   problem.cones);
}

// Block (a, b) of [W V; V^T R], a and b telling whether rows and columns are the bilateral ones.
Sparse part_of(const Sparse& all, const RowSplit& rows, bool a, bool b) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < all.outerSize(); ++j) {
    for (Sparse::InnerIterator entry(all, j); entry; ++entry) {
      const auto i = static_cast<std::size_t>(entry.row()), column = static_cast<std::size_t>(j);
      if (rows.bilateral[i] == a && rows.bilateral[column] == b)
        entries.emplace_back(rows.place[i], rows.place[column], entry.value());
    }
  }
  Sparse part(a ? rows.bilateral_rows : rows.contact_rows, b ? rows.bilateral_rows : rows.contact_rows);
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

void write_local(h5::File& file, const std::string& name, const ConeProblem& problem, FclibStorage storage) {
  const std::string group = "/fclib_local";
  const Cones& cones = problem.cones;
  write_integer(file, group + "/spacedim", check_writable(name, problem));
  const Sparse all = assembled_sparse(problem);
  const RowSplit rows = split_rows(cones);
  const SplitVector q = split_vector(rows, problem.q);
  std::vector<double> mu;
  for (int i = 0; i < cones.count(); ++i) {
    if (cones[i].kind != ConeKind::Free) mu.push_back(cones[i].mu);
  }
  write_array(file, group + "/vectors/mu", mu.data(), mu.size());
  write_vector(file, group + "/vectors/q", q.contact);
  write_matrix(file, group + "/W", part_of(all, rows, false, false), storage);
  if (rows.bilateral_rows == 0) return;
  write_vector(file, group + "/vectors/s", q.bilateral);
  write_matrix(file, group + "/V", part_of(all, rows, false, true), storage);
  write_matrix(file, group + "/R", part_of(all, rows, true, true), storage);
}

void write_global(h5::File& file, const GlobalProblem& global, FclibStorage storage) {
  const std::string group = "/fclib_global";
  write_integer(file, group + "/spacedim", global.dimension);
  write_matrix(file, group + "/M", global.M, storage);
  write_matrix(file, group + "/H", global.H, storage);
  write_vector(file, group + "/vectors/mu", global.mu);
  write_vector(file, group + "/vectors/f", global.f);
  write_vector(file, group + "/vectors/w", global.w);
  if (global.G.cols() == 0) return;
  write_matrix(file, group + "/G", global.G, storage);
  write_vector(file, group + "/vectors/b", global.b);
}

void write_vectors(h5::File& file, const std::string& group, const FclibSolution& solution) {
  const auto write_if_there = [&](const char* name, const VectorXd& values) {
    if (values.size() > 0) write_vector(file, group + name, values);
  };
  file.create_group(group);
  write_if_there("/v", solution.v);
  write_if_there("/u", solution.u);
  write_if_there("/r", solution.r);
  write_if_there("/l", solution.l);
}

}  // namespace

void write_fclib(const std::string& name, const FclibProblem& problem, FclibStorage storage) {
  h5::File file = h5::File::create_in_memory(name);
  if (problem.global)
    write_global(file, *problem.global, storage);
  else
    write_local(file, name, problem.problem, storage);
  const std::string info = problem.global ? "/fclib_global/info/" : "/fclib_local/info/";
  write_string(file, info + "title", problem.info.title);
  write_string(file, info + "description", problem.info.description);
  write_string(file, info + "math_info", problem.info.math_info);
  if (!problem.guesses.empty()) {
    write_integer(file, "/guesses/number_of_guesses", static_cast<std::int32_t>(problem.guesses.size()));
    for (std::size_t k = 0; k < problem.guesses.size(); ++k)
      write_vectors(file, fmt::format("/guesses/{}", k + 1), problem.guesses[k]);
  }
  if (problem.solution) write_vectors(file, "/solution", *problem.solution);
  write_text_file(name, file.image());
}

VectorXd stacked_impulses(const Cones& cones, const FclibSolution& solution) {
  const RowSplit rows = split_rows(cones);
  VectorXd stacked = VectorXd::Zero(cones.rows());
  for (Eigen::Index k = 0; k < stacked.size(); ++k) {
    const auto row = static_cast<std::size_t>(k);
    const VectorXd& part = rows.bilateral[row] ? solution.l : solution.r;
    if (rows.place[row] < part.size()) stacked[k] = part[rows.place[row]];
  }
  return stacked;
}

FclibSolution split_impulses(const FclibProblem& problem, VectorIn impulses) {
  const Cones& cones = problem.problem.cones;
  const RowSplit rows = split_rows(cones);
  if (impulses.size() != cones.rows())
    throw InputError({"", 0, 0, "impulses"}, fmt::format("the problem has {} rows", cones.rows()),
                     fmt::format("{}", impulses.size()));
  VectorXd velocity(impulses.size());
  if (cones.rows() > 0) apply(problem.problem.W, cones, impulses, problem.problem.q, velocity);
  const SplitVector r = split_vector(rows, impulses), u = split_vector(rows, velocity);
  FclibSolution solution{.v = {}, .u = u.contact, .r = r.contact, .l = r.bilateral};
  if (problem.global) solution.v = global_velocity(*problem.global, impulses);
  return solution;
}

void write_solution(const std::string& file, FclibProblem problem, VectorIn impulses) {
  problem.solution = split_impulses(problem, impulses);
  write_fclib(file, problem);
}

namespace {

FclibProblem local_problem(const ConeProblem& problem, const std::string& title) {
  FclibProblem out;
  out.problem = problem;
  out.info = {title, fmt::format("{} contacts, written by carom", problem.cones.count()),
              "u = W r + q; blocks are (normal, tangential)"};
  return out;
}

}  // namespace

void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title) {
  write_fclib(file, local_problem(problem, title));
}

void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title, VectorIn guess) {
  FclibProblem out = local_problem(problem, title);
  if (guess.size() != problem.cones.rows())
    throw InputError({file, 0, 0, "guess"}, "has another size than the problem", fmt::format("{}", guess.size()));
  check_writable(file, problem);
  out.guesses.push_back(split_impulses(out, guess));
  write_fclib(file, out);
}

}  // namespace carom
