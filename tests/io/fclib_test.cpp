#include "io/fclib.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <limits>
#include <map>
#include <variant>

#include "base/error.h"
#include "engine/world.h"
#include "io/hdf5.h"
#include "io/text_file.h"
#include "random_problems.h"
#include "run_fixture.h"
#include "solvers/nsgs.h"

using namespace carom;

namespace {

constexpr FclibStorage kStorages[] = {FclibStorage::Triplet, FclibStorage::Columns, FclibStorage::Rows};

template <class T>
std::vector<T> read_all(const h5::File& file, const std::string& path) {
  const h5::Dataset dataset = file.open_dataset(path, h5::TypeOf<T>::value, 1);
  std::vector<T> values(dataset.rows());
  dataset.read_rows(0, dataset.rows(), values.data());
  return values;
}

ConeProblem random_local(RandomStream& random, int contacts, int dimension, int bilateral) {
  ConeProblem problem;
  for (int i = 0; i < contacts; ++i) problem.cones.add({ConeKind::Coulomb, dimension, random.uniform()});
  for (int i = 0; i < bilateral; ++i) problem.cones.add({ConeKind::Free, 1, 0});
  const int rows = problem.cones.rows();
  const MatrixXd B = random_matrix(random, rows, rows);
  const MatrixXd W = B + B.transpose() + 10 * MatrixXd::Identity(rows, rows);
  problem.W.assembled = to_block_sparse(W.sparseView(), problem.cones);
  problem.q = random_vector(random, rows);
  return problem;
}

GlobalProblem random_global(RandomStream& random, int contacts, int dimension, int bilateral) {
  GlobalProblem p;
  p.dimension = dimension;
  const int rows = contacts * dimension, dofs = 6;
  const MatrixXd B = random_matrix(random, dofs, dofs);
  p.M = (B * B.transpose() + MatrixXd::Identity(dofs, dofs)).sparseView();
  p.H = random_matrix(random, dofs, rows).sparseView();
  p.G = random_matrix(random, dofs, bilateral).sparseView();
  p.f = random_vector(random, dofs);
  p.w = random_vector(random, rows);
  p.b = random_vector(random, bilateral);
  p.mu = random_vector(random, contacts).cwiseAbs();
  return p;
}

bool same(const ConeProblem& a, const ConeProblem& b) {
  bool cones = a.cones.count() == b.cones.count();
  for (int i = 0; cones && i < a.cones.count(); ++i)
    cones = a.cones[i].kind == b.cones[i].kind && a.cones[i].dim == b.cones[i].dim && a.cones[i].mu == b.cones[i].mu;
  return cones && a.q == b.q && to_dense(a.W, a.cones) == to_dense(b.W, b.cones);
}

bool same(const FclibSolution& a, const FclibSolution& b) {
  return a.v == b.v && a.u == b.u && a.r == b.r && a.l == b.l;
}

// ---- Files put together dataset by dataset ----

using Numbers = std::variant<std::vector<std::int32_t>, std::vector<double>>;
using RawFile = std::map<std::string, Numbers>;

std::vector<std::int32_t> integers(std::initializer_list<std::int32_t> values) { return values; }
std::vector<double> reals(std::initializer_list<double> values) { return values; }

// Two contacts in the plane, W = 2 I + entries that couple them.
RawFile two_contacts() {
  return {{"/fclib_local/spacedim", integers({2})},
          {"/fclib_local/W/m", integers({4})},
          {"/fclib_local/W/n", integers({4})},
          {"/fclib_local/W/nzmax", integers({6})},
          {"/fclib_local/W/nz", integers({-1})},
          {"/fclib_local/W/p", integers({0, 2, 3, 5, 6})},
          {"/fclib_local/W/i", integers({0, 2, 1, 0, 2, 3})},
          {"/fclib_local/W/x", reals({2, 0.5, 2, 0.5, 2, 2})},
          {"/fclib_local/vectors/mu", reals({0.5, 0.25})},
          {"/fclib_local/vectors/q", reals({-1, 0.5, -2, 0})}};
}

// The same as a global problem with M = I and H = 2 I.
RawFile two_contacts_global() {
  RawFile raw;
  for (const char* name : {"M", "H"}) {
    const std::string group = std::string("/fclib_global/") + name + "/";
    raw[group + "m"] = raw[group + "n"] = raw[group + "nz"] = raw[group + "nzmax"] = integers({4});
    raw[group + "p"] = raw[group + "i"] = integers({0, 1, 2, 3});
    raw[group + "x"] = name == std::string("M") ? reals({1, 1, 1, 1}) : reals({2, 2, 2, 2});
  }
  raw["/fclib_global/spacedim"] = integers({2});
  raw["/fclib_global/vectors/mu"] = reals({0.5, 0.25});
  raw["/fclib_global/vectors/f"] = raw["/fclib_global/vectors/w"] = reals({-1, 0.5, -2, 0});
  return raw;
}

void write_raw(const std::string& name, const RawFile& raw) {
  h5::File file = h5::File::create_in_memory(name);
  for (const auto& [path, numbers] : raw) {
    std::visit(
        [&, &where = path](const auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          file.create_dataset(where, h5::TypeOf<T>::value, {values.size()}).write_rows(0, values.size(), values.data());
        },
        numbers);
  }
  write_text_file(name, file.image());
}

// What reading says of the file with some datasets replaced; "" when it reads.
std::string complaint(const RawFile& good, const RawFile& changes, const std::vector<std::string>& removed = {}) {
  const TemporaryFolder folder;
  RawFile raw = good;
  for (const auto& [path, numbers] : changes) raw[path] = numbers;
  for (const std::string& path : removed) raw.erase(path);
  write_raw(folder / "raw.hdf5", raw);
  try {
    read_fclib(folder / "raw.hdf5");
  } catch (const InputError& error) {
    CHECK(error.place().file == folder / "raw.hdf5");
    return error.what();
  }
  return "";
}

}  // namespace

