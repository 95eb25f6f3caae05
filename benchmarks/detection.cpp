// Times contact detection, and how its cost per body grows.
//
//     bench_detection [largest number of spheres = 1000000]
//
// 1. A simple cubic lattice of touching spheres on a half-space, about three contacts per sphere: a search from
//    nothing, then calls on spheres that tremble, as in a settled pile, served by the list of pairs.
// 2. Spheres whose radii are spread over 1:ratio, numbers falling with the square of the radius,
//    filling half of space.
// Prints the best of several repetitions, for 1 thread and for all.
#include "contact/detection.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/random.h"
#include "base/timer.h"

namespace {

using namespace carom;

struct Scene {
  Colliders colliders;
  std::vector<Pose> poses;

  int spheres() const { return colliders.size() - 1; }
};

Scene on_floor() {
  Scene scene;
  scene.colliders.add(Shape::half_space(), 0, {}, false);
  scene.poses.push_back({});
  return scene;
}

void add_sphere(Scene& scene, double radius, const Vec3& at) {
  scene.colliders.add(Shape::sphere(radius), scene.colliders.size(), {}, true);
  scene.poses.push_back({.position = at});
}

// Numbered in a random order when `shuffled`, as after a long flow.
Scene make_lattice(int side, double radius, bool shuffled) {
  Scene scene = on_floor();
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell(i % side, i / side % side, i / (side * side));
    add_sphere(scene, radius, 2 * radius * cell + radius * Vec3::Ones());
  }
  if (!shuffled) return scene;
  RandomStream random(1, 0);
  for (std::size_t k = scene.poses.size() - 1; k > 1; --k) std::swap(scene.poses[k], scene.poses[1 + random.below(k)]);
  return scene;
}

// Radii from 1/ratio to 1 in steps of a factor 2, each size with the same total surface.
Scene make_mixture(int count, double ratio) {
  std::vector<double> radii, weight;
  double total = 0;
  for (double r = 1; r >= 0.999 / ratio; r = r > 2 / ratio || r <= 1 / ratio ? r / 2 : 1 / ratio) {
    radii.push_back(r);
    total += 1 / (r * r);
    weight.push_back(total);
  }
  Scene scene = on_floor();
  RandomStream random(2, 0);
  std::vector<double> chosen;
  double volume = 0;
  for (int i = 0; i < count; ++i) {
    const double w = random.uniform(0, total);
    const auto k = static_cast<std::size_t>(std::lower_bound(weight.begin(), weight.end(), w) - weight.begin());
    chosen.push_back(radii[k]);
    volume += 4.0 / 3.0 * M_PI * std::pow(radii[k], 3);
  }
  const double side = std::cbrt(2 * volume);
  for (const double r : chosen)
    add_sphere(scene, r, Vec3(random.uniform(0, side), random.uniform(0, side), random.uniform(0, side)));
  return scene;
}

// Seconds of one thread's core, which other work on the machine does not disturb; of many threads, of the clock.
class Watch {
 public:
  explicit Watch(Threads threads) : alone_(threads.count == 1), start_(std::clock()) {}
  double seconds() const {
    return alone_ ? static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC : wall_.seconds();
  }

 private:
  bool alone_;
  std::clock_t start_;
  Stopwatch wall_;
};

struct Times {
  double search = INFINITY, listed = INFINITY, narrow = INFINITY;  // s
  int contacts = 0;
  std::int64_t pairs = 0, work = 0;
};

// Each sphere trembles by 1e-5 of its radius per call.
void tremble(Scene& scene, int call) {
  for (std::size_t k = 1; k < scene.poses.size(); ++k) {
    const double sign = (k * 2654435761u >> 7 ^ static_cast<std::size_t>(call)) % 2 == 0 ? 1 : -1;
    scene.poses[k].position.x() += sign * 1e-5 * scene.colliders.shape[k].radius;
  }
}

Times measure(Scene& scene, double margin, Threads threads) {
  const int repetitions = std::clamp(1000000 / scene.spheres(), 3, 300);
  Times t;
  BroadPhase broad_phase;
  ContactDetector detector;
  std::vector<ColliderPair> pairs;
  ContactSet contacts;
  for (int k = 0; k < repetitions; ++k) {
    // A change of margin asks for a new search.
    const double other = margin * (k % 2 == 0 ? 1 : 1.5);
    const Watch watch(threads);
    broad_phase.find_pairs(scene.colliders, scene.poses, other, threads, pairs);
    t.search = std::min(t.search, watch.seconds());
    t.work = broad_phase.work();
  }
  for (int k = 0; k < repetitions + 2; ++k) {
    tremble(scene, k);
    const Watch watch(threads);
    broad_phase.find_pairs(scene.colliders, scene.poses, margin, threads, pairs);
    if (!broad_phase.searched()) t.listed = std::min(t.listed, watch.seconds());
  }
  double total = INFINITY;
  for (int k = 0; k < repetitions + 2; ++k) {
    const Watch watch(threads);
    detector.detect(scene.colliders, scene.poses, margin, threads, contacts);
    total = std::min(total, watch.seconds());
  }
  t.narrow = total - t.listed;
  t.contacts = contacts.size();
  t.pairs = static_cast<std::int64_t>(pairs.size());
  return t;
}

void report(const char* name, Scene& scene, double margin, Threads threads) {
  const Times t = measure(scene, margin, threads);
  const double n = scene.spheres();
  fmt::print("{:>9} {:>10} {:>8} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>11.0f} {:>11.0f} {:>11.0f} {:>9.1f}\n",
             scene.spheres(), name, threads.count, t.contacts, 1e3 * t.search, 1e3 * t.listed, 1e3 * t.narrow,
             1e9 * t.search / n, 1e9 * t.listed / n, 1e9 * t.narrow / t.contacts, static_cast<double>(t.work) / n);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 1000000;
  fmt::print("{:>9} {:>10} {:>8} {:>9} {:>9} {:>9} {:>9} {:>11} {:>11} {:>11} {:>9}\n", "spheres", "scene", "threads",
             "contacts", "search ms", "list ms", "narrow ms", "search ns/b", "list ns/b", "narrow ns/c", "work/b");
  for (const int side : {10, 22, 46, 100}) {
    if (side * side * side > largest) continue;
    for (const bool shuffled : {false, true}) {
      Scene scene = make_lattice(side, 0.01, shuffled);
      report(shuffled ? "shuffled" : "ordered", scene, 1e-6, Threads{1});
      if (Threads::all().count > 1) report(shuffled ? "shuffled" : "ordered", scene, 1e-6, Threads::all());
    }
  }
  for (const int count : {10000, 100000, 1000000}) {
    if (count > largest) continue;
    for (const double ratio : {1.0, 2.0, 10.0, 50.0, 200.0}) {
      Scene scene = make_mixture(count, ratio);
      report(fmt::format("1:{:.0f}", ratio).c_str(), scene, 1e-6 / ratio, Threads{1});
    }
  }
  return 0;
}
