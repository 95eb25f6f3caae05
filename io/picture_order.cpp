// Painter's order. Spheres alone are sorted by the depth of their centres. Boxes and polyhedra can be long: whether a
// body is in front of one or behind it is read off its face planes, since a plane with the solid on one side and the
// body on the other separates them. These relations are then sorted topologically.
#include <algorithm>
#include <queue>

#include "io/picture_view.h"

namespace carom {

namespace {

constexpr std::size_t kMostRelated = 20000;  // above, relations would cost more than they are worth

// Calls visit(outward unit normal) for each face of a box or polyhedron.
template <class Visit>
void for_each_normal(const PictureItem& item, Visit&& visit) {
  if (item.solid)
    for (const FacePlane& plane : item.solid->planes) visit(item.pose.rotation * plane.normal);
  else
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {1.0, -1.0}) visit(item.pose.rotation * (side * Vec3::Unit(axis)));
}

bool has_faces(const PictureItem& item) { return item.solid || item.shape.kind == ShapeKind::Box; }

// +1: `other` is in front of the solid, -1: behind, 0: its faces do not tell.
int side_of_solid(const Eye& eye, const PictureItem& solid, const PictureItem& other) {
  int answer = 0;
  double widest = -0.02 * std::min(solid.shape.bounding_radius(), other.shape.bounding_radius());
  for_each_normal(solid, [&](const Vec3& n) {
    const double towards_eye = -n.dot(eye.sight);
    if (std::abs(towards_eye) < 1e-6) return;
    const double beyond = extent_along(other, n)[0] - extent_along(solid, n)[1];
    if (beyond > widest) widest = beyond, answer = towards_eye > 0 ? 1 : -1;
  });
  return answer;
}

// Whether a must be painted before b.
bool is_behind(const Eye& eye, const PictureItem& a, const PictureItem& b) {
  int b_in_front = 0;
  if (has_faces(a)) b_in_front = side_of_solid(eye, a, b);
  if (b_in_front == 0 && has_faces(b)) b_in_front = -side_of_solid(eye, b, a);
  return b_in_front != 0 ? b_in_front > 0 : a.depth > b.depth;
}

bool overlap_on_screen(const PictureItem& a, const PictureItem& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

}  // namespace

void sort_for_painting(const Eye& eye, std::vector<PictureItem>& items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const PictureItem& a, const PictureItem& b) { return a.depth > b.depth; });
  const bool has_box = std::any_of(items.begin(), items.end(), has_faces);
  const std::size_t n = items.size();
  if (n > kMostRelated) {  // ground first: stones on it are seen
    std::stable_partition(items.begin(), items.end(), [](const PictureItem& item) { return item.facet; });
    return;
  }
  if (!has_box) return;

  // Pairs whose rectangles overlap, found by a sweep along x; after[i] are those that item i must precede.
  std::vector<std::size_t> by_left(n);
  for (std::size_t i = 0; i < n; ++i) by_left[i] = i;
  std::sort(by_left.begin(), by_left.end(),
            [&](std::size_t a, std::size_t b) { return items[a].low.x() < items[b].low.x(); });
  std::vector<std::vector<std::size_t>> after(n);
  std::vector<int> waits_for(n, 0);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = p + 1; q < n && items[by_left[q]].low.x() <= items[by_left[p]].high.x(); ++q) {
      std::size_t first = by_left[p], second = by_left[q];
      if (!overlap_on_screen(items[first], items[second])) continue;
      if (!is_behind(eye, items[first], items[second])) std::swap(first, second);
      after[first].push_back(second);
      ++waits_for[second];
    }

  // Farthest of those that wait for nothing; in a cycle, the farthest of all.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free;
  std::vector<bool> painted(n, false);
  for (std::size_t i = 0; i < n; ++i)
    if (waits_for[i] == 0) free.push(i);
  std::vector<PictureItem> sorted;
  std::size_t next = 0;
  while (sorted.size() < n) {
    while (next < n && painted[next]) ++next;
    const std::size_t i = free.empty() ? next : free.top();
    if (!free.empty()) free.pop();
    if (painted[i]) continue;
    painted[i] = true;
    sorted.push_back(items[i]);
    for (std::size_t k : after[i])
      if (--waits_for[k] == 0 && !painted[k]) free.push(k);
  }
  items = std::move(sorted);
}

}  // namespace carom
