// Random problems that are well posed by construction: q = H v_free lies in the range of H, so that a velocity
// in every dual cone exists and the problem has a solution, however redundant its contacts are.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "solvers/problem.h"

namespace carom {

// Which cones a random problem draws from.
struct ConeMix {
  bool free = true;
  bool orthant = true;
  bool coulomb = true;
  bool associated = true;
  bool planar = true;  // friction blocks of dimension 2 among those of 3, Rolling ones of 3 among those of 5
  bool rolling = false;
  double largest_mu = 1.0;
};

inline Cone random_cone(RandomStream& random, const ConeMix& mix) {
  std::vector<ConeKind> kinds;
  if (mix.free) kinds.push_back(ConeKind::Free);
  if (mix.orthant) kinds.push_back(ConeKind::Orthant);
  if (mix.coulomb) kinds.push_back(ConeKind::Coulomb);
  if (mix.associated) kinds.push_back(ConeKind::Associated);
  if (mix.rolling) kinds.push_back(ConeKind::Rolling);
  Cone cone;
  cone.kind = kinds[random.below(kinds.size())];
  switch (cone.kind) {
    case ConeKind::Free:
      cone.dim = 1 + static_cast<int>(random.below(kMaxBlockDim));
      break;
    case ConeKind::Orthant:
      cone.dim = 1;
      break;
    case ConeKind::Coulomb:
    case ConeKind::Associated:
      cone.dim = mix.planar && random.below(3) == 0 ? 2 : 3;
      cone.mu = random.below(8) == 0 ? 0.0 : random.uniform(0, mix.largest_mu);
      break;
    case ConeKind::Rolling:
      cone.dim = mix.planar && random.below(3) == 0 ? 3 : 5;
      cone.mu = random.below(8) == 0 ? 0.0 : random.uniform(0, mix.largest_mu);
      cone.mu_roll = random.below(8) == 0 ? 0.0 : random.uniform(0, mix.largest_mu);
      break;
  }
  return cone;
}

inline VectorXd random_vector(RandomStream& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.normal();
  return v;
}

inline MatrixXd random_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index columns) {
  MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) m.col(j) = random_vector(random, rows);
  return m;
}

// An orthonormal frame whose rows are n, t1, t2.
inline Mat3 random_frame(RandomStream& random) { return random.orientation().toRotationMatrix(); }

// Contacts and joints between `bodies` rigid bodies; about one in five touches an immovable one. Several contacts
// per pair and more rows than 6 per body are likely, so W is often singular.
inline ConeProblem random_rigid_problem(RandomStream& random, int blocks, int bodies, const ConeMix& mix = {}) {
  ConeProblem problem;
  DelassusFactors& factors = problem.W.factors.emplace();
  std::vector<Twist> v(static_cast<std::size_t>(bodies));
  for (Twist& twist : v) {
    const double mass = std::pow(10.0, random.uniform(-1, 1));
    const double radius = random.uniform(0.5, 2);
    const Mat3 axes = random_frame(random);
    const Vec3 moments = 0.4 * mass * radius * radius * Vec3(1, random.uniform(1, 2), random.uniform(1, 2));
    factors.inverse_mass.push_back({1 / mass, axes.transpose() * moments.cwiseInverse().asDiagonal() * axes});
    twist.linear = Vec3(random.normal(), random.normal(), random.normal());
    twist.angular = Vec3(random.normal(), random.normal(), random.normal());
  }
  for (int i = 0; i < blocks; ++i) {
    const Cone cone = random_cone(random, mix);
    int a = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    int b = static_cast<int>(random.below(static_cast<std::uint64_t>(bodies)));
    if (a == b || random.below(5) == 0) b = -1;
    if (random.below(2) == 0) std::swap(a, b);
    problem.cones.add(cone);
    factors.bodies.push_back({a, b});
    const Mat3 frame = random_frame(random);
    const Vec3 arm_a = random.direction() * random.uniform(0.5, 1), arm_b = random.direction() * random.uniform(0.5, 1);
    const bool rolling = cone.kind == ConeKind::Rolling;
    const int points = rolling ? 1 + cone.tangents() : 3;
    const double length = rolling ? random.uniform(0.2, 1) : 1.0;
    for (int k = 0; k < cone.dim; ++k) {
      // Rows beyond the third are those of a joint that holds relative rotation; of rolling, about the tangents.
      const Vec3 axis = frame.row(!rolling || k < points ? k % 3 : k - cone.dim + 3);
      if (k < points)
        factors.rows.push_back({axis, arm_a.cross(axis), -arm_b.cross(axis)});
      else
        factors.rows.push_back({Vec3::Zero(), length * axis, -length * axis});
    }
  }
  problem.q.assign(problem.cones.rows(), 0.0);
  for (int i = 0; i < blocks; ++i)
    add_block_velocity(factors, i, problem.cones.offset(i), problem.cones.dim(i), v,
                       problem.q.data() + problem.cones.offset(i));
  return problem;
}

// W = B B^T, assembled and dense, of the given rank (at most): positive definite when rank >= rows.
inline ConeProblem random_dense_problem(RandomStream& random, int blocks, double rank_per_row,
                                        const ConeMix& mix = {}) {
  ConeProblem problem;
  for (int i = 0; i < blocks; ++i) problem.cones.add(random_cone(random, mix));
  const int rows = problem.cones.rows();
  const int rank = std::max(1, static_cast<int>(std::ceil(rank_per_row * rows)));
  const MatrixXd B = random_matrix(random, rows, rank);
  problem.W.assembled = to_block_sparse((B * B.transpose() / rank).sparseView(), problem.cones);
  problem.q = B * random_vector(random, rank) / std::sqrt(rank);
  return problem;
}

// The same problem on the other body of its operator.
inline ConeProblem assembled_copy(const ConeProblem& problem) {
  ConeProblem copy;
  copy.cones = problem.cones;
  copy.q = problem.q;
  copy.W.assembled = assemble(*problem.W.factors, problem.cones);
  return copy;
}

}  // namespace carom
