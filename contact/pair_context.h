// What the computations of single pairs share; for the narrow phase's own files only.
#pragma once

#include "contact/contact_set.h"
#include "contact/convex_core.h"
#include "contact/manifold.h"
#include "contact/round_solid.h"

namespace carom {

// Which of the pair the computation calls first; its normals point from the second to the first.
enum class First : std::uint8_t { A, B };

struct PairContext {
  ContactKey key;  // a < b, feature 0
  double margin;
  ContactSet& out;

  void push(First first, const Vec3& point, const Vec3& normal, double gap, std::uint64_t feature = 0) const {
    out.push({key.a, key.b, feature}, point, first == First::A ? normal : Vec3(-normal), gap);
  }
};

void collide_spheres(const PairContext& pair, double radius_a, const Vec3& a, double radius_b, const Vec3& b);
void collide_sphere_solid(const PairContext& pair, First first, double radius, const Vec3& centre, const Shape& solid,
                          const Pose& pose);

// In the frame of a solid other than a sphere.
SurfacePoint surface_of(const Shape& solid, const Vec3& x);

// Any solid, the sphere included, and a mesh or a height field: see contact/triangle_contacts.h.
void collide_triangles(const PairContext& pair, First first, const Shape& solid, const Pose& pose, const Shape& surface,
                       const Pose& surface_pose);

// Any solid, the sphere included, and a half-space or plane.
void collide_wall(const PairContext& pair, First first, const Shape& solid, const Pose& pose, const Shape& wall,
                  const Pose& wall_pose);

// Two boxes, by the 15 axes of Gottschalk, Lin & Manocha (1996).
void collide_boxes(const PairContext& pair, const Shape& box_a, const Pose& pose_a, const Shape& box_b,
                   const Pose& pose_b);

// Any two solids with cores.
void collide_cores(const PairContext& pair, const ConvexCore& a, const Pose& pose_a, const ConvexCore& b,
                   const Pose& pose_b);

// A cylinder or cone, and any solid with a core; `first` tells which of the pair the round one is.
void collide_round_core(const PairContext& pair, First first, const RoundSolid& round, const Pose& pose,
                        const ConvexCore& core, const Pose& core_pose);
// Two of cylinder and cone.
void collide_rounds(const PairContext& pair, const RoundSolid& a, const Pose& pose_a, const RoundSolid& b,
                    const Pose& pose_b);

// The points of a manifold as contacts, in the order of their features. `separation` is the gap of the two cores along
// the normal: no point has less, whatever rounding says.
void push_manifold(const PairContext& pair, Manifold& manifold, const Vec3& normal, double separation, double radius_a,
                   double radius_b, const Pose& frame);

}  // namespace carom
