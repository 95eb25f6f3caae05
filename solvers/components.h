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
  void clear() { first.assign(1, 0); }
  int size(int c) const { return first[static_cast<std::size_t>(c) + 1] - first[static_cast<std::size_t>(c)]; }
};

// By the stored blocks of W, or by the bodies that blocks share. Scratch of one call is kept for the next.
class ComponentFinder {
 public:
  void find(const ConeProblem& problem, Components& components);

 private:
  void join(int i, int j);

  std::vector<int> parent_;   // union-find forest, the smallest block is the root
  std::vector<int> part_;     // per root
  std::vector<int> touched_;  // per body: the last block seen on it, or -1
};

// One component as a problem of its own, with the bodies of W that the whole has; and its entries of r. Keeps its
// memory from one part to the next.
class PartCopy {
 public:
  ConeProblem problem;
  Vector r;

  void extract(const ConeProblem& whole, const Components& components, int c, VectorIn r_whole);
  // r alone
  void read(const Cones& cones, const Components& components, int c, VectorIn r_whole);
  // W assembled where it came as factors only, which stay.
  void assemble();
  void insert(const Cones& cones, const Components& components, int c, VectorOut r_whole) const;

 private:
  void extract_factors(const DelassusFactors& whole, const Cones& cones, std::span<const int> blocks);
  void extract_blocks(const BlockSparse& whole, const Cones& cones, std::span<const int> blocks);

  std::vector<int> body_place_;  // per body of the whole: its number in the part, or -1
  std::vector<int> bodies_;      // of the part, in the whole
  BodyActions actions_;
  BlockSparse storage_;  // lends its memory to W where the part has factors
};

}  // namespace carom
