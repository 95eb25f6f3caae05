// Blocks of a rockfall study: forms, volumes, and one block as the engine moves it.
#pragma once

#include "base/random.h"
#include "contact/shape.h"

namespace carom::rockfall {

enum class BlockForm : std::uint8_t {
  Sphere,
  Box,        // edges in the given proportions
  Ellipsoid,  // polyhedron of `vertices` points spread over an ellipsoid
  Eota,       // the concrete block of rockfall net tests (ETAG 27): a cube with edges and corners cut at a third
  Hull,       // convex hull of given points
  Random,     // hull of `vertices` random points of an ellipsoid: another rock for every trajectory
};

enum class VolumeLaw : std::uint8_t { Fixed, Uniform, LogNormal, PowerLaw };

// Volumes in m^3. Draws outside [least, most] are drawn again.
struct VolumeDistribution {
  VolumeLaw law = VolumeLaw::Fixed;
  double least = 1, most = 1;  // Uniform, PowerLaw; bounds of LogNormal
  double median = 1;           // Fixed, LogNormal
  double sigma = 0;            // LogNormal: standard deviation of ln V
  double exponent = 1;         // PowerLaw: the number of blocks larger than V goes as V^-exponent

  double draw(RandomStream& random) const;
};

struct BlockKind {
  std::string name = {};
  BlockForm form = BlockForm::Sphere;
  Vec3 proportions = Vec3::Ones();  // Box, Ellipsoid, Random
  int vertices = 20;                // Ellipsoid, Random
  std::vector<Vec3> points = {};    // Hull
  double density = 2700;            // kg/m^3
  VolumeDistribution volume = {};
  double weight = 1;  // share among the kinds of a release
};

struct Block {
  Shape shape;        // its centre of mass is the local origin
  double volume = 0;  // m^3
  double mass = 0;    // kg
  Mat3 inertia = Mat3::Zero();
  double radius = 0;          // m, of the ball that holds it
  double half_thickness = 0;  // m, of the ball about the centre of mass that fits in
};

// Throws InputError when the points have no convex hull.
Block make_block(const BlockKind& kind, double volume, RandomStream& random);

}  // namespace carom::rockfall