// ---- Round trips ----

TEST_CASE("a local problem comes back bit for bit from every storage, in the plane and in space") {
  const TemporaryFolder folder;
  RandomStream random(1, 0);
  for (const FclibStorage storage : kStorages) {
    for (const int dimension : {2, 3}) {
      for (const int bilateral : {0, 2}) {
        FclibProblem out;
        out.problem = random_local(random, 4, dimension, bilateral);
        out.info = {"a title", "", "u = W r + q"};
        for (int k = 0; k < 2; ++k)
          out.guesses.push_back(split_impulses(out, random_vector(random, out.problem.cones.rows())));
        const VectorXd answer = random_vector(random, out.problem.cones.rows());
        out.solution = split_impulses(out, answer);
        write_fclib(folder / "local.hdf5", out, storage);
        const FclibProblem in = read_fclib(folder / "local.hdf5");
        CHECK(same(in.problem, out.problem));
        CHECK(in.dimension == dimension);
        CHECK(!in.global);
        CHECK(in.info.title == "a title");
        CHECK(in.info.description == "");
        CHECK(in.info.math_info == "u = W r + q");
        REQUIRE(in.guesses.size() == 2);
        CHECK(same(in.guesses[0], out.guesses[0]));
        CHECK(same(in.guesses[1], out.guesses[1]));
        REQUIRE(in.solution);
        CHECK(same(*in.solution, *out.solution));
        CHECK(stacked_impulses(in.problem.cones, *in.solution) == answer);
      }
    }
  }
}

