// Colours for the blocks of a cone problem: blocks of one colour do not act on each other (their block of W is zero),
// so that visiting them in any order, or at once, gives the same bits.
#pragma once

#include "solvers/problem.h"

namespace carom {

class Colouring {
 public:
  // Greedy and balanced: blocks, in order, take the smallest of the colours that no neighbour has, and a new colour
  // only when there is none. Depends on the problem alone. Gives up and returns false when more than `most` colours
  // are needed. Cost: every off-diagonal block of W is looked at once; with factors, and up to 64 colours, every block
  // once.
  bool colour(const ConeProblem& problem, int most);

  int colours() const { return static_cast<int>(first_.size()) - 1; }
  // The blocks of colour c, increasing.
  std::span<const int> operator[](int c) const;
  // All blocks, colour after colour, and where colour c begins there (c = colours(): the end).
  const std::vector<int>& order() const { return order_; }
  int first(int c) const { return first_[static_cast<std::size_t>(c)]; }

 private:
  template <class ForEachNeighbour>
  bool assign_colours(int count, int most, const ForEachNeighbour& for_each_neighbour);
  bool assign_by_bodies(const DelassusFactors& factors, int most);
  void sort_by_colour();

  std::vector<int> order_;
  std::vector<int> first_ = {0};
  BodyActions actions_;
  std::vector<int> colour_;           // per block
  std::vector<int> size_;             // per colour
  std::vector<int> blocked_;          // per colour: the last block that must not have it
  std::vector<std::uint64_t> taken_;  // per body: its colours, one bit each
};

// Block rows of W and rows of H in another order of the blocks, for loops that follow it. Columns stay as they are.
void reorder_rows(const BlockSparse& W, const Cones& cones, const std::vector<int>& order, Threads threads,
                  BlockSparse& out);
void reorder_rows(const std::vector<FactorRow>& H, const Cones& cones, const std::vector<int>& order,
                  std::vector<FactorRow>& out);

}  // namespace carom
