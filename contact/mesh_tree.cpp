#include "contact/mesh_tree.h"

#include <algorithm>
#include <numeric>

namespace carom {

namespace {

constexpr std::uint32_t kLeaf = 4;  // triangles

class TreeBuilder {
 public:
  TreeBuilder(std::span<const Vec3> vertices, std::span<const TriangleCorners> triangles) : box_(triangles.size()) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto& [a, b, c] = triangles[t];
      box_[t].low = vertices[a].cwiseMin(vertices[b]).cwiseMin(vertices[c]);
      box_[t].high = vertices[a].cwiseMax(vertices[b]).cwiseMax(vertices[c]);
    }
    tree_.order.resize(triangles.size());
    std::iota(tree_.order.begin(), tree_.order.end(), 0u);
    tree_.nodes.reserve(triangles.size());
  }

  MeshTree build() {
    add(0, static_cast<std::uint32_t>(tree_.order.size()));
    return std::move(tree_);
  }

 private:
  Vec3 middle(std::uint32_t t) const { return box_[t].low + box_[t].high; }  // twice, which orders as well

  // Halves are equal within one, so that the depth is at most 32.
  void add(std::uint32_t begin, std::uint32_t end) {
    const std::size_t at = tree_.nodes.size();
    tree_.nodes.emplace_back();
    Bounds bounds = box_[tree_.order[begin]];
    Vec3 low = middle(tree_.order[begin]), high = low;
    for (std::uint32_t k = begin + 1; k < end; ++k) {
      const std::uint32_t t = tree_.order[k];
      bounds.low = bounds.low.cwiseMin(box_[t].low);
      bounds.high = bounds.high.cwiseMax(box_[t].high);
      low = low.cwiseMin(middle(t));
      high = high.cwiseMax(middle(t));
    }
    tree_.nodes[at].bounds = bounds;
    if (end - begin <= kLeaf) {
      tree_.nodes[at].first = begin;
      tree_.nodes[at].count = end - begin;
      return;
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const std::uint32_t half = begin + (end - begin) / 2;
    const auto place = [&](std::uint32_t k) { return tree_.order.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(place(begin), place(half), place(end), [&](std::uint32_t s, std::uint32_t t) {
      const double ms = middle(s)[axis], mt = middle(t)[axis];
      return ms != mt ? ms < mt : s < t;
    });
    add(begin, half);
    tree_.nodes[at].first = static_cast<std::uint32_t>(tree_.nodes.size());
    add(half, end);
  }

  std::vector<Bounds> box_;
  MeshTree tree_;
};

}  // namespace

MeshTree build_mesh_tree(std::span<const Vec3> vertices, std::span<const TriangleCorners> triangles) {
  if (triangles.empty()) return {};
  return TreeBuilder(vertices, triangles).build();
}

}  // namespace carom