TEST_CASE("a global problem comes back bit for bit from every storage, and condenses to the dense W and q") {
  const TemporaryFolder folder;
  RandomStream random(2, 0);
  for (const FclibStorage storage : kStorages) {
    for (const int dimension : {2, 3}) {
      for (const int bilateral : {0, 2}) {
        FclibProblem out;
        const GlobalProblem& p = out.global.emplace(random_global(random, 3, dimension, bilateral));
        out.problem = condense(p);
        write_fclib(folder / "global.hdf5", out, storage);
        write_solution(folder / "solved.hdf5", read_fclib(folder / "global.hdf5"),
                       VectorXd::Ones(out.problem.cones.rows()));
        const FclibProblem in = read_fclib(folder / "solved.hdf5");
        REQUIRE(in.global);
        CHECK(MatrixXd(in.global->M) == MatrixXd(p.M));
        CHECK(MatrixXd(in.global->H) == MatrixXd(p.H));
        CHECK(MatrixXd(in.global->G) == MatrixXd(p.G));
        CHECK(in.global->f == p.f);
        CHECK(in.global->w == p.w);
        CHECK(in.global->b == p.b);
        CHECK(in.global->mu == p.mu);
        CHECK(same(in.problem, out.problem));

        MatrixXd A(p.H.rows(), p.H.cols() + p.G.cols());
        A << MatrixXd(p.H), MatrixXd(p.G);
        VectorXd offset(A.cols());
        offset << p.w, p.b;
        const MatrixXd M = p.M;
        const MatrixXd W = A.transpose() * M.inverse() * A;
        CHECK(to_dense(in.problem.W, in.problem.cones).isApprox(W, 1e-11));
        CHECK(in.problem.q.isApprox(A.transpose() * M.inverse() * p.f + offset, 1e-11));
        // M v = H r + G l + f and u = H^T v + w, of what was written as the solution
        REQUIRE(in.solution);
        const FclibSolution& s = *in.solution;
        VectorXd momentum = p.H * s.r + p.f;
        if (bilateral > 0) momentum += p.G * s.l;
        CHECK((M * s.v).isApprox(momentum, 1e-11));
        CHECK(s.u.isApprox(p.H.transpose() * s.v + p.w, 1e-10));
      }
    }
  }
}

TEST_CASE("a step's problem reads back: W r + q agrees, free blocks wherever they stand") {
  const TemporaryFolder folder;
  RandomStream random(3, 0);
  for (int trial = 0; trial < 10; ++trial) {
    const ConeMix mix = {.free = true, .orthant = false, .coulomb = true, .associated = false, .planar = false};
    const ConeProblem problem = random_rigid_problem(random, 8, 3, mix);
    const VectorXd r = random_vector(random, problem.cones.rows());
    VectorXd u(r.size());
    apply(problem.W, problem.cones, r, problem.q, u);
    write_problem(folder / "mixed.hdf5", problem, "mixed", r);
    const FclibProblem in = read_fclib(folder / "mixed.hdf5");
    REQUIRE(in.guesses.size() == 1);
    const VectorXd r_in = stacked_impulses(in.problem.cones, in.guesses[0]);
    VectorXd u_in(r.size());
    apply(in.problem.W, in.problem.cones, r_in, in.problem.q, u_in);
    CHECK(stacked_impulses(problem.cones, in.guesses[0]) == r);
    CHECK((u_in.head(in.guesses[0].u.size()) - in.guesses[0].u).norm() <= 1e-12 * u.norm());
    CHECK(std::abs(u_in.norm() - u.norm()) <= 1e-12 * u.norm());
  }
}

