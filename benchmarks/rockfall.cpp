// Rockfall: trajectories per second and core, growth with the terrain, two threads, and one block beside its peers.
//
//     bench_rockfall [trajectories = 300] [random ones = 2000]
//
// 1. Speed on a rough slope of 1000 x 1000 cells of 2 m (and of 250 x 250 and 2000 x 2000, cut from the same ground:
//    the same trajectories), for balls and for rocks of 20 vertices.
// 2. Two threads against one: wall time and, for a loaded machine, processor time.
// 3. Random blocks of every form on a steep and rough terrain: how many went below it, gained energy or ended without
//    a reason.
// 4. Steps halved: how far the 50 and 95 % of runout and energy move, beside their Monte Carlo error.
// 5. A 20 s trajectory of a 20-vertex rock down a slope: ours, Bullet and Siconos at h = 0.005, where they were found.
// Times are processor times of this program unless called wall.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/timer.h"
#include "contact/polyhedron.h"
#include "engine/rockfall/results.h"
#include "rockfall_grounds.h"
#ifdef CAROM_BULLET
#include "benchmarks/rockfall_bullet.h"
#endif

using namespace carom;
using namespace carom::rockfall;

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The upper end is at x = 0 whatever the number of cells, so that larger maps only add ground beyond.
std::shared_ptr<const HeightField> mountain(std::uint32_t cells) {
  return ground::field(cells + 1, cells + 1, 2.0, [](double x, double y) {
    const double slope = 400 * std::exp(-x / 400);
    const auto number = static_cast<std::uint64_t>(x) << 20 | static_cast<std::uint64_t>(y);
    return slope + 1.5 * std::sin(0.1 * x) * std::cos(0.08 * y) + 0.3 * RandomStream(5, number).uniform();
  });
}

Study speed_study(std::shared_ptr<const HeightField> field, BlockForm form, std::uint64_t count) {
  Study study = ground::study_on(std::move(field),
                                 {.name = "rock", .friction = 0.6, .restitution = 0.35, .rolling_friction = 0.2});
  study.kinds[0] = {
      .name = "block", .form = form, .proportions = form == BlockForm::Random ? Vec3(1.2, 1, 0.8) : Vec3::Ones()};
  Release& release = study.releases[0];
  release.form = ReleaseForm::Line;
  release.points = {{20, 150}, {20, 350}};
  release.count = count;
  release.most_height = 5;
  release.velocity = Vec3(2, 0, 0);
  study.simulation.time_limit = 120;
  return study;
}

void speed_table(std::uint64_t count) {
  fmt::print("trajectories of one core: {} each\n", count);
  fmt::print("{:>14} {:>8} {:>16} {:>14} {:>12} {:>12} {:>10}\n", "cells", "block", "trajectories/s", "ms each",
             "s simulated", "metres", "contacts");
  for (const std::uint32_t cells : {250u, 1000u, 2000u}) {
    const auto field = mountain(cells);
    for (const BlockForm form : {BlockForm::Sphere, BlockForm::Random}) {
      const Study study = speed_study(field, form, count);
      Ensemble ensemble(study, {1});
      std::vector<TrajectoryRecord> records;
      const double start = cpu_seconds();
      ensemble.simulate(0, count, records);
      const double seconds = cpu_seconds() - start, n = static_cast<double>(count);
      double time = 0, length = 0, steps = 0;
      for (const auto& r : records) time += r.summary.time, length += r.summary.length, steps += r.summary.steps;
      fmt::print("{:>14} {:>8} {:>16.1f} {:>14.3f} {:>12.1f} {:>12.0f} {:>10.0f}\n", fmt::format("{0} x {0}", cells),
                 form == BlockForm::Sphere ? "ball" : "rock", n / seconds, 1e3 * seconds / n, time / n, length / n,
                 steps / n);
    }
  }
}

