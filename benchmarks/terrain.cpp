// Contact queries per second of one block on terrain of growing size: detection must not grow with the map. The same
// ground as a mesh shows what the tree costs beside direct lookup of cells.
//
//     bench_terrain [queries] [repetitions]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/random.h"
#include "contact/narrow_phase.h"
#include "ground_surfaces.h"

namespace {

using namespace carom;

// Processor time of this thread, s: neighbours on the machine do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Cells of 2 m, hills of 20 m and a roughness of 0.2 m.
std::shared_ptr<const HeightField> hills(std::uint32_t cells) {
  RandomStream random(1, cells);
  return ground::field(cells + 1, cells + 1, 2.0, [&](double x, double y) {
    return 10 * std::sin(0.05 * x) * std::cos(0.04 * y) + random.uniform(0, 0.2);
  });
}

// Nanoseconds per query, the least of the repetitions. Half of the places are next to each other, as those of a block
// on its way are, in runs of a hundred; `height` is that of the centre over the ground.
double query_time(const HeightField& field, const Shape& surface, const Shape& block, double height, int queries,
                  int repetitions, double& contacts) {
  std::vector<Pose> poses;
  RandomStream random(2, 0);
  const double side = 2.0 * (field.columns - 1);
  Vec2 at(0, 0);
  for (int i = 0; i < queries; ++i) {
    at = i % 100 == 0 ? Vec2(random.uniform(5, side - 15), random.uniform(5, side - 15)) : Vec2(at + Vec2(0.05, 0.03));
    poses.push_back({Vec3(at.x(), at.y(), field.ground(at.x(), at.y())->height + height), random.orientation()});
  }
  double best = INFINITY;
  ContactSet out;
  for (int r = 0; r < repetitions; ++r) {
    long found = 0;
    const double start = now();
    for (const Pose& pose : poses) {
      out.clear();
      collide(0, surface, Pose{}, 1, block, pose, 0, out);
      found += out.size();
    }
    best = std::min(best, now() - start);
    contacts = static_cast<double>(found) / queries;
  }
  return 1e9 * best / queries;
}

}  // namespace

int main(int argc, char** argv) {
  const int queries = argc > 1 ? std::atoi(argv[1]) : 20000, repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  if (queries < 1 || repetitions < 1) return 2;
  RandomStream random(3, 0);
  const Shape sphere = Shape::sphere(0.5), rock = ground::random_hull(random, 20, Vec3(0.6, 0.5, 0.4));
  fmt::print("ns per query of one block ({} queries, least of {}); touching: centre 0.4 m over the ground, else 5 m\n",
             queries, repetitions);
  fmt::print("{:>12} {:>14} {:>18} {:>18} {:>14} {:>10}\n", "cells", "surface", "sphere touching", "20-vertex touching",
             "20-v in air", "contacts");
  for (const std::uint32_t cells : {100u, 1000u, 3000u}) {
    const auto field = hills(cells);
    std::vector<std::pair<const char*, Shape>> surfaces = {{"height field", Shape::height_field(field)}};
    if (cells <= 1000) surfaces.emplace_back("mesh", Shape::mesh(mesh_of(*field)));
    for (const auto& [name, surface] : surfaces) {
      double contacts = 0, none = 0;
      const double ball = query_time(*field, surface, sphere, 0.4, queries, repetitions, none);
      const double touching = query_time(*field, surface, rock, 0.4, queries, repetitions, contacts);
      const double flying = query_time(*field, surface, rock, 5, queries, repetitions, none);
      fmt::print("{:>12} {:>14} {:>18.0f} {:>18.0f} {:>14.0f} {:>10.2f}\n", fmt::format("{}^2", cells), name, ball,
                 touching, flying, contacts);
    }
  }
  return 0;
}