TEST_CASE("an FCLIB file holds the problem: W r + q agrees") {
  const TemporaryFolder folder;
  const std::string file = folder / "problem.hdf5";
  for (const bool planar : {false, true}) {
    StepOptions options;
    if (planar) options.planar = Vec3::UnitY();
    World world(options);
    const MaterialId stone = world.add_material({.name = "stone", .friction = 0.4});
    world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), stone);
    for (int i = 0; i < 5; ++i) world.add_sphere(0.1, stone, {.position = Vec3(0.12 * (i % 2), 0, 0.1 + 0.16 * i)});
    for (int i = 0; i < 20; ++i) world.step(1e-3);
    const ConeProblem& problem = world.last_problem();
    const int rows = problem.cones.rows();
    REQUIRE(rows > 0);
    VectorXd r(rows), u(rows);
    for (int i = 0; i < rows; ++i) r[i] = std::sin(1.0 + i);
    apply(problem.W, problem.cones, r, problem.q, u);
    write_problem(file, problem, "five spheres", r);

    const h5::File read = h5::File::open_for_reading(file);
    const int dimension = planar ? 2 : 3;
    CHECK(read_all<std::int32_t>(read, "/fclib_local/spacedim") == std::vector<std::int32_t>{dimension});
    CHECK(read_all<std::int32_t>(read, "/fclib_local/W/nz") == std::vector<std::int32_t>{-1});
    CHECK(read_all<std::int32_t>(read, "/fclib_local/W/m") == std::vector<std::int32_t>{rows});
    const auto p = read_all<std::int32_t>(read, "/fclib_local/W/p"),
               i = read_all<std::int32_t>(read, "/fclib_local/W/i");
    const auto x = read_all<double>(read, "/fclib_local/W/x"), q = read_all<double>(read, "/fclib_local/vectors/q");
    const auto guess = read_all<double>(read, "/guesses/1/r");
    VectorXd product = Eigen::Map<const VectorXd>(q.data(), rows);
    for (int column = 0; column < rows; ++column)
      for (int k = p[static_cast<std::size_t>(column)]; k < p[static_cast<std::size_t>(column) + 1]; ++k)
        product[i[static_cast<std::size_t>(k)]] +=
            x[static_cast<std::size_t>(k)] * guess[static_cast<std::size_t>(column)];
    CHECK((product - u).norm() <= 1e-12 * u.norm());
    for (double mu : read_all<double>(read, "/fclib_local/vectors/mu")) CHECK(mu == doctest::Approx(0.4));
    CHECK(read.read_text("/fclib_local/info/title") == "five spheres");
  }
}

TEST_CASE("problems that FCLIB cannot hold are refused") {
  const TemporaryFolder folder;
  ConeProblem problem;
  problem.cones.add({ConeKind::Coulomb, 3, 0.5});
  problem.cones.add({ConeKind::Coulomb, 2, 0.5});
  CHECK_THROWS_WITH_AS(write_problem(folder / "p.hdf5", problem, ""), doctest::Contains("contact 1"), InputError);
  problem.cones.clear();
  problem.cones.add({ConeKind::Orthant, 1, 0});
  CHECK_THROWS_WITH_AS(write_problem(folder / "p.hdf5", problem, ""), doctest::Contains("orthant"), InputError);
  CHECK_FALSE(std::filesystem::exists(folder / "p.hdf5"));
}

TEST_CASE("no contacts are a problem, too") {
  const TemporaryFolder folder;
  for (const FclibStorage storage : kStorages) {
    write_fclib(folder / "none.hdf5", {}, storage);
    const FclibProblem in = read_fclib(folder / "none.hdf5");
    CHECK(in.problem.cones.count() == 0);
    Vector r;
    CHECK(Nsgs().solve(in.problem, r).solved());
  }
}

// ---- What other programs write ----

TEST_CASE("triplets that name an entry twice are summed") {
  const RawFile changes = {{"/fclib_local/W/nz", integers({7})},
                           {"/fclib_local/W/p", integers({0, 1, 2, 3, 0, 2, 0})},
                           {"/fclib_local/W/i", integers({0, 1, 2, 3, 2, 0, 0})},
                           {"/fclib_local/W/x", reals({2, 3, 4, 5, 0.5, 0.25, 10})}};
  const TemporaryFolder folder;
  RawFile raw = two_contacts();
  for (const auto& [path, numbers] : changes) raw[path] = numbers;
  write_raw(folder / "triplet.hdf5", raw);
  const ConeProblem problem = read_fclib(folder / "triplet.hdf5").problem;
  MatrixXd expected(4, 4);
  expected << 12, 0, 0.25, 0, 0, 3, 0, 0, 0.5, 0, 4, 0, 0, 0, 0, 5;
  CHECK(to_dense(problem.W, problem.cones) == expected);
}

