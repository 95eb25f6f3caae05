// True geometry for ParaView: per frame one file with the surfaces of all that moves and one with the contact forces;
// what stands still is in a file of its own that every frame names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "io/export.h"
#include "io/shape_surface.h"
#include "io/text_file.h"
#include "io/vtk_file.h"

namespace carom {

namespace {

namespace fs = std::filesystem;

// Surfaces of several bodies in their bodies' frames, one after the other.
struct BodySurfaces {
  std::vector<Vec3> points;
  std::vector<std::int32_t> connectivity, offsets, cell_body, cell_material;
  struct Part {
    std::size_t body, first, end;  // points
  };
  std::vector<Part> parts;

  void add(const RunCollider& collider, const Surface& surface, int material) {
    const auto first = points.size();
    for (const Vec3& p : surface.points) points.push_back(collider.local.to_world(p));
    for (const auto& triangle : surface.triangles) {
      for (const std::uint32_t corner : triangle) connectivity.push_back(static_cast<std::int32_t>(first + corner));
      offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
      cell_body.push_back(collider.body);
      cell_material.push_back(material);
    }
    parts.push_back({static_cast<std::size_t>(collider.body), first, points.size()});
  }
};

// A square of a half-space or plane, around what is to be seen.
Surface patch(const RunCollider& collider, const RunFrame& frame, const Vec3& centre, double reach) {
  const auto i = static_cast<std::size_t>(collider.body);
  const Pose pose = Pose{frame.position[i], frame.orientation[i]} * collider.local;
  Vec3 middle = pose.rotation.conjugate() * (centre - pose.position);
  middle.z() = 0;
  Surface surface;
  for (const Vec2& corner : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)})
    surface.points.push_back(middle + reach * Vec3(corner.x(), corner.y(), 0));
  surface.triangles = {{0, 1, 2}, {0, 2, 3}};
  return surface;
}

// What moves and what does not.
struct Geometry {
  BodySurfaces moving, fixed;
  bool exact = false;  // single precision would not do
};

int sides_for(std::size_t colliders) { return colliders <= 1000 ? 24 : colliders <= 5000 ? 16 : 10; }

Geometry geometry_of(const RunReader& run, const std::vector<RunBody>& bodies) {
  Geometry geometry;
  const std::vector<RunCollider> colliders = run.colliders();
  const RunFrame frame = run.frame(run.frame_count() - 1);
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  double smallest = std::numeric_limits<double>::infinity();
  for (const RunCollider& c : colliders) {
    const Vec3& p = frame.position[static_cast<std::size_t>(c.body)];
    if (!c.shape.bounded() || !p.allFinite()) continue;
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    if (c.shape.inner_radius() > 0) smallest = std::min(smallest, c.shape.inner_radius());
  }
  const bool empty = !(low.x() <= high.x());
  const Vec3 centre = empty ? Vec3(Vec3::Zero()) : Vec3(0.5 * (low + high));
  const double reach = empty ? 1 : std::max(high.cwiseAbs().maxCoeff(), low.cwiseAbs().maxCoeff());
  geometry.exact = !empty && std::isfinite(smallest) && reach > 2e4 * smallest;
  const double patch_reach = empty ? 1 : 0.8 * (high - low).norm() + (std::isfinite(smallest) ? 4 * smallest : 0.1);
  std::vector<std::string> materials;
  for (const RunCollider& c : colliders) {
    auto place = std::find(materials.begin(), materials.end(), c.material);
    const int material = static_cast<int>(place - materials.begin());
    if (place == materials.end()) materials.push_back(c.material);
    const BodyKind kind = bodies[static_cast<std::size_t>(c.body)].kind;
    if (kind == BodyKind::Removed) continue;
    const bool flat = c.shape.kind == ShapeKind::HalfSpace || c.shape.kind == ShapeKind::Plane;
    const Surface surface = flat ? patch(c, frame, centre, patch_reach) : surface_of(c.shape, sides_for(colliders.size()));
    (kind == BodyKind::Fixed ? geometry.fixed : geometry.moving).add(c, surface, material);
  }
  return geometry;
}

// Points of a frame in the world.
template <class Real>
VtkArray placed(const BodySurfaces& surfaces, const RunFrame& frame) {
  std::vector<Real> place(3 * surfaces.points.size());
  for (const BodySurfaces::Part& part : surfaces.parts) {
    const Mat3 turn = frame.orientation[part.body].toRotationMatrix();
    const Vec3& at = frame.position[part.body];
    for (std::size_t i = part.first; i < part.end; ++i) {
      const Vec3 p = at + turn * surfaces.points[i];
      for (int c = 0; c < 3; ++c) place[3 * i + static_cast<std::size_t>(c)] = static_cast<Real>(p[c]);
    }
  }
  return VtkArray::of("Points", place, 3);
}

// What is the same in all frames, compressed once.
class SurfaceFile {
 public:
  explicit SurfaceFile(const BodySurfaces& surfaces)
      : surfaces_(surfaces),
        connectivity_(VtkArray::of("connectivity", surfaces.connectivity)),
        offsets_(VtkArray::of("offsets", surfaces.offsets)),
        body_(VtkArray::of("body", surfaces.cell_body)),
        material_(VtkArray::of("material", surfaces.cell_material)) {}

