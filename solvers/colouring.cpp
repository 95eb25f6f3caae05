#include "solvers/colouring.h"

#include <algorithm>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kColoursInAWord = 64;

bool structurally_symmetric(const BlockSparse& W) {
  const int n = static_cast<int>(W.diagonal.size());
  for (int i = 0; i < n; ++i) {
    for (int e = W.diagonal[at(i)] + 1; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      const auto row = W.column.begin();
      if (!std::binary_search(row + W.first[at(j)], row + W.diagonal[at(j)], i)) return false;
    }
  }
  return true;
}

}  // namespace

std::span<const int> Colouring::operator[](int c) const {
  return std::span<const int>(order_).subspan(at(first(c)), at(first(c + 1) - first(c)));
}

bool Colouring::colour(const ConeProblem& problem, int most) {
  const int count = problem.cones.count();
  bool done = false;
  if (problem.W.factors) {
    // Neighbours share a body
    const DelassusFactors& factors = *problem.W.factors;
    done = assign_by_bodies(factors, std::min(most, kColoursInAWord));
    if (!done && most > kColoursInAWord) list_actions(factors, actions_);
    if (!done && most > kColoursInAWord)
      done = assign_colours(count, most, [&](int i, auto&& neighbour) {
        for (const int body : factors.bodies[at(i)]) {
          if (body < 0) continue;
          for (int e = actions_.first[at(body)]; e < actions_.first[at(body + 1)]; ++e)
            neighbour(actions_.actions[at(e)] / 2);
        }
      });
  } else {
    // Neighbours have a block of W. Each pair is met at its later block, which must therefore know of the earlier one.
    const BlockSparse& W = *problem.W.assembled;
    if (!structurally_symmetric(W)) return false;
    done = assign_colours(count, most, [&](int i, auto&& neighbour) {
      for (int e = W.first[at(i)]; e < W.diagonal[at(i)]; ++e) neighbour(W.column[at(e)]);
    });
  }
  if (done) sort_by_colour();
  return done;
}

// The same choices, by words of bits.
bool Colouring::assign_by_bodies(const DelassusFactors& factors, int most) {
  const int count = static_cast<int>(factors.bodies.size());
  colour_.resize(at(count));
  size_.clear();
  taken_.assign(factors.inverse_mass.size(), 0);
  for (int i = 0; i < count; ++i) {
    const auto [a, b] = factors.bodies[at(i)];
    const std::uint64_t taken = (a < 0 ? 0 : taken_[at(a)]) | (b < 0 ? 0 : taken_[at(b)]);
    int smallest = -1;
    for (int c = 0; c < static_cast<int>(size_.size()); ++c) {
      if ((taken >> c & 1) == 0 && (smallest < 0 || size_[at(c)] < size_[at(smallest)])) smallest = c;
    }
    if (smallest < 0) {
      smallest = static_cast<int>(size_.size());
      if (smallest == most) return false;
      size_.push_back(0);
    }
    for (const int body : {a, b}) {
      if (body >= 0) taken_[at(body)] |= std::uint64_t{1} << smallest;
    }
    colour_[at(i)] = smallest;
    ++size_[at(smallest)];
  }
  return true;
}

template <class ForEachNeighbour>
bool Colouring::assign_colours(int count, int most, const ForEachNeighbour& for_each_neighbour) {
  colour_.resize(at(count));
  size_.clear();
  blocked_.clear();
  for (int i = 0; i < count; ++i) {
    for_each_neighbour(i, [&](int j) {
      if (j < i) blocked_[at(colour_[at(j)])] = i;
    });
    int smallest = -1;
    for (int c = 0; c < static_cast<int>(size_.size()); ++c) {
      if (blocked_[at(c)] != i && (smallest < 0 || size_[at(c)] < size_[at(smallest)])) smallest = c;
    }
    if (smallest < 0) {
      smallest = static_cast<int>(size_.size());
      if (smallest == most) return false;
      size_.push_back(0);
      blocked_.push_back(-1);
    }
    colour_[at(i)] = smallest;
    ++size_[at(smallest)];
  }
  return true;
}

// Counting sort: stable, so blocks increase within a colour.
void Colouring::sort_by_colour() {
  first_.assign(1, 0);
  for (const int size : size_) first_.push_back(first_.back() + size);
  size_.assign(first_.begin(), first_.end() - 1);
  order_.resize(colour_.size());
  for (std::size_t i = 0; i < colour_.size(); ++i) order_[at(size_[at(colour_[i])]++)] = static_cast<int>(i);
}

void reorder_rows(const BlockSparse& W, const Cones& cones, const std::vector<int>& order, Threads threads,
                  BlockSparse& out) {
  const auto end_of_row = [&](int i) {
    const int last = W.first[at(i + 1)] - 1;
    return W.start[at(last)] + cones.dim(i) * cones.dim(W.column[at(last)]);
  };
  const std::size_t count = order.size();
  out.first.resize(count + 1);
  out.diagonal.resize(count);
  out.column.resize(W.column.size());
  out.start.resize(W.column.size());
  out.values.resize(W.values.size());
  std::ptrdiff_t start = 0;
  for (std::size_t place = 0; place < count; ++place) {
    const int i = order[place], first = W.first[at(i)];
    out.first[place + 1] = out.first[place] + W.first[at(i + 1)] - first;
    out.diagonal[place] = out.first[place] + W.diagonal[at(i)] - first;
    out.start[at(out.first[place])] = start;
    start += end_of_row(i) - W.start[at(first)];
  }
  parallel_for(threads, static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t k) {
    const std::size_t place = static_cast<std::size_t>(k);
    const int i = order[place], first = W.first[at(i)], last = W.first[at(i + 1)];
    const std::ptrdiff_t from = W.start[at(first)], to = out.start[at(out.first[place])];
    for (int e = first; e < last; ++e) {
      const std::size_t f = at(out.first[place] + e - first);
      out.column[f] = W.column[at(e)];
      out.start[f] = to + (W.start[at(e)] - from);
    }
    std::copy(W.values.begin() + from, W.values.begin() + end_of_row(i), out.values.begin() + to);
  });
}

void reorder_rows(const std::vector<FactorRow>& H, const Cones& cones, const std::vector<int>& order,
                  std::vector<FactorRow>& out) {
  out.resize(H.size());
  auto next = out.begin();
  for (const int i : order) next = std::copy_n(H.begin() + cones.offset(i), cones.dim(i), next);
}

}  // namespace carom