TEST_CASE("files of h5py read: 64-bit integers, scalars, columns, gzip, single precision, texts of variable length") {
  if (!python_has_h5py()) {
    MESSAGE("skipped: h5py is not installed");
    return;
  }
  const TemporaryFolder folder;
  const std::string file = folder / "python.hdf5";
  REQUIRE(run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
g = f.create_group('fclib_local')
g['spacedim'] = 3
W = g.create_group('W')
for name, value in (('m', 3000), ('n', 3000), ('nz', -1), ('nzmax', 3000)): W[name] = np.int64(value)
W.create_dataset('p', data=np.arange(3001, dtype='>i8').reshape(-1, 1), compression='gzip')
W.create_dataset('i', data=np.arange(3000, dtype=np.int16), chunks=True, compression='gzip')
W.create_dataset('x', data=np.full(3000, 2.0), chunks=True, compression='gzip', shuffle=True)
v = g.create_group('vectors')
v['mu'] = np.full(1000, 0.5, dtype=np.float32)
v['q'] = np.full((3000, 1), -1, dtype=np.int8)
g['info/title'] = 'of variable length'
f['solution/r'] = np.zeros(3000)
)",
                     {file}) == 0);
  const FclibProblem in = read_fclib(file);
  CHECK(in.problem.cones.count() == 1000);
  CHECK(in.problem.cones[999].mu == 0.5);
  CHECK(in.problem.q[2999] == -1);
  CHECK(in.info.title == "of variable length");
  REQUIRE(in.solution);
  CHECK(in.solution->u.size() == 0);
  VectorXd u(3000);
  apply(in.problem.W, in.problem.cones, VectorXd::Ones(3000), in.problem.q, u);
  CHECK(u == VectorXd::Ones(3000));
}

TEST_CASE("our files read in h5py as FCLIB defines them") {
  if (!python_has_h5py()) {
    MESSAGE("skipped: h5py is not installed");
    return;
  }
  const TemporaryFolder folder;
  RandomStream random(4, 0);
  FclibProblem out;
  out.global = random_global(random, 2, 3, 1);
  out.problem = condense(*out.global);
  out.guesses.push_back(split_impulses(out, VectorXd::Zero(7)));
  std::vector<std::string> files;
  for (const FclibStorage storage : kStorages) {
    files.push_back(folder / std::to_string(static_cast<int>(storage)));
    write_fclib(files.back(), out, storage);
  }
  CHECK(run_python(R"(
import sys, h5py, numpy as np
def dense(g):
  m, n, nz, p, i, x = (g[k][()] for k in ('m', 'n', 'nz', 'p', 'i', 'x'))
  A = np.zeros((m[0], n[0]))
  for k in range(len(x)):
    if nz[0] >= 0: A[i[k], p[k]] += x[k]
    else:
      outer = np.searchsorted(p, k, 'right') - 1
      A[(i[k], outer) if nz[0] == -1 else (outer, i[k])] += x[k]
  return A
files = [h5py.File(name)['fclib_global'] for name in sys.argv[1:]]
assert [int(np.sign(g['M/nz'][0])) * min(2, abs(g['M/nz'][0])) for g in files] == [2, -1, -2]
for name in ('M', 'H', 'G'):
  assert all((dense(g[name]) == dense(files[0][name])).all() for g in files)
assert files[0]['H/m'].dtype == np.int32 and files[0]['H/n'][0] == 6 and files[0]['vectors/b'].shape == (1,)
assert files[0].file['guesses/number_of_guesses'][0] == 1 and files[0].file['guesses/1/v'].shape == (6,)
)",
                   files) == 0);
}

// ---- Bad input ----