void thread_table(std::uint64_t count) {
  const Study study = speed_study(mountain(1000), BlockForm::Random, count);
  std::vector<TrajectoryRecord> records;
  double wall[2], cpu[2];
  for (const int threads : {1, 2}) {
    Ensemble ensemble(study, {threads});
    const Stopwatch watch;
    const double start = cpu_seconds();
    ensemble.simulate(0, count, records);
    wall[threads - 1] = watch.seconds();
    cpu[threads - 1] = cpu_seconds() - start;
  }
  fmt::print(
      "\ntwo threads: wall {:.3f} s against {:.3f} s, efficiency {:.2f}; processor time {:.3f} s against {:.3f} s, "
      "so that {:.2f} is lost to neither waiting nor sharing\n",
      wall[1], wall[0], wall[0] / (2 * wall[1]), cpu[1], cpu[0], cpu[0] / cpu[1]);
}

void random_table(std::uint64_t count) {
  Study study = ground::study_on(ground::rough_slope(80, 1, 0.8, 5),
                                 {.name = "rock", .friction = 0.6, .restitution = 0.5, .tangential_restitution = 1});
  const VolumeDistribution sizes{.law = VolumeLaw::PowerLaw, .least = 1e-3, .most = 5, .exponent = 0.4};
  study.kinds = {{.name = "ball", .form = BlockForm::Sphere, .volume = sizes},
                 {.name = "rock", .form = BlockForm::Random, .proportions = Vec3(1.3, 1, 0.7), .volume = sizes},
                 {.name = "slab", .form = BlockForm::Box, .proportions = Vec3(1, 1, 0.05), .volume = sizes},
                 {.name = "needle", .form = BlockForm::Box, .proportions = Vec3(1, 0.05, 0.05), .volume = sizes},
                 {.name = "norm", .form = BlockForm::Eota, .volume = sizes}};
  Release& release = study.releases[0];
  release.form = ReleaseForm::Area;
  release.rings = {{{3, 5}, {30, 5}, {30, 75}, {3, 75}}};
  release.kinds = {0, 1, 2, 3, 4};
  release.count = count;
  release.most_height = 4;
  release.velocity = Vec3(15, 2, -20);
  release.angular_velocity = Vec3(1, 8, 0);
  study.simulation.time_limit = 60;
  study.most_paths = 0;
  Ensemble ensemble(study, {1});
  std::vector<TrajectoryRecord> records;
  std::uint64_t reasons[kStopReasons] = {}, unsolved = 0;
  double depth = 0, gain = 0;
  const double start = cpu_seconds();
  for (std::uint64_t first = 0; first < count; first += 1000) {
    ensemble.simulate(first, std::min<std::uint64_t>(1000, count - first), records);
    for (const auto& r : records) {
      ++reasons[static_cast<std::size_t>(r.summary.reason)];
      unsolved += r.summary.unsolved;
      depth = std::max(depth, r.summary.worst_depth);
      gain = std::max(gain, r.summary.worst_gain);
    }
  }
  fmt::print(
      "\n{} random blocks of five forms, 1 litre to 5 m^3, thrown at 25 m/s on cells of up to 70 degrees, e_t = 1 "
      "({:.1f} s):\n ",
      count, cpu_seconds() - start);
  for (int k = 0; k < kStopReasons; ++k) fmt::print(" {} {},", name_of(static_cast<StopReason>(k)), reasons[k]);
  fmt::print(
      " {} unsolved; deepest overlap {:.2g} of the radius, largest energy gain at an impact {:.1g} of the kinetic "
      "energy\n",
      unsolved, depth, gain);
}

// Standard error of a percentile by resampling the trajectories.
double monte_carlo_error(const std::vector<double>& samples, double p) {
  RandomStream random(8, 8);
  constexpr int kResamples = 200;
  double sum = 0, squares = 0;
  std::vector<double> drawn(samples.size());
  for (int k = 0; k < kResamples; ++k) {
    for (double& x : drawn) x = samples[random.below(samples.size())];
    std::sort(drawn.begin(), drawn.end());
    const double x = percentile(drawn, p);
    sum += x;
    squares += x * x;
  }
  return std::sqrt(std::max(0.0, squares / kResamples - sum * sum / kResamples / kResamples));
}