  std::string text(const RunFrame& frame, bool exact) const {
    const VtkArray points = exact ? placed<double>(surfaces_, frame) : placed<float>(surfaces_, frame);
    const auto of_cells = [&](const char* name, const std::vector<Vec3>& vectors) {
      std::vector<float> values;
      values.reserve(3 * surfaces_.cell_body.size());
      for (const std::int32_t body : surfaces_.cell_body)
        for (int c = 0; c < 3; ++c) values.push_back(static_cast<float>(vectors[static_cast<std::size_t>(body)][c]));
      return VtkArray::of(name, values, 3);
    };
    const VtkArray velocity = of_cells("velocity", frame.velocity), spin = of_cells("angular velocity", frame.angular_velocity);
    VtkPolyData data;
    data.points = surfaces_.points.size();
    data.polygons = surfaces_.offsets.size();
    data.place = &points;
    data.connectivity = &connectivity_;
    data.offsets = &offsets_;
    data.cell_data = {&body_, &material_, &velocity, &spin};
    return vtk_text(data);
  }

 private:
  const BodySurfaces& surfaces_;
  VtkArray connectivity_, offsets_, body_, material_;
};

std::string contacts_text(const std::vector<ContactRecord>& contacts, double h) {
  std::vector<double> point, normal, force, gap;
  std::vector<std::int32_t> body_a, body_b, connectivity, offsets;
  std::vector<std::uint8_t> status;
  for (const ContactRecord& c : contacts) {
    for (int k = 0; k < 3; ++k) {
      point.push_back(c.point[k]);
      normal.push_back(c.normal[k]);
      force.push_back(h > 0 ? c.impulse_world[k] / h : 0);
    }
    gap.push_back(c.gap);
    body_a.push_back(c.body_a);
    body_b.push_back(c.body_b);
    status.push_back(static_cast<std::uint8_t>(c.status));
    connectivity.push_back(static_cast<std::int32_t>(connectivity.size()));
    offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
  }
  const VtkArray places = VtkArray::of("Points", point, 3), cells = VtkArray::of("connectivity", connectivity),
                 ends = VtkArray::of("offsets", offsets);
  const std::vector<VtkArray> arrays = {VtkArray::of("force", force, 3), VtkArray::of("normal", normal, 3),
                                        VtkArray::of("gap", gap),        VtkArray::of("body_a", body_a),
                                        VtkArray::of("body_b", body_b),  VtkArray::of("status", status)};
  VtkPolyData data;
  data.points = data.vertices = contacts.size();
  data.place = &places;
  data.connectivity = &cells;
  data.offsets = &ends;
  for (const VtkArray& array : arrays) data.point_data.push_back(&array);
  return vtk_text(data);
}

// Files of each time, as ParaView lists them.
class Collection {
 public:
  void add(double time, int part, const std::string& file) {
    rows_ += fmt::format("  <DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", time, part, xml_escaped(file));
  }
  void write(const fs::path& file) const {
    write_text_file(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                          "byte_order=\"LittleEndian\">\n <Collection>\n" + rows_ + " </Collection>\n</VTKFile>\n");
  }

 private:
  std::string rows_;
};

}  // namespace

std::vector<std::string> export_vtk(const RunReader& run, const std::string& pvd_file) {
  if (run.frame_count() == 0) throw InputError("the run has no frames yet: nothing to write");
  const fs::path pvd = pvd_file, stem = fs::path(pvd).replace_extension();
  const fs::path folder = stem.string() + "_vtk", name = folder.filename();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw OutputError(folder.string(), failure.message());

  const Geometry geometry = geometry_of(run, run.bodies());
  const SurfaceFile moving(geometry.moving), fixed(geometry.fixed);
  const bool any_moving = !geometry.moving.points.empty(), any_fixed = !geometry.fixed.points.empty();
  const std::vector<double> lengths = run.frame_step_lengths();
  Collection bodies, contacts;
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    const RunFrame frame = run.frame(f);
    const std::string number = fmt::format("{:05}.vtp", f);
    if (f == 0 && any_fixed) write_text_file(folder / "fixed.vtp", fixed.text(frame, geometry.exact));
    if (any_moving) {
      write_text_file(folder / ("bodies_" + number), moving.text(frame, geometry.exact));
      bodies.add(frame.time, 0, (name / ("bodies_" + number)).string());
    }
    if (any_fixed) bodies.add(frame.time, 1, (name / "fixed.vtp").string());
    write_text_file(folder / ("contacts_" + number), contacts_text(run.contacts(f), lengths[static_cast<std::size_t>(f)]));
    contacts.add(frame.time, 0, (name / ("contacts_" + number)).string());
  }
  const fs::path forces = stem.string() + "_contacts.pvd";
  bodies.write(pvd);
  contacts.write(forces);
  return {pvd.string(), forces.string()};
}

}  // namespace carom