TEST_CASE("every complaint about a file names what is wrong where, and the value") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const RawFile good = two_contacts();
  const std::string local = "/fclib_local/";
  const auto says = [&](const RawFile& changes, const char* what, const std::vector<std::string>& removed = {}) {
    CHECK(complaint(good, changes, removed) != "");
    CHECK(complaint(good, changes, removed).find(what) != std::string::npos);
  };
  CHECK(complaint(good, {}) == "");
  says({{local + "spacedim", integers({5})}}, "/fclib_local/spacedim: must be 2 or 3 (got 5)");
  says({{local + "spacedim", integers({2, 2})}}, "one whole number");
  says({{local + "spacedim", reals({2})}}, "does not hold whole numbers");
  says({}, "/fclib_local/vectors/mu: is missing", {local + "vectors/mu"});
  says({}, "/fclib_local/W/x: is missing", {local + "W/x"});
  says({{local + "vectors/mu", reals({0.5, -0.25})}}, "contact 1: the friction coefficient");
  says({{local + "vectors/mu", reals({0.5, nan})}}, "contact 1: the friction coefficient");
  says({{local + "vectors/mu", reals({0.5})}}, "/fclib_local/vectors/q: must have size 2 (got 4)");
  says({{local + "vectors/q", reals({0, 0, nan, 0})}}, "contact 1: q is not finite (got q(0) = nan)");
  says({{local + "vectors/q", reals({0, 0, 0})}}, "/fclib_local/vectors/q: must have size 4 (got 3)");
  says({{local + "W/x", reals({2, 0.5, nan, 0.5, 2, 2})}}, "/fclib_local/W/x[2]: row 1, column 1: is not finite");
  says({{local + "W/x", reals({2, 0.5, 2, 0.5, 0, 2})}}, "contact 1: the normal entry of W must be positive");
  says({{local + "W/x", reals({2, 0.5})}}, "/fclib_local/W/x: must have size 6 (got 2)");
  says({{local + "W/i", integers({0, 2, 1, 0, 4, 3})}}, "/fclib_local/W/i[4]: must be a row, below 4 (got 4)");
  says({{local + "W/i", integers({0, 2, 1, 0, -1, 3})}}, "(got -1)");
  says({{local + "W/p", integers({0, 2, 1, 5, 6})}}, "/fclib_local/W/p[2]");
  says({{local + "W/p", integers({1, 2, 3, 5, 6})}}, "/fclib_local/W/p[0]: must be 0");
  says({{local + "W/p", integers({0, 2, 3, 5})}}, "/fclib_local/W/p: must have size 5 (got 4)");
  says({{local + "W/p", integers({0, 2, 3, 5, 1000000000})}}, "/fclib_local/W/i: must have size 1000000000 (got 6)");
  says({{local + "W/m", integers({2000000000})}},
       "/fclib_local/W: must be 4 x 4, as the vectors are (got 2000000000 x 4)");
  says({{local + "W/n", integers({-4})}}, "/fclib_local/W: must be 4 x 4");
  says({{local + "W/nz", integers({-3})}}, "/fclib_local/W/nz");
  says({{local + "W/nz", integers({2000000000})}}, "/fclib_local/W/p: must have size 2000000000 (got 5)");
  says({{local + "W/nz", integers({5})}}, "/fclib_local/W/p[3]: must be a column, below 4 (got 5)");
  says({{"/guesses/number_of_guesses", integers({2000000000})}}, "/guesses/1: is missing");
  says({{"/guesses/number_of_guesses", integers({1})}, {"/guesses/1/r", reals({1, 2})}},
       "/guesses/1/r: must have size 4");
  says({{"/solution/u", reals({})}}, "/solution/u: must have size 4 (got 0)");
  // nzmax speaks of memory that a program once had: what counts are the entries themselves.
  CHECK(complaint(good, {{local + "W/nzmax", integers({2000000000})}}) == "");

  const RawFile global = two_contacts_global();
  const auto says_global = [&](const RawFile& changes, const char* what, const std::vector<std::string>& removed = {}) {
    CHECK(complaint(global, changes, removed).find(what) != std::string::npos);
  };
  CHECK(complaint(global, {}) == "");
  says_global({{"/fclib_global/M/x", reals({1, 0, 1, 1})}}, "M: is singular: degree of freedom 1 has no mass");
  says_global({{"/fclib_global/M/x", reals({1, nan, 1, 1})}}, "/fclib_global/M/x[1]");
  says_global({{"/fclib_global/H/x", reals({1, 1, 0, 1})}}, "contact 1: the normal entry of W must be positive");
  says_global({{"/fclib_global/vectors/f", reals({1, 1, nan, 1})}}, "/fclib_global/vectors/f[2]: is not finite");
  says_global({{"/fclib_global/vectors/w", reals({1})}}, "/fclib_global/vectors/w: must have size 4 (got 1)");
  says_global({{"/fclib_global/vectors/f", reals({1})}}, "/fclib_global/M: must be 1 x 1");
  says_global({}, "/fclib_global/H/m: is missing", {"/fclib_global/H/m"});
}

