// Independent parts of a problem: blocks that no chain of nonzero blocks of W connects can be solved one part after the
// other, each by the method that suits its size. Most real problems fall into many small parts.
#pragma once

#include "solvers/problem.h"

namespace carom {

// Parts in the order of their first blocks; the blocks of each increase.
struct Components {
  std::vector<int> first = {0};  // per part, and the end
  std::vector<int> blocks;       // part c: blocks[first[c]] .. blocks[first[c+1]-1]

  int count() const { return static_cast<int>(first.size()) - 1; }
  int size(int c) const { return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)]; }
};

// By the stored blocks of W. Scratch of one call is kept for the next.
class ComponentFinder {
 public:
  void find(const BlockSparse& W, Components& components);

 private:
  std::vector<int> parent_;  // union-find forest, the smallest block is the root
  std::vector<int> part_;    // per root
};

// part <- the blocks of one component as a problem of its own, and r_part <- their entries of r.
void extract(const BlockSparse& W, VectorIn q, const Cones& cones, const Components& components, int c, VectorIn r,
             ConeProblem& part, Vector& r_part);

// r <- r_part
void insert(const Cones& cones, const Components& components, int c, VectorIn r_part, VectorOut r);

}  // namespace carom
