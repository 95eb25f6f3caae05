// Joints in an impact. They hold whatever impulse comes, so that bodies connected by joints answer a blow as one: with
// contacts c and what joints hold j, u_j = 0 before and after gives
//
//     W' = W_cc - W_cj W_jj^+ W_jc,     p_j = -W_jj^+ W_jc p_c
//
// and a law sees W' alone. Joints may be redundant (W_jj singular): velocities do not depend on which p_j is taken.
#pragma once

#include <Eigen/SparseCore>

#include "solvers/problem.h"

namespace carom {

class JointCondensation {
 public:
  // Blocks of the problem, increasing.
  JointCondensation(const ConeProblem& problem, std::span<const int> contacts, std::span<const int> joints);

  // W', blocks in the order of the contacts.
  const BlockSparse& condensed() const { return condensed_; }

  // Whether a contact can be moved at all along its normal, now that joints hold its bodies.
  bool yields(int contact) const { return yields_[static_cast<std::size_t>(contact)]; }

  // p_j for the contacts' p, rows of the joints one after the other.
  VectorXd joint_impulses(VectorIn p) const;

 private:
  BlockSparse condensed_;
  std::vector<bool> yields_;
  Eigen::SparseMatrix<double> answer_;  // W_jj^+ W_jc
};

// W of the listed blocks alone, from either body of the operator; their cones are added to `cones`.
BlockSparse delassus_among(const ConeProblem& problem, std::span<const int> blocks, Cones& cones);

}  // namespace carom
