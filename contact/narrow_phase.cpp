#include "contact/narrow_phase.h"

#include "contact/pair_context.h"
#include "contact/round_solid.h"

namespace carom {

namespace {

bool triangles(ShapeKind kind) { return kind == ShapeKind::Mesh || kind == ShapeKind::HeightField; }
bool wall(ShapeKind kind) { return kind == ShapeKind::HalfSpace || kind == ShapeKind::Plane; }
bool round(ShapeKind kind) { return kind == ShapeKind::Cylinder || kind == ShapeKind::Cone; }

void collide_solids(const PairContext& pair, const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  if (a.kind == ShapeKind::Sphere && b.kind == ShapeKind::Sphere)
    return collide_spheres(pair, a.radius, pose_a.position, b.radius, pose_b.position);
  if (a.kind == ShapeKind::Sphere) return collide_sphere_solid(pair, First::A, a.radius, pose_a.position, b, pose_b);
  if (b.kind == ShapeKind::Sphere) return collide_sphere_solid(pair, First::B, b.radius, pose_b.position, a, pose_a);
  if (a.kind == ShapeKind::Box && b.kind == ShapeKind::Box) return collide_boxes(pair, a, pose_a, b, pose_b);
  CoreStorage storage_a, storage_b;
  if (round(a.kind) && round(b.kind)) return collide_rounds(pair, RoundSolid(a), pose_a, RoundSolid(b), pose_b);
  if (round(a.kind)) return collide_round_core(pair, First::A, RoundSolid(a), pose_a, core_of(b, storage_b), pose_b);
  if (round(b.kind)) return collide_round_core(pair, First::B, RoundSolid(b), pose_b, core_of(a, storage_a), pose_a);
  collide_cores(pair, core_of(a, storage_a), pose_a, core_of(b, storage_b), pose_b);
}

}  // namespace

void collide(std::uint32_t a, const Shape& shape_a, const Pose& pose_a, std::uint32_t b, const Shape& shape_b,
             const Pose& pose_b, double margin, ContactSet& out) {
  if (a > b) return collide(b, shape_b, pose_b, a, shape_a, pose_a, margin, out);
  const PairContext pair{{a, b, 0}, margin, out};
  if (shape_a.surface() && shape_b.surface()) return;
  if (triangles(shape_b.kind)) return collide_triangles(pair, First::A, shape_a, pose_a, shape_b, pose_b);
  if (triangles(shape_a.kind)) return collide_triangles(pair, First::B, shape_b, pose_b, shape_a, pose_a);
  if (wall(shape_b.kind)) return collide_wall(pair, First::A, shape_a, pose_a, shape_b, pose_b);
  if (wall(shape_a.kind)) return collide_wall(pair, First::B, shape_b, pose_b, shape_a, pose_a);
  collide_solids(pair, shape_a, pose_a, shape_b, pose_b);
}

}  // namespace carom
