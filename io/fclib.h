// Contact problems in FCLIB's HDF5 layout, for other programs, for `carom solve` and for `carom compare`.
//
//   /fclib_local    u = W r + V l + q,           0 = V^T r + R l + s       W, V, R, vectors/{q, s, mu}
//   /fclib_global   M v = H r + G l + f,         u = H^T v + w, 0 = G^T v + b       M, H, G, vectors/{f, w, b, mu}
//
// with Coulomb's law between u and r; l are impulses of bilateral constraints, which most problems do not have. In
// the cone problem they are Free blocks after the contacts. docs/file_formats.md lists all datasets.
#pragma once

#include <optional>
#include <string>

#include "solvers/global_problem.h"

namespace carom {

struct FclibInfo {
  std::string title;
  std::string description;
  std::string math_info;
};

// A first guess or a solution. Vectors that a file does not hold are empty.
struct FclibSolution {
  VectorXd v;  // velocities of the degrees of freedom, global problems only
  VectorXd u;  // relative velocities of the contacts, m/s
  VectorXd r;  // impulses of the contacts, N s
  VectorXd l;  // impulses of the bilateral constraints
};

struct FclibProblem {
  ConeProblem problem;                  // W assembled; condensed when the file is global
  std::optional<GlobalProblem> global;  // what a global file holds; it is then what is written, too
  FclibInfo info;
  int dimension = 3;  // rows per contact
  std::vector<FclibSolution> guesses;
  std::optional<FclibSolution> solution;
};

// Throws InputError naming the file, and the dataset or the contact, when the file cannot be read, is not FCLIB's or
// holds an ill-posed problem (check_problem). Entries stored twice are summed. Guesses may hold any values. Where a
// file holds both forms, the local one is the problem.
FclibProblem read_fclib(const std::string& file);

// How matrices are stored: FCLIB knows three ways.
enum class FclibStorage : std::uint8_t {
  Triplet,  // nz >= 0: entry k is row i[k], column p[k], value x[k]. FCLIB's header tells it the other way round; its
            // own code, Siconos and the files around do it as here.
  Columns,  // nz = -1: column j is rows i[k] with values x[k], p[j] <= k < p[j+1]
  Rows,     // nz = -2: the same with rows and columns exchanged
};

// The functions below throw InputError when the problem has no form in FCLIB (other cones than Coulomb's and Free,
// contacts of different dimensions), OutputError when the file cannot be written. It is replaced in one step. Values
// need not be finite: failed solves are written too.
void write_fclib(const std::string& file, const FclibProblem& problem, FclibStorage storage = FclibStorage::Columns);

// The problem with impulses (stacked as its cones are) as its solution.
void write_solution(const std::string& file, FclibProblem problem, VectorIn impulses);

// A local problem, without or with impulses as FCLIB's first guess.
void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title);
void write_problem(const std::string& file, const ConeProblem& problem, const std::string& title, VectorIn guess);

// Impulses stacked as the cones are, and as FCLIB splits them; zero where a guess has none.
VectorXd stacked_impulses(const Cones& cones, const FclibSolution& solution);
// With u = W r + q and, for global problems, v.
FclibSolution split_impulses(const FclibProblem& problem, VectorIn impulses);

}  // namespace carom
