// Contacts of one body with the triangles around it, found feature by feature; for the narrow phase's own files only.
//
//   corners of the body    over a triangle they feel its plane; near a ridge its edge or vertex. Corners under the
//                          surface leave through the face that is nearest, and through both sides of a valley
//   vertices of the ground that stick out touch the body's surface from below
//   ridges of the ground   touch edges and faces of the body along the direction that shows the largest gap
//
// Edges between triangles in one plane, and valleys, are no features: a body that slides over a triangulated plane has
// the contacts that it has on a half-space.
#pragma once

#include "contact/pair_context.h"
#include "contact/triangle_patch.h"

namespace carom {

// A solid seen from the frame of the surface.
struct GroundBody {
  const Shape* shape = nullptr;
  bool round = false;  // cylinder or cone: no core
  RelativeFrame frame{Mat3::Identity(), Vec3::Zero()};
  CoreStorage storage;
  ConvexCore core;             // in its own frame; not for round ones
  std::vector<Vec3> vertices;  // of the core, in the frame of the surface
  std::vector<FacePlane> planes;
  double radius = 0;  // rounding
  double size = 0;    // of the ball that holds it
  Vec3 centre = Vec3::Zero();

  void place(const Shape& solid, const RelativeFrame& in_surface);
  // The least n . x of the core, or of a round solid.
  double lowest(const Vec3& n) const;
  Bounds bounds() const;  // rounding included
  // Corners: vertices of the core, or points of the rims that are lowest over a triangle.
  std::uint32_t corner_count() const;
  Vec3 corner(std::uint32_t number, const PatchTriangle& over) const;
};

struct GroundContact {
  std::uint64_t feature;  // body first
  Vec3 point, normal;     // normal from the ground to the body
  double gap;
  bool by_ridge;
};

struct GroundScratch {
  GroundBody body;
  std::vector<PatchTriangle> triangles;
  std::vector<GroundContact> found;
  double margin = 0;
  const HeightField* terrain = nullptr;  // none: a mesh
  double deepest = 0;                    // meet_corners: of the corners under the surface, m

  void add(std::uint64_t feature, const Vec3& point, const Vec3& normal, double gap, bool by_ridge = false) {
    found.push_back({feature, point, normal, gap, by_ridge});
  }
};

// Whether x lies in front of a mesh: on the side of its nearest point to which the normals around that point, weighted
// by their angles, look (Baerentzen & Aanaes 2005). A triangle that x is behind of then belongs to another side.
bool outside_mesh(std::span<const PatchTriangle> triangles, const Vec3& x, double tiny);

void meet_corners(GroundScratch& scratch);
void meet_ground_vertices(GroundScratch& scratch);
void meet_ridges(GroundScratch& scratch);
// For a body under the surface of a terrain none of whose corners are, and which lies past the ridges above it: thin
// ones, pierced by rocks or across them. One contact, where it is deepest.
void meet_pierced(GroundScratch& scratch);

}  // namespace carom