TEST_CASE("what is no FCLIB file is refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(read_fclib(folder / "absent.hdf5"), doctest::Contains("no such file"), InputError);
  write_text_file(folder / "text.hdf5", "hello");
  CHECK_THROWS_WITH_AS(read_fclib(folder / "text.hdf5"), doctest::Contains("not a readable HDF5 file"), InputError);
  write_raw(folder / "other.hdf5", {{"/x", reals({1})}});
  CHECK_THROWS_WITH_AS(read_fclib(folder / "other.hdf5"), doctest::Contains("no FCLIB problem"), InputError);
  write_raw(folder / "dataset.hdf5", {{"/fclib_local", reals({1})}});
  CHECK_THROWS_AS(read_fclib(folder / "dataset.hdf5"), InputError);
}

TEST_CASE("a damaged file reads or is refused, without crash, hang or much memory") {
  const TemporaryFolder folder;
  const std::string file = folder / "damaged.hdf5";
  RandomStream random(5, 0);
  for (const bool global : {false, true}) {
    FclibProblem out;
    if (global) out.global = random_global(random, 2, 3, 1);
    out.problem = global ? condense(*out.global) : random_local(random, 2, 3, 0);
    out.info = {"to be damaged", "with some care", "flip, cut, overwrite"};
    out.guesses.push_back(split_impulses(out, VectorXd::Ones(out.problem.cones.rows())));
    write_fclib(file, out);
    const std::string good = read_text_file(file);
    const int result = run_in_limits(1u << 30, 120, [&] {
      for (int trial = 0; trial < 300; ++trial) {
        std::string bytes = good;
        if (trial % 5 == 0) bytes.resize(random.below(bytes.size()));
        for (int flips = trial % 5; flips > 0 && !bytes.empty(); --flips)
          bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
        write_text_file(file, bytes);
        try {
          read_fclib(file);
        } catch (const InputError& error) {
          if (error.place().file != file) return 2;
        }
      }
      return 0;
    });
    CHECK(result == 0);
  }
}

// ---- Problems of other codes ----

TEST_CASE("every problem of the shared collection reads, survives a round trip and can be solved") {
  const std::filesystem::path collection = std::filesystem::path(CAROM_SOURCE_DIR) / "../shared/fclib";
  if (!std::filesystem::exists(collection)) {
    MESSAGE("skipped: no collection of problems at ../shared/fclib");
    return;
  }
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(collection)) {
    if (entry.path().extension() != ".hdf5") continue;
    CAPTURE(entry.path().filename().string());
    const FclibProblem in = read_fclib(entry.path().string());
    CHECK(in.problem.cones.count() > 0);
    write_fclib(folder / "copy.hdf5", in, FclibStorage::Rows);
    const FclibProblem copy = read_fclib(folder / "copy.hdf5");
    CHECK(in.problem.q == copy.problem.q);
    CHECK(in.problem.W.assembled->values == copy.problem.W.assembled->values);
    CHECK(in.info.title == copy.info.title);
    NsgsOptions options;
    options.stop.tolerance = 1e-2;
    options.stop.max_iterations = 200;
    VectorXd r = VectorXd::Zero(in.problem.cones.rows());
    const SolveReport report = Nsgs(options).solve(in.problem, r);
    CHECK(report.residuals.natural_map <= natural_map_residual(in.problem, VectorXd::Zero(r.size())));
  }
}
