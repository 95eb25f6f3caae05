// Contact manifolds per second for pairs of boxes and of 30-vertex hulls, beside Bullet's where it is installed: the
// same pairs, one process, the two in turn, the best of the repetitions: on a shared machine that of the least
// disturbed.
//
// Bullet's boxes report overlapping points only, whatever the margin: ours are asked for these too, and that is the row
// to compare. The row with the margin shows what the contacts that are only near cost.
//
//     bench_narrow_phase [pairs] [repetitions]
#include "contact/narrow_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "base/random.h"
#include "contact/polyhedron.h"

#ifdef CAROM_BULLET
#include "bullet_pairs.h"
#endif

namespace {

using namespace carom;

// Processor time of this thread, s: neighbours on the machine do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr double kMargin = 0.02;  // m: Bullet's own default

struct Pair {
  Shape shape_a, shape_b;
  Pose pose_a, pose_b;
};

Shape random_box(RandomStream& random) {
  return Shape::box(Vec3(random.uniform(0.3, 0.6), random.uniform(0.3, 0.6), random.uniform(0.3, 0.6)));
}

Shape random_hull(RandomStream& random) {
  std::vector<Vec3> points(30);
  for (Vec3& p : points) p = 0.5 * random.direction();
  return Shape::hull(points);
}

double gap_of(const Pair& pair) {
  ContactSet contacts;
  collide(0, pair.shape_a, pair.pose_a, 1, pair.shape_b, pair.pose_b, 1e9, contacts);
  return *std::min_element(contacts.gap.begin(), contacts.gap.end());
}

// Any orientation, moved along a random line until the gap is the one wanted.
Pair random_pair(RandomStream& random, const std::function<Shape(RandomStream&)>& shape, double gap) {
  Pair pair{shape(random), shape(random), {Vec3::Zero(), random.orientation()}, {Vec3::Zero(), random.orientation()}};
  const Vec3 direction = random.direction();
  double low = 0.2, high = 3;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    pair.pose_a.position = middle * direction;
    (gap_of(pair) < gap ? low : high) = middle;
  }
  return pair;
}

// One on the other with slightly overlapping faces, turned about the vertical at random.
Pair stacked_pair(RandomStream& random, const std::function<Shape(RandomStream&)>& shape) {
  Pair pair{shape(random), shape(random), {}, {}};
  const double lift = pair.shape_a.half_extents.z() + pair.shape_b.half_extents.z() - 1e-4;
  pair.pose_a = {Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), lift),
                 Quat(Eigen::AngleAxisd(random.uniform(-3, 3), Vec3::UnitZ()))};
  return pair;
}

struct Figures {
  std::vector<double> rates;  // pairs/s
  int contacts = 0;
  double best() const { return rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end()); }
};

void run_ours(const std::vector<Pair>& pairs, double margin, Figures& figures) {
  static ContactSet contacts;
  contacts.clear();
  const double start = now();
  for (const Pair& p : pairs) collide(0, p.shape_a, p.pose_a, 1, p.shape_b, p.pose_b, margin, contacts);
  figures.rates.push_back(static_cast<double>(pairs.size()) / (now() - start));
  figures.contacts = contacts.size();
}

#ifdef CAROM_BULLET
void run_bullet(BulletPairs& bullet, std::size_t count, Figures& figures) {
  const double start = now();
  figures.contacts = bullet.collide_all();
  figures.rates.push_back(static_cast<double>(count) / (now() - start));
}
#endif

void print_row(const char* name, const char* who, Figures& figures, std::size_t pairs, double reference) {
  const double rate = figures.best();
  fmt::print("{:<34} {:<28} {:>12.3f} {:>10.2f} {:>8.2f}\n", name, who, 1e-6 * rate,
             static_cast<double>(figures.contacts) / static_cast<double>(pairs), rate / reference);
}

void compare(const char* name, const std::vector<Pair>& pairs, int repetitions) {
  Figures ours, ours_near, bullet_point, bullet_full;
  const bool boxes = pairs[0].shape_a.kind == ShapeKind::Box;
#ifdef CAROM_BULLET
  std::vector<BulletPairs::Item> items;
  for (const Pair& p : pairs) items.push_back({&p.shape_a, &p.shape_b, &p.pose_a, &p.pose_b});
  BulletPairs point(items, false), full(items, true);
#endif
  for (int k = 0; k < repetitions; ++k) {
    run_ours(pairs, boxes ? 0 : kMargin, ours);
    if (boxes) run_ours(pairs, kMargin, ours_near);
#ifdef CAROM_BULLET
    run_bullet(full, pairs.size(), bullet_full);
    if (pairs[0].shape_a.kind == ShapeKind::Hull) run_bullet(point, pairs.size(), bullet_point);
#endif
  }
  const double reference = ours.best();
  print_row(name, "carom", ours, pairs.size(), reference);
  if (boxes) print_row(name, "carom, near points too", ours_near, pairs.size(), reference);
  if (!bullet_full.rates.empty()) print_row(name, "bullet", bullet_full, pairs.size(), reference);
  if (!bullet_point.rates.empty()) print_row(name, "bullet, one point a call", bullet_point, pairs.size(), reference);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2000, repetitions = argc > 2 ? std::atoi(argv[2]) : 21;
  RandomStream random(5, 0);
  const auto many = [&](auto&& make) {
    std::vector<Pair> pairs;
    for (int k = 0; k < count; ++k) pairs.push_back(make());
    return pairs;
  };
  fmt::print("{} pairs, {} repetitions, margin {} m\n", count, repetitions, kMargin);
  fmt::print("{:<34} {:<28} {:>12} {:>10} {:>8}\n", "pairs", "by", "10^6 pairs/s", "contacts", "ratio");
  compare("boxes, stacked", many([&] { return stacked_pair(random, random_box); }), repetitions);
  compare("boxes, overlapping by 0..5 cm",
          many([&] { return random_pair(random, random_box, random.uniform(-0.05, 0)); }), repetitions);
  compare("boxes, 0..2 cm apart", many([&] { return random_pair(random, random_box, random.uniform(0, 0.02)); }),
          repetitions);
  compare("boxes, 5..30 cm apart", many([&] { return random_pair(random, random_box, random.uniform(0.05, 0.3)); }),
          repetitions);
  compare("hulls, overlapping by 0..5 cm",
          many([&] { return random_pair(random, random_hull, random.uniform(-0.05, 0)); }), repetitions);
  compare("hulls, 0..2 cm apart", many([&] { return random_pair(random, random_hull, random.uniform(0, 0.02)); }),
          repetitions);
  compare("hulls, 5..30 cm apart", many([&] { return random_pair(random, random_hull, random.uniform(0.05, 0.3)); }),
          repetitions);
  compare("hulls, overlapping by 10..30 cm",
          many([&] { return random_pair(random, random_hull, random.uniform(-0.3, -0.1)); }), repetitions);
  return 0;
}