void step_table(std::uint64_t count) {
  fmt::print(
      "\nsteps halved (step, travel, depth, turn), {} rocks: percentiles, their Monte Carlo error, what halving moves "
      "them by\n",
      count);
  std::vector<double> runout[2], energy[2];
  for (int half = 0; half < 2; ++half) {
    Study study = speed_study(mountain(250), BlockForm::Random, count);
    if (half == 1) {
      SimulationOptions& o = study.simulation;
      o.step /= 2, o.travel /= 2, o.depth /= 2, o.turn /= 2;
    }
    for (const auto& r : ground::run(study)) {
      runout[half].push_back(r.summary.runout());
      energy[half].push_back(r.summary.translational + r.summary.rotational);
    }
    std::sort(runout[half].begin(), runout[half].end());
    std::sort(energy[half].begin(), energy[half].end());
  }
  for (const double p : {50.0, 95.0}) {
    fmt::print("  runout {:g} %: {:8.2f} m   error {:6.2f}   moved {:6.2f}\n", p, percentile(runout[0], p),
               monte_carlo_error(runout[0], p), std::abs(percentile(runout[1], p) - percentile(runout[0], p)));
    fmt::print("  energy {:g} %: {:8.0f} J   error {:6.0f}   moved {:6.0f}\n", p, percentile(energy[0], p),
               monte_carlo_error(energy[0], p), std::abs(percentile(energy[1], p) - percentile(energy[0], p)));
  }
}

// A long even slope, so that the block moves for all of the 20 s.
void peer_table(std::uint64_t count) {
  constexpr double kDuration = 20, kStep = 0.005;
  const auto field = ground::field(501, 51, 2.0, [](double x, double y) {
    return 0.55 * (1000 - x) + 0.6 * std::sin(0.2 * x) * std::cos(0.15 * y);
  });
  Study study = ground::study_on(field, {.name = "rock", .friction = 0.6, .restitution = 0.3});
  study.kinds[0] = {.name = "rock", .form = BlockForm::Random, .proportions = Vec3(1.2, 1, 0.8)};
  study.releases[0].points = {{20, 50}};
  study.releases[0].count = count;
  study.releases[0].least_height = study.releases[0].most_height = 2;
  study.simulation.time_limit = kDuration;
  study.simulation.rest_time = 2 * kDuration;
  study.most_paths = 0;
  std::vector<double> ours;
  double simulated = 0;
  Ensemble ensemble(study, {1});
  std::vector<TrajectoryRecord> records;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double start = cpu_seconds();
    ensemble.simulate(k, 1, records);
    ours.push_back(cpu_seconds() - start);
    simulated += records[0].summary.time / static_cast<double>(count);
  }
  std::sort(ours.begin(), ours.end());
  fmt::print(
      "\none 20-vertex rock for up to {} s on a slope (medians of {} starts, {:.1f} s until it leaves the map or 20 "
      "s):\n",
      kDuration, count, simulated);
  fmt::print("  ours, steps as a study takes them   {:9.3f} ms   (range {:.3f} to {:.3f})\n",
             1e3 * ours[ours.size() / 2], 1e3 * ours.front(), 1e3 * ours.back());
