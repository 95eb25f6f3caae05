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

void ComponentFinder::join(int i, int j) {
  const int a = root_of(parent_, i), b = root_of(parent_, j);
  if (a != b) parent_[at(std::max(a, b))] = std::min(a, b);
}

void ComponentFinder::find(const ConeProblem& problem, Components& components) {
  const int n = problem.cones.count();
  parent_.resize(at(n));
  part_.resize(at(n));
  std::iota(parent_.begin(), parent_.end(), 0);
  if (const auto& factors = problem.W.factors) {
    touched_.assign(factors->inverse_mass.size(), -1);
    for (int i = 0; i < n; ++i) {
      for (const int body : factors->bodies[at(i)]) {
        if (body < 0) continue;
        if (touched_[at(body)] >= 0) join(i, touched_[at(body)]);
        touched_[at(body)] = i;
      }
    }
  } else {
    const BlockSparse& W = *problem.W.assembled;
    for (int i = 0; i < n; ++i) {
      for (int e = W.first[at(i)]; e < W.first[at(i + 1)]; ++e) join(i, W.column[at(e)]);
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

namespace {

std::span<const int> blocks_of(const Components& components, int c) {
  return {components.blocks.data() + components.first[at(c)], at(components.size(c))};
}

void copy_rows(const Cones& cones, std::span<const int> blocks, VectorIn whole, Vector& part) {
  int rows = 0;
  for (const int i : blocks) rows += cones.dim(i);
  part.resize(rows);
  int offset = 0;
  for (const int i : blocks) {
    part.segment(offset, cones.dim(i)) = whole.segment(cones.offset(i), cones.dim(i));
    offset += cones.dim(i);
  }
}

}  // namespace

void PartCopy::extract(const ConeProblem& whole, const Components& components, int c, VectorIn r_whole) {
  const Cones& cones = whole.cones;
  const std::span<const int> blocks = blocks_of(components, c);
  problem.cones.clear();
  for (const int i : blocks) problem.cones.add(cones[i]);
  copy_rows(cones, blocks, whole.q, problem.q);
  copy_rows(cones, blocks, r_whole, r);
  if (whole.W.factors) {
    if (problem.W.assembled) storage_ = std::move(*problem.W.assembled);
    problem.W.assembled.reset();
    extract_factors(*whole.W.factors, cones, blocks);
  } else {
    problem.W.factors.reset();
    extract_blocks(*whole.W.assembled, cones, blocks);
  }
}

void PartCopy::extract_factors(const DelassusFactors& whole, const Cones& cones, std::span<const int> blocks) {
  if (!problem.W.factors) problem.W.factors.emplace();
  DelassusFactors& out = *problem.W.factors;
  out.bodies.clear();
  out.rows.clear();
  out.inverse_mass.clear();
  out.compliance.clear();
  body_place_.resize(whole.inverse_mass.size(), -1);
  bodies_.clear();
  for (const int i : blocks) {
    std::array<int, 2> pair = whole.bodies[at(i)];
    for (int& body : pair) {
      if (body < 0) continue;
      int& place = body_place_[at(body)];
      if (place < 0) {
        place = static_cast<int>(bodies_.size());
        bodies_.push_back(body);
        out.inverse_mass.push_back(whole.inverse_mass[at(body)]);
      }
      body = place;
    }
    out.bodies.push_back(pair);
    for (int k = cones.offset(i); k < cones.offset(i) + cones.dim(i); ++k) {
      out.rows.push_back(whole.rows[at(k)]);
      if (!whole.compliance.empty()) out.compliance.push_back(whole.compliance[at(k)]);
    }
  }
  for (const int body : bodies_) body_place_[at(body)] = -1;
}

void PartCopy::extract_blocks(const BlockSparse& whole, const Cones& cones, std::span<const int> blocks) {
  if (!problem.W.assembled) problem.W.assembled.emplace();
  BlockSparse& out = *problem.W.assembled;
  out.clear();
  for (const int i : blocks) {
    auto place = blocks.begin();
    for (int e = whole.first[at(i)]; e < whole.first[at(i + 1)]; ++e) {
      const int j = whole.column[at(e)];
      place = std::lower_bound(place, blocks.end(), j);
      if (place == blocks.end() || *place != j) continue;  // of a part that is not a whole component
      if (j == i) out.diagonal.push_back(static_cast<int>(out.column.size()));
      out.column.push_back(static_cast<int>(place - blocks.begin()));
      out.start.push_back(static_cast<std::ptrdiff_t>(out.values.size()));
      const double* values = whole.values.data() + whole.start[at(e)];
      out.values.insert(out.values.end(), values, values + cones.dim(i) * cones.dim(j));
    }
    out.first.push_back(static_cast<int>(out.column.size()));
  }
}

void PartCopy::assemble() {
  if (problem.W.assembled) return;
  problem.W.assembled = std::move(storage_);
  carom::assemble(*problem.W.factors, problem.cones, actions_, *problem.W.assembled);
}

void PartCopy::read(const Cones& cones, const Components& components, int c, VectorIn r_whole) {
  copy_rows(cones, blocks_of(components, c), r_whole, r);
}

void PartCopy::insert(const Cones& cones, const Components& components, int c, VectorOut r_whole) const {
  int offset = 0;
  for (const int i : blocks_of(components, c)) {
    r_whole.segment(cones.offset(i), cones.dim(i)) = r.segment(offset, cones.dim(i));
    offset += cones.dim(i);
  }
}

}  // namespace carom
