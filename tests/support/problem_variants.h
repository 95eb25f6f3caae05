// One problem made into many harder ones: other units, other orders, other friction, redundant and missing contacts,
// unsymmetric W. Each is a problem that a file of another code could hold.
#pragma once

#include <functional>
#include <numeric>
#include <string>

#include "random_problems.h"
#include "solvers/components.h"

namespace carom {

struct ProblemVariant {
  std::string name;
  ConeProblem problem;  // assembled
};

// Blocks of the assembled problem by index: one left out is dropped, one named twice is duplicated.
inline ConeProblem picked_blocks(const ConeProblem& problem, const std::vector<int>& blocks) {
  const BlockSparse& W = *problem.W.assembled;
  ConeProblem out;
  std::vector<std::vector<int>> places(static_cast<std::size_t>(problem.cones.count()));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    places[static_cast<std::size_t>(blocks[k])].push_back(static_cast<int>(k));
    out.cones.add(problem.cones[blocks[k]]);
  }
  out.q.assign(out.cones.rows(), 0.0);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < out.cones.count(); ++k) {
    const int i = blocks[static_cast<std::size_t>(k)], dim = problem.cones.dim(i);
    out.q.segment(out.cones.offset(k), dim) = problem.q.segment(problem.cones.offset(i), dim);
    for (int e = W.first[static_cast<std::size_t>(i)]; e < W.first[static_cast<std::size_t>(i) + 1]; ++e) {
      const int j = W.column[static_cast<std::size_t>(e)], columns = problem.cones.dim(j);
      const double* block = W.values.data() + W.start[static_cast<std::size_t>(e)];
      for (int place : places[static_cast<std::size_t>(j)]) {
        for (int a = 0; a < dim; ++a) {
          for (int b = 0; b < columns; ++b)
            entries.emplace_back(out.cones.offset(k) + a, out.cones.offset(place) + b, block[a * columns + b]);
        }
      }
    }
  }
  Eigen::SparseMatrix<double> matrix(out.cones.rows(), out.cones.rows());
  matrix.setFromTriplets(entries.begin(), entries.end());
  out.W.assembled = to_block_sparse(matrix, out.cones);
  return out;
}

// W times a, q times b.
inline ConeProblem rescaled(const ConeProblem& problem, double a, double b) {
  ConeProblem copy = problem;
  for (double& value : copy.W.assembled->values) value *= a;
  copy.q *= b;
  return copy;
}

// Friction by block.
inline ConeProblem with_friction(const ConeProblem& problem, const std::function<double(int)>& mu) {
  ConeProblem copy = problem;
  copy.cones.clear();
  for (int i = 0; i < problem.cones.count(); ++i) {
    Cone cone = problem.cones[i];
    if (cone.kind == ConeKind::Coulomb || cone.kind == ConeKind::Associated) cone.mu = mu(i);
    copy.cones.add(cone);
  }
  return copy;
}

// W + size W K W with K skew and block-diagonal, about as large as the inverse of W's diagonal: what W = H A H^T is
// when A = M^-1 + a skew part. As in files of other codes, the symmetric part and the range stay as they were.
inline ConeProblem with_skew_part(const ConeProblem& problem, double size, RandomStream& random) {
  ConeProblem copy = problem;
  Eigen::SparseMatrix<double> W = to_sparse(*problem.W.assembled, problem.cones);
  const VectorXd diagonal = W.diagonal();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < problem.cones.count(); ++i) {
    const int offset = problem.cones.offset(i), dim = problem.cones.dim(i);
    const double weight = dim / diagonal.segment(offset, dim).sum();
    for (int k = 0; k < dim; ++k) {
      for (int l = 0; l < k; ++l) {
        const double skew = weight * random.normal();
        entries.emplace_back(offset + k, offset + l, skew);
        entries.emplace_back(offset + l, offset + k, -skew);
      }
    }
  }
  Eigen::SparseMatrix<double> K(W.rows(), W.cols());
  K.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseMatrix<double> sum = W + size * Eigen::SparseMatrix<double>(W * K * W);
  copy.W.assembled = to_block_sparse(sum, problem.cones);
  return copy;
}

// Every frame turned about its normal by its own angle: W <- T W T^T, q <- T q.
inline ConeProblem with_turned_tangents(const ConeProblem& problem, RandomStream& random) {
  ConeProblem copy = problem;
  std::vector<double> angle(static_cast<std::size_t>(problem.cones.count()));
  for (double& a : angle) a = random.uniform(0, 6.28);
  const auto turn = [&](int i) -> MatrixXd {
    MatrixXd T = MatrixXd::Identity(problem.cones.dim(i), problem.cones.dim(i));
    if (problem.cones.dim(i) != 3 || problem.cones[i].kind == ConeKind::Free) return T;
    const double a = angle[static_cast<std::size_t>(i)];
    T.block<2, 2>(1, 1) << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
    return T;
  };
  BlockSparse& W = *copy.W.assembled;
  for (int i = 0; i < copy.cones.count(); ++i) {
    const int dim = copy.cones.dim(i);
    copy.q.segment(copy.cones.offset(i), dim) = (turn(i) * copy.q.segment(copy.cones.offset(i), dim)).eval();
    for (int e = W.first[static_cast<std::size_t>(i)]; e < W.first[static_cast<std::size_t>(i) + 1]; ++e) {
      const int j = W.column[static_cast<std::size_t>(e)];
      Eigen::Map<RowMatrixXd> block(W.values.data() + W.start[static_cast<std::size_t>(e)], dim, copy.cones.dim(j));
      block = (turn(i) * block * turn(j).transpose()).eval();
    }
  }
  return copy;
}

