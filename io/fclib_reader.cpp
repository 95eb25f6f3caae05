#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "io/fclib.h"
#include "io/hdf5.h"

namespace carom {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Integers = std::vector<std::int64_t>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Sizes, indices and values of a file are its word only: each is checked against the datasets that are really there
// before it is used.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name), file_(h5::File::open_foreign(name)) {}

  FclibProblem read();

 private:
  [[noreturn]] void reject(const std::string& item, const std::string& problem, const std::string& value = {}) const {
    throw InputError({name_, 0, 0, item}, problem, value);
  }

  bool has(const std::string& path) const { return file_.exists(path); }
  std::int64_t integer(const std::string& path) const;
  VectorXd reals(const std::string& path) const;
  VectorXd reals(const std::string& path, std::int64_t size) const;
  VectorXd finite(const std::string& path, VectorXd values) const;
  std::string text(const std::string& path) const { return has(path) ? file_.read_any_text(path) : ""; }
  Sparse matrix(const std::string& group, std::int64_t rows, std::int64_t columns) const;
  std::int64_t stored_entries(const std::string& group, std::int64_t outer, const Integers& p) const;

  int dimension(const std::string& path) const;
  FclibInfo info(const std::string& group) const;
  void read_local(FclibProblem& out) const;
  void read_global(FclibProblem& out) const;
  FclibSolution solution(const std::string& group, const FclibProblem& problem) const;
  std::vector<FclibSolution> guesses(const FclibProblem& problem) const;

  std::string name_;
  h5::File file_;
};

// ---- Numbers ----

std::int64_t Reader::integer(const std::string& path) const {
  const Integers values = file_.read_integers(path);
  if (values.size() != 1) reject(path, "must be one whole number", fmt::format("{} of them", values.size()));
  return values[0];
}

VectorXd Reader::reals(const std::string& path) const {
  const std::vector<double> values = file_.read_reals(path);
  if (values.size() > at(std::numeric_limits<int>::max()))
    reject(path, "is too long", fmt::format("{}", values.size()));
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

VectorXd Reader::reals(const std::string& path, std::int64_t size) const {
  VectorXd values = reals(path);
  if (values.size() != size) reject(path, fmt::format("must have size {}", size), fmt::format("{}", values.size()));
  return values;
}

VectorXd Reader::finite(const std::string& path, VectorXd values) const {
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k]))
      reject(fmt::format("{}[{}]", path, k), "is not finite", fmt::format("{}", values[k]));
  }
  return values;
}

// ---- Matrices ----

// p of compressed storage: the number of entries it speaks of.
std::int64_t Reader::stored_entries(const std::string& group, std::int64_t outer, const Integers& p) const {
  if (p.size() != at(outer) + 1)
    reject(group + "/p", fmt::format("must have size {}", outer + 1), fmt::format("{}", p.size()));
  if (p[0] != 0) reject(group + "/p[0]", "must be 0", fmt::format("{}", p[0]));
  for (std::size_t j = 1; j < p.size(); ++j) {
    if (p[j] < p[j - 1])
      reject(fmt::format("{}/p[{}]", group, j), "must not be below the number before it",
             fmt::format("{} after {}", p[j], p[j - 1]));
  }
  return p.back();
}

Sparse Reader::matrix(const std::string& group, std::int64_t rows, std::int64_t columns) const {
  const std::int64_t m = integer(group + "/m"), n = integer(group + "/n"), nz = integer(group + "/nz");
  if (m != rows || n != columns)
    reject(group, fmt::format("must be {} x {}, as the vectors are", rows, columns), fmt::format("{} x {}", m, n));
  if (nz < -2) reject(group + "/nz", "must be a number of entries, -1 or -2", fmt::format("{}", nz));
  const Integers p = file_.read_integers(group + "/p"), i = file_.read_integers(group + "/i");
  const std::vector<double> x = file_.read_reals(group + "/x");

  const bool triplet = nz >= 0, by_rows = nz == -2;
  const std::int64_t count = triplet ? nz : stored_entries(group, by_rows ? m : n, p);
  if (triplet && at(count) > p.size())
    reject(group + "/p", fmt::format("must have size {}", count), fmt::format("{}", p.size()));
  if (at(count) > i.size()) reject(group + "/i", fmt::format("must have size {}", count), fmt::format("{}", i.size()));
  if (at(count) > x.size()) reject(group + "/x", fmt::format("must have size {}", count), fmt::format("{}", x.size()));
  if (count > std::numeric_limits<int>::max()) reject(group, "has too many entries", fmt::format("{}", count));

  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(at(count));
  std::int64_t outer = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    while (!triplet && k >= p[at(outer) + 1]) ++outer;
    const std::int64_t other = triplet ? p[at(k)] : outer;
    const std::int64_t row = by_rows ? other : i[at(k)], column = by_rows ? i[at(k)] : other;
    if (row < 0 || row >= m)
      reject(fmt::format("{}/{}[{}]", group, "i", k), fmt::format("must be a row, below {}", m),
             fmt::format("{}", row));
    if (column < 0 || column >= n)
      reject(fmt::format("{}/{}[{}]", group, triplet ? "p" : "i", k), fmt::format("must be a column, below {}", n),
             fmt::format("{}", column));
    if (!std::isfinite(x[at(k)]))
      reject(fmt::format("{}/x[{}]", group, k), fmt::format("row {}, column {}: is not finite", row, column),
             fmt::format("{}", x[at(k)]));
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), x[at(k)]);
  }
  Sparse result(m, n);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

// ---- Problems ----

int Reader::dimension(const std::string& path) const {
  const std::int64_t value = integer(path);
  if (value != 2 && value != 3) reject(path, "must be 2 or 3", fmt::format("{}", value));
  return static_cast<int>(value);
}

