// What people who study grains measure: pure functions of grains and contact forces, from a running world or from
// frames of a run file. Stress is positive in compression.
#pragma once

#include <limits>

#include "engine/world.h"

namespace carom {

// One per body, in the order of bodies, so that contacts can name them.
struct Grain {
  Vec3 position = Vec3::Zero();  // centre of mass, m
  Vec3 velocity = Vec3::Zero();  // m/s
  double mass = 0;               // kg
  double volume = 0;             // m^3
  double radius = 0;             // of a sphere; 0: another shape, of which all lies at its centre
  bool free = false;             // a grain; not a wall, a fixed or a moved body
};

struct GrainContact {
  int a = 0, b = 0;             // bodies
  Vec3 point = Vec3::Zero();    // m
  Vec3 normal = Vec3::UnitZ();  // unit, from b to a
  Vec3 force = Vec3::Zero();    // on a, N
  double normal_force() const { return force.dot(normal); }
};

std::vector<Grain> grains_of(const World& world);
// Forces are impulses divided by the step h (s) that they belong to.
std::vector<GrainContact> grain_contacts(std::span<const ContactRecord> records, double h);

// A box along the axes; all of space by default.
struct Region {
  Vec3 low = Vec3::Constant(-std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(std::numeric_limits<double>::infinity());
  bool contains(const Vec3& x) const { return (x.array() >= low.array()).all() && (x.array() < high.array()).all(); }
  double volume() const { return (high - low).prod(); }  // m^3
};

// ---- Contacts (engine/granular_contacts.cpp) ----

// Bodies that touch in several points count as one contact. A rattler bears less than two contacts with friction, less
// than four without; it is left out of `mechanical`.
struct Coordination {
  int grains = 0;
  int contacts = 0;  // pairs of bodies that press on each other by more than the least force
  int rattlers = 0;
  double mean = 0;  // contacts per grain, walls included
  double mechanical =
      0;  // the same, of those that bear load: 2 (contacts among them) + (with walls), over their number
  std::vector<int> histogram;  // grains with 0, 1, 2, ... contacts
};
Coordination coordination(std::span<const Grain> grains, std::span<const GrainContact> contacts,
                          const Region& region = {}, double least_force = 0, int bearing = 2);

// F = mean of n n^T over the contacts in the region; its trace is 1. Zero without contacts.
Mat3 fabric_tensor(std::span<const GrainContact> contacts, const Region& region = {}, double least_force = 0);
// sqrt(3/2 dev:dev) of a symmetric tensor's deviator: 0 when isotropic, for a fabric 1 when all normals are parallel
double deviator_norm(const Mat3& tensor);

// sigma = 1/V sum over contacts of f (x) l, l the branch from b's centre to a's, of which only the part in the region
// counts (Love, Weber; the average of the momentum that forces carry through V). A contact with a wall has the branch
// from the contact point to the grain's centre. Pa.
Mat3 contact_stress(std::span<const Grain> grains, std::span<const GrainContact> contacts, const Region& region);
// 1/V sum of m (v - v_mean)(v - v_mean)^T over the grains whose centres are in the region. Pa.
Mat3 kinetic_stress(std::span<const Grain> grains, const Region& region);

// Normal forces that press, divided by their mean: histogram of `bins` equal bins from 0 to `most`.
struct ForceDistribution {
  int contacts = 0;
  double mean = 0;              // N
  double deviation = 0;         // of f / mean
  double largest = 0;           // f / mean
  double mobilized = 0;         // mean of |f_t| / f_n
  double bin = 0;               // width
  std::vector<double> density;  // integrates to 1, if none is beyond `most`
};
ForceDistribution force_distribution(std::span<const GrainContact> contacts, const Region& region = {}, int bins = 40,
                                     double most = 8);

// ---- Space and motion (engine/granular_space.cpp) ----

// Volume of a sphere inside a box, and on the far side of a plane at signed distance `height` below its centre.
double sphere_in_box(const Vec3& centre, double radius, const Region& box);
double cap_volume(double radius, double height);

// Volume of grains in the region over the region's, spheres cut exactly.
double solid_fraction(std::span<const Grain> grains, const Region& region);

struct Motions {
  int grains = 0;
  double mass = 0;               // kg
  Vec3 velocity = Vec3::Zero();  // of the centre of mass, m/s
  double temperature = 0;        // sum of m |v - velocity|^2 / (3 mass), m^2/s^2
  double mean_speed = 0;         // m/s
};
Motions motions(std::span<const Grain> grains, const Region& region = {});

// Slices of the region along an axis. Grains count by their centres, but for the solid fraction.
struct Profile {
  std::vector<double> height;          // middle of each slice, m
  std::vector<double> solid_fraction;  // 0 where the region is not finite across
  std::vector<Motions> motion;
  std::vector<double> contacts;  // per grain, in the slice
};
Profile profile(std::span<const Grain> grains, std::span<const GrainContact> contacts, const Region& region, int axis,
                int slices);

// A plane, or a round hole in it where the radius is finite.
struct Gate {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  // unit
  double radius = std::numeric_limits<double>::infinity();
};
// Mass beyond the plane, spheres cut exactly, kg.
double mass_beyond(std::span<const Grain> grains, const Gate& gate);
// Mass whose centres went through the gate along the normal, minus what came back, kg; divide by the time between.
double mass_crossed(std::span<const Grain> before, std::span<const Grain> after, const Gate& gate);

// The highest points of the grains over square cells, m: x, y, and z + radius of the highest.
std::vector<Vec3> surface_points(std::span<const Grain> grains, double cell, const Region& region = {});

struct SurfaceFit {
  bool found = false;  // false: too few points
  double angle = 0;    // rad, to the horizontal
  double height = 0;   // of the apex over z = 0, or of the plane at the mean of the points, m
  double rms = 0;      // distance of the points from the fit along z, m
  int points = 0;
};
// z = a x + b y + c by least squares: tan(angle) = hypot(a, b).
SurfaceFit fit_slope(std::span<const Vec3> points);
// z = apex - tan(angle) r by least squares, over the points whose height is between the two shares of the highest
// ring's, so that the round top and the foot are left out. The axis is the centroid of the volume under the points.
SurfaceFit fit_heap(std::span<const Vec3> points, double cell, double from = 0.15, double to = 0.85);

}  // namespace carom
