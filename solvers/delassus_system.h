// Linear systems in the impulses of the blocks that take part,
//
//     (A + L W R) x = b,       A and L block-diagonal, R diagonal
//
// as newton, ipm and admm need them: among contacts (solvers/block_system.h), or where W comes as factors and there are
// fewer unknowns that way, among bodies (solvers/body_system.h).
#pragma once

#include "solvers/block_system.h"
#include "solvers/body_system.h"
#include "solvers/problem.h"

namespace carom {

class DelassusSystem {
 public:
  // Two tiles of the matrix per body against one per contact.
  static bool by_bodies(std::ptrdiff_t bodies, int contacts) { return 2 * bodies <= contacts; }
  static bool by_bodies(const ConeProblem& problem);

  bool among_bodies() const { return bodies_in_use_; }

  // Finds an order of elimination. The problem must stay until the last solve.
  void prepare(const ConeProblem& problem);
  // What factoring all blocks then costs and takes, at most.
  double expected_products() const {
    return bodies_in_use_ ? bodies_.expected_products() : contacts_.expected_products();
  }
  double expected_tiles() const { return bodies_in_use_ ? bodies_.expected_tiles() : contacts_.expected_tiles(); }

  // Which blocks take part; each must then be set, row-major: L = nullptr is the unit, R = nullptr too.
  void start(const std::vector<char>& active);
  void set(int i, const double* L, const double* R, const double* A);
  bool factor();

  // x = (A + L W R)^-1 b; zero on blocks that do not take part. False when it is not accurate.
  bool solve(VectorIn b, VectorOut x);
  void solve_once(VectorOut x);  // x <- that, without refinement

 private:
  struct Block {
    bool unit = true;  // L = 1
    double L[kMaxBlockDim * kMaxBlockDim];
    double A[kMaxBlockDim * kMaxBlockDim];
  };
  void add_row(int i);
  void unscale(VectorOut x) const;

  const Cones* cones_ = nullptr;
  bool bodies_in_use_ = false;
  BodySystem bodies_;
  BlockSystem contacts_;
  BlockSparse storage_;  // W where the problem has factors only
  const BlockSparse* W_ = nullptr;
  std::vector<char> active_;
  std::vector<Block> blocks_;  // set, where the system is among contacts
  bool scaled_ = false;
  Vector R_;  // set; ones elsewhere
};

}  // namespace carom