FclibInfo Reader::info(const std::string& group) const {
  return {text(group + "/info/title"), text(group + "/info/description"), text(group + "/info/math_info")};
}

// [W V; V^T R]
Sparse with_bilateral_rows(const Sparse& W, const Sparse& V, const Sparse& R) {
  const int rows = static_cast<int>(W.rows());
  std::vector<Eigen::Triplet<double>> entries;
  const auto each = [](const Sparse& A, auto&& use) {
    for (int j = 0; j < A.outerSize(); ++j) {
      for (Sparse::InnerIterator entry(A, j); entry; ++entry) use(static_cast<int>(entry.row()), j, entry.value());
    }
  };
  each(W, [&](int i, int j, double x) { entries.emplace_back(i, j, x); });
  each(V, [&](int i, int j, double x) {
    entries.emplace_back(i, rows + j, x);
    entries.emplace_back(rows + j, i, x);
  });
  each(R, [&](int i, int j, double x) { entries.emplace_back(rows + i, rows + j, x); });
  Sparse all(rows + R.rows(), rows + R.rows());
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

void Reader::read_local(FclibProblem& out) const {
  const std::string group = "/fclib_local";
  out.dimension = dimension(group + "/spacedim");
  const VectorXd mu = reals(group + "/vectors/mu");
  const std::int64_t rows = out.dimension * mu.size();
  if (rows > std::numeric_limits<int>::max()) reject(group + "/vectors/mu", "is too long");
  VectorXd q = reals(group + "/vectors/q", rows);
  Sparse W = matrix(group + "/W", rows, rows);
  Cones& cones = out.problem.cones;
  for (const double friction : mu) cones.add({.kind = ConeKind::Coulomb, .dim = out.dimension, .mu = friction});

  if (has(group + "/V") || has(group + "/R")) {
    const VectorXd s = finite(group + "/vectors/s", reals(group + "/vectors/s"));
    W = with_bilateral_rows(W, matrix(group + "/V", rows, s.size()), matrix(group + "/R", s.size(), s.size()));
    for (Eigen::Index k = 0; k < s.size(); ++k) cones.add({.kind = ConeKind::Free, .dim = 1, .mu = 0});
    q.conservativeResize(rows + s.size());
    q.tail(s.size()) = s;
  }
  out.problem.W.assembled = to_block_sparse(W, cones);
  out.problem.q = q;
  out.info = info(group);
}

void Reader::read_global(FclibProblem& out) const {
  const std::string group = "/fclib_global", vectors = group + "/vectors/";
  GlobalProblem& global = out.global.emplace();
  out.dimension = global.dimension = dimension(group + "/spacedim");
  global.mu = reals(vectors + "mu");
  const std::int64_t rows = out.dimension * global.mu.size();
  if (rows > std::numeric_limits<int>::max()) reject(vectors + "mu", "is too long");
  global.f = finite(vectors + "f", reals(vectors + "f"));
  global.w = finite(vectors + "w", reals(vectors + "w", rows));
  global.M = matrix(group + "/M", global.f.size(), global.f.size());
  global.H = matrix(group + "/H", global.f.size(), rows);
  global.G.resize(global.f.size(), 0);
  if (has(group + "/G")) {
    global.b = finite(vectors + "b", reals(vectors + "b"));
    global.G = matrix(group + "/G", global.f.size(), global.b.size());
  }
  out.problem = condense(global);
  out.info = info(group);
}

FclibSolution Reader::solution(const std::string& group, const FclibProblem& problem) const {
  const Cones& cones = problem.problem.cones;
  std::int64_t bilateral = 0;
  for (int i = 0; i < cones.count(); ++i) bilateral += cones[i].kind == ConeKind::Free;
  FclibSolution result;
  const auto read_if_there = [&](const char* name, std::int64_t size, VectorXd& values) {
    if (has(group + "/" + name)) values = reals(group + "/" + name, size);
  };
  read_if_there("u", cones.rows() - bilateral, result.u);
  read_if_there("r", cones.rows() - bilateral, result.r);
  if (bilateral > 0) read_if_there("l", bilateral, result.l);
  if (problem.global) read_if_there("v", problem.global->f.size(), result.v);
  return result;
}

std::vector<FclibSolution> Reader::guesses(const FclibProblem& problem) const {
  std::vector<FclibSolution> list;
  const std::string number = "/guesses/number_of_guesses";
  if (!has(number)) return list;
  const std::int64_t count = integer(number);
  if (count < 0) reject(number, "must not be negative", fmt::format("{}", count));
  for (std::int64_t k = 1; k <= count; ++k) {
    const std::string group = fmt::format("/guesses/{}", k);
    if (!has(group)) reject(group, "is missing", fmt::format("{} guesses announced", count));
    list.push_back(solution(group, problem));
  }
  return list;
}

FclibProblem Reader::read() {
  FclibProblem out;
  try {
    if (has("/fclib_local")) {
      read_local(out);
    } else if (has("/fclib_global")) {
      read_global(out);
    } else if (has("/scene")) {
      reject("", "is a run, not an FCLIB problem: see carom info");
    } else {
      reject("", "is an HDF5 file, but no FCLIB problem: it has neither /fclib_local nor /fclib_global");
    }
    check_problem(out.problem);
  } catch (const InputError& error) {
    if (!error.place().file.empty()) throw;
    Place place = error.place();
    place.file = name_;
    throw InputError(place, error.problem(), error.value());
  }
  out.guesses = guesses(out);
  if (has("/solution")) out.solution = solution("/solution", out);
  return out;
}

}  // namespace

FclibProblem read_fclib(const std::string& file) { return Reader(file).read(); }

}  // namespace carom