// Independent parts in units of their own: each part's W and q times powers of ten drawn from +-w and +-v.
inline ConeProblem with_parts_rescaled(const ConeProblem& problem, double w, double v, RandomStream& random) {
  ConeProblem copy = problem;
  ComponentFinder finder;
  Components parts;
  finder.find(problem, parts);
  BlockSparse& W = *copy.W.assembled;
  for (int c = 0; c < parts.count(); ++c) {
    const double of_W = std::pow(10.0, random.uniform(-w, w)), of_q = std::pow(10.0, random.uniform(-v, v));
    for (int b = parts.first[static_cast<std::size_t>(c)]; b < parts.first[static_cast<std::size_t>(c) + 1]; ++b) {
      const int i = parts.blocks[static_cast<std::size_t>(b)], dim = copy.cones.dim(i);
      copy.q.segment(copy.cones.offset(i), dim) *= of_q;
      for (int e = W.first[static_cast<std::size_t>(i)]; e < W.first[static_cast<std::size_t>(i) + 1]; ++e) {
        const int size = dim * copy.cones.dim(W.column[static_cast<std::size_t>(e)]);
        for (int k = 0; k < size; ++k)
          W.values[static_cast<std::size_t>(W.start[static_cast<std::size_t>(e)] + k)] *= of_W;
      }
    }
  }
  return copy;
}

// The whole set, the problem itself first.
inline std::vector<ProblemVariant> problem_variants(const ConeProblem& problem, std::uint64_t seed) {
  std::vector<ProblemVariant> list;
  const int n = problem.cones.count();
  RandomStream random(seed, 0);
  const auto add = [&](std::string name, ConeProblem variant) {
    list.push_back({std::move(name), std::move(variant)});
  };
  add("as it is", problem);
  for (const double a : {1e-6, 1e-3, 1e3, 1e6}) add("W times " + std::to_string(a), rescaled(problem, a, 1));
  add("q times 1e-6", rescaled(problem, 1, 1e-6));
  add("q times 1e6", rescaled(problem, 1, 1e6));
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::vector<int> other = order;
  for (std::size_t k = other.size(); k > 1; --k) std::swap(other[k - 1], other[random.below(k)]);
  add("shuffled", picked_blocks(problem, other));
  std::reverse(order.begin(), order.end());
  add("reversed", picked_blocks(problem, order));
  for (const double mu : {0.0, 0.01, 0.1, 0.5, 1.0, 2.0})
    add("mu = " + std::to_string(mu), with_friction(problem, [&](int) { return mu; }));
  add("mu mixed", with_friction(problem, [&](int) { return random.below(4) == 0 ? 0.0 : random.uniform(0, 2); }));
  std::vector<int> twice, most;
  for (int i = 0; i < n; ++i) {
    twice.push_back(i);
    if (random.below(3) == 0) twice.push_back(i);
    if (random.below(3) != 0 || (i == n - 1 && most.empty())) most.push_back(i);
  }
  add("a third duplicated", picked_blocks(problem, twice));
  add("a third dropped", picked_blocks(problem, most));
  std::vector<int> half, thrice;
  for (int i = 0; i < n; ++i) {
    if (random.below(2) == 0 || (i == n - 1 && half.empty())) half.push_back(i);
    for (int k = 0; k < 3; ++k) thrice.push_back(i);
  }
  add("half kept", picked_blocks(problem, half));
  if (n <= 120) add("each three times", picked_blocks(problem, thrice));
  add("mu up to 10", with_friction(problem, [&](int) { return std::pow(10.0, random.uniform(-3, 1)); }));
  add("parts in units of their own", with_parts_rescaled(problem, 3, 0, random));
  add("parts of all speeds", with_parts_rescaled(problem, 0, 4, random));
  add("skew part 1e-5", with_skew_part(problem, 1e-5, random));
  add("skew part 1e-3", with_skew_part(problem, 1e-3, random));
  add("tangents turned", with_turned_tangents(problem, random));
  // q stays where H v reaches: elsewhere, contacts that block each other need not have a solution
  ConeProblem pushed = problem;
  VectorXd impulse = random_vector(random, problem.q.size()), change = VectorXd::Zero(problem.q.size());
  apply(*problem.W.assembled, problem.cones, impulse, VectorXd::Zero(problem.q.size()), change);
  if (change.norm() > 0) pushed.q += 0.3 * problem.q.norm() / change.norm() * change;
  add("q pushed through W", pushed);
  return list;
}

}  // namespace carom
