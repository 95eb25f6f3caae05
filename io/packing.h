// Dense packings of spheres without overlaps: sizes by a distribution, a container, a solid fraction to reach.
//
// The grains start spread evenly over the container, sizes at random places, and are pushed apart sweep by sweep until
// none overlap. That reaches about 0.60 of the container's volume for spheres of like size, more for mixed ones, less
// between walls that are few grains apart: random close packing is near 0.64.
#pragma once

#include "base/error.h"
#include "base/parallel.h"
#include "io/generators.h"

namespace carom {

// Radii as a function of their rank: quantile(u) is the radius that a share u of the NUMBER of grains does not exceed.
class SizeDistribution {
 public:
  static SizeDistribution uniform(double low, double high);  // radii, m; equal numbers in equal intervals
  // ln(radius / median) is normal with deviation `sigma`; cut at low and high.
  static SizeDistribution log_normal(double median, double sigma, double low, double high);
  // A sieve curve: the share of the MASS that passes openings of these diameters (m), from 0 to 1, both increasing;
  // between two openings mass is spread evenly over the logarithm of the diameter.
  static SizeDistribution sieve(std::vector<double> diameters, std::vector<double> passing);

  double quantile(double u) const;  // m, u in [0, 1]
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  enum class Kind : std::uint8_t { Uniform, LogNormal, Sieve };
  Kind kind_ = Kind::Uniform;
  double low_ = 0, high_ = 0;
  double median_ = 0, sigma_ = 0;           // LogNormal
  std::vector<double> radii_, cumulative_;  // Sieve: share of the number up to each opening
};

// Radii that hold to the distribution as well as their number allows (the middle of each n-th of it), increasing; as
// many as fill `volume` (m^3), to within half a grain. Throws InputError when that is none, or more than `most`.
std::vector<double> radii_filling(const SizeDistribution& sizes, double volume, std::size_t most);

// A convex vessel, its axis vertical, closed at both ends of what is to be filled.
class Container {
 public:
  static Container box(const Vec3& low, const Vec3& high);
  static Container cylinder(const Vec3& base, double radius, double height);
  // A cone of `outlet` radius at the base that widens to `radius` at `shoulder` above it, then a cylinder up to
  // `height`.
  static Container hopper(const Vec3& base, double outlet, double radius, double shoulder, double height);

  double volume() const;  // m^3
  Vec3 low() const { return low_; }
  Vec3 high() const { return high_; }
  // By how much a sphere reaches out, m; negative inside.
  double depth_outside(const Vec3& centre, double radius) const;
  // Moves a sphere's centre in, through the nearest wall.
  void push_inside(double radius, Vec3& centre) const;
  double inner_radius() const;  // of the largest ball about the middle of the widest part

 private:
  bool round_ = false;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
  double outlet_ = 0, radius_ = 0, shoulder_ = 0;  // round_: m; shoulder over low_.z()
};

struct PackingSpec {
  Container container = Container::box(Vec3::Zero(), Vec3::Ones());
  SizeDistribution sizes = SizeDistribution::uniform(0.05, 0.05);
  double fraction = 0.55;       // of the container's volume, in (0, 0.9)
  double gap = 0;               // m, >= 0, between any two and to the walls
  int sweeps = 3000;            // at most
  std::size_t most = 20000000;  // grains
};
struct PackedGrains {
  std::vector<double> radii;    // m
  std::vector<Vec3> positions;  // m; no two nearer than the sum of their radii and the gap
  double fraction = 0;
  int sweeps = 0;
};
// The same bits for any number of threads. Throws InputError when the fraction cannot be reached: the message says
// which one was.
PackedGrains pack_grains(const PackingSpec& spec, const GroupSeed& seed, Threads threads = {});

}  // namespace carom
