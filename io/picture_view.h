// What a picture shows: bodies seen along one direction, in world units, not yet in pixels.
#pragma once

#include <array>

#include "contact/polyhedron.h"
#include "io/run_reader.h"

namespace carom {

// Orthographic projection. Screen x points right, y up; depth grows away from the eye.
struct Eye {
  Vec3 right, up, sight;

  explicit Eye(const Vec3& direction);
  Vec2 project(const Vec3& p) const { return {right.dot(p), up.dot(p)}; }
  double depth(const Vec3& p) const { return sight.dot(p); }
};

// A bounded shape where it stands.
struct PictureItem {
  int body = 0;
  int collider = 0;
  Shape shape;
  Pose pose;
  Vec2 low, high;    // its rectangle on the screen
  double depth = 0;  // of the centre
  // What is drawn of all but spheres and boxes: cylinders, cones and capsules are prisms of many sides.
  std::shared_ptr<const Polyhedron> solid;
  bool smooth = false;  // its edges are not to be seen
  bool facet = false;   // one triangle of a mesh or terrain

  Vec3 centre() const { return pose.to_world(shape.bounding_centre()); }
};

// A half-space or plane that faces the eye: its outline, cut where other half-spaces stand in front of it.
struct PictureGround {
  Vec3 normal;
  Vec3 point;
  std::vector<Vec3> outline;
  bool edge_on = false;  // then the outline is a band of the solid
};

struct PictureView {
  Eye eye;
  std::vector<PictureItem> items;  // farthest first, each after all that it hides
  std::vector<PictureGround> grounds;
  Vec2 low = Vec2::Zero(), high = Vec2::Zero();  // rectangle of everything to be shown
};

// Bodies with positions that are not finite are left out.
PictureView arrange_view(const std::vector<RunBody>& bodies, const std::vector<RunCollider>& colliders,
                         const RunFrame& frame, const Vec3& sight);

// The triangles of a mesh or terrain that face the eye, as items.
void add_surface(const RunCollider& collider, int number, const Pose& pose, PictureView& view);

// Where thrust passes the interfaces of a frame: marks, and lines through the blocks that it enters by one interface
// and leaves by another.
struct PictureThrust {
  struct Mark {
    Vec3 point;
    bool hinge = false;
  };
  std::vector<Mark> marks;
  std::vector<std::array<Vec3, 2>> lines;
};
PictureThrust arrange_thrust(const std::vector<RunBody>& bodies, const std::vector<RunInterface>& interfaces,
                             const std::vector<InterfaceFrame>& frame);

// Sets where an item is on the screen.
void measure(const Eye& eye, PictureItem& item);

// Puts items into painter's order.
void sort_for_painting(const Eye& eye, std::vector<PictureItem>& items);

// Extent of an item along a direction, as [low, high].
std::array<double, 2> extent_along(const PictureItem& item, const Vec3& n);

// The face of a box with outward normal along axis k (0..2), on its positive or negative side.
std::array<Vec3, 4> box_face(const PictureItem& box, int axis, bool positive);

}  // namespace carom
