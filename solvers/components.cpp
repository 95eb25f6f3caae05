#include "solvers/components.h"

#include <algorithm>
#include <numeric>

namespace carom {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int root_of(std::vector<int>& parent, int i) {
  while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
  return i;
}

}  // namespace

void ComponentFinder::find(const BlockSparse& W, Components& components) {
  const int n = static_cast<int>(W.diagonal.size());
  parent_.resize(at(n));
  part_.resize(at(n));
  std::iota(parent_.begin(), parent_.end(), 0);
  for (int i = 0; i < n; ++i) {
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int a = root_of(parent_, i), b = root_of(parent_, W.column[at(e)]);
      if (a != b) parent_[at(std::max(a, b))] = std::min(a, b);
    }
  }
  // counting sort of the blocks by part
  components.first.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    const int root = root_of(parent_, i);
    if (root == i) {
      part_[at(i)] = components.count();
      components.first.push_back(0);
    }
    ++components.first[at(part_[at(root)]) + 1];
  }
  for (std::size_t c = 1; c < components.first.size(); ++c) components.first[c] += components.first[c - 1];
  components.blocks.resize(at(n));
  for (int i = n - 1; i >= 0; --i)
    components.blocks[at(--components.first[at(part_[at(root_of(parent_, i))]) + 1])] = i;
  // the ends walked back to the starts: shift them
  for (std::size_t c = 1; c + 1 < components.first.size(); ++c) components.first[c] = components.first[c + 1];
  if (components.first.size() > 1) components.first.back() = n;
}

void extract(const BlockSparse& W, VectorIn q, const Cones& cones, const Components& components, int c, VectorIn r,
             ConeProblem& part, Vector& r_part) {
  const int begin = components.first[at(c)], end = components.first[at(c + 1)];
  const auto blocks_begin = components.blocks.begin() + begin, blocks_end = components.blocks.begin() + end;
  part.cones.clear();
  part.W.factors.reset();
  if (!part.W.assembled) part.W.assembled.emplace();
  BlockSparse& out = *part.W.assembled;
  out.first.assign(1, 0);
  out.column.clear();
  out.start.clear();
  out.diagonal.clear();
  out.values.clear();
  for (auto block = blocks_begin; block != blocks_end; ++block) part.cones.add(cones[*block]);
  part.q.resize(part.cones.rows());
  r_part.resize(part.cones.rows());
  int row = 0;
  for (auto block = blocks_begin; block != blocks_end; ++block, ++row) {
    const int i = *block, dim = cones.dim(i);
    part.q.segment(part.cones.offset(row), dim) = q.segment(cones.offset(i), dim);
    r_part.segment(part.cones.offset(row), dim) = r.segment(cones.offset(i), dim);
    auto place = blocks_begin;
    for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) {
      const int j = W.column[at(e)];
      place = std::lower_bound(place, blocks_end, j);
      if (place == blocks_end || *place != j) continue;  // of a part that is not a whole component
      if (j == i) out.diagonal.push_back(static_cast<int>(out.column.size()));
      out.column.push_back(static_cast<int>(place - blocks_begin));
      out.start.push_back(static_cast<std::ptrdiff_t>(out.values.size()));
      const double* values = W.values.data() + W.start[at(e)];
      out.values.insert(out.values.end(), values, values + dim * cones.dim(j));
    }
    out.first.push_back(static_cast<int>(out.column.size()));
  }
}

void insert(const Cones& cones, const Components& components, int c, VectorIn r_part, VectorOut r) {
  int offset = 0;
  for (int b = components.first[at(c)]; b < components.first[at(c + 1)]; ++b) {
    const int i = components.blocks[at(b)];
    r.segment(cones.offset(i), cones.dim(i)) = r_part.segment(offset, cones.dim(i));
    offset += cones.dim(i);
  }
}

}  // namespace carom