#ifdef CAROM_BULLET
  std::vector<double> bullet;
  double deepest = 0;
  const auto case_of = [&](std::uint64_t k) {
    const Start start = start_of(study, k);
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(start.block.inertia);
    Quat axes(principal.eigenvectors().determinant() > 0 ? Mat3(principal.eigenvectors())
                                                         : Mat3(-principal.eigenvectors()));
    SlopeCase slope{.columns = field->columns,
                    .rows = field->rows,
                    .cell = 2,
                    .heights = field->heights,
                    .vertices = {},
                    .mass = start.block.mass,
                    .inertia = principal.eigenvalues(),
                    .friction = 0.6,
                    .restitution = 0.3,
                    .position = start.pose.position,
                    .velocity = start.velocity,
                    .rotation = start.pose.rotation * axes};
    for (const Vec3& v : start.block.shape.polyhedron().vertices) slope.vertices.push_back(axes.conjugate() * v);
    return slope;
  };
  for (std::uint64_t k = 0; k < count; ++k) {
    const PeerRun run = run_bullet(case_of(k), kStep, kDuration);
    bullet.push_back(run.seconds);
    deepest = std::max(deepest, run.deepest);
  }
  std::sort(bullet.begin(), bullet.end());
  fmt::print(
      "  Bullet (float), h = {}            {:9.3f} ms   (range {:.3f} to {:.3f}), {:.1f} times ours; centre up to "
      "{:.2f} m under the ground\n",
      kStep, 1e3 * bullet[bullet.size() / 2], 1e3 * bullet.front(), 1e3 * bullet.back(),
      bullet[bullet.size() / 2] / ours[ours.size() / 2], deepest);
  // Siconos through its Python package.
  const SlopeCase c = case_of(0);
  const auto list = [](const auto& values) {
    std::string text = "[";
    for (const double x : values) text += fmt::format("{}{:.17g}", text.size() > 1 ? "," : "", x);
    return text + "]";
  };
  std::string vertices = "[";
  for (const Vec3& v : c.vertices) vertices += (vertices.size() > 1 ? "," : "") + list(std::array{v.x(), v.y(), v.z()});
  const std::string file = fmt::format("/tmp/carom_slope_{}.json", std::time(nullptr));
  std::ofstream(file) << fmt::format(
      "{{\"columns\":{},\"rows\":{},\"cell\":{},\"heights\":{},\"vertices\":{}],\"mass\":{:.17g},\"inertia\":{},"
      "\"friction\":{},"
      "\"restitution\":{},\"position\":{},\"velocity\":{},\"rotation\":{},\"h\":{},\"duration\":{}}}",
      c.columns, c.rows, c.cell, list(c.heights), vertices, c.mass,
      list(std::array{c.inertia.x(), c.inertia.y(), c.inertia.z()}), c.friction, c.restitution,
      list(std::array{c.position.x(), c.position.y(), c.position.z()}),
      list(std::array{c.velocity.x(), c.velocity.y(), c.velocity.z()}),
      list(std::array{c.rotation.w(), c.rotation.x(), c.rotation.y(), c.rotation.z()}), kStep, kDuration);
  std::FILE* pipe = ::popen(fmt::format("python3 {} < {} 2>/dev/null", CAROM_SICONOS_SCRIPT, file).c_str(), "r");
  double seconds = 0, below = 0;
  const bool there = pipe != nullptr && std::fscanf(pipe, "%lf %lf", &seconds, &below) == 2;
  if (pipe != nullptr) ::pclose(pipe);
  std::remove(file.c_str());
  if (there)
    fmt::print(
        "  Siconos (first start), h = {}     {:9.3f} ms   {:.0f} times ours; centre up to {:.2f} m under the ground\n",
        kStep, 1e3 * seconds, seconds / ours[ours.size() / 2], below);
  else
    fmt::print("  Siconos: python3-siconos was not found\n");
#else
  fmt::print("  peers: libbullet-dev was not found when this was built\n");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 300, random = argc > 2 ? std::atoi(argv[2]) : 2000;
  if (count < 2 || random < 1) return 2;
  const auto n = static_cast<std::uint64_t>(count);
  speed_table(n);
  thread_table(n);
  random_table(static_cast<std::uint64_t>(random));
  step_table(2 * n);
  peer_table(std::min<std::uint64_t>(n, 21));
  return 0;
}
