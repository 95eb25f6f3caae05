#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "contact/height_field.h"
#include "io/export.h"
#include "io/hdf5.h"
#include "io/picture_view.h"
#include "io/run_reader.h"
#include "io/run_writer.h"
#include "io/text_file.h"
#include "run_fixture.h"

using namespace carom;

namespace {

// A pyramid without its floor, apex up.
std::shared_ptr<const TriangleMesh> tent(double height) {
  return make_triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0.1, 0, height}},
                            {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}, {.thickness = 0.25});
}

// Two tents of one mesh, one of another, a hollow terrain with a hole, and a ball above.
Scene surfaces_scene(double height) {
  Scene scene;
  scene.name = "surfaces";
  scene.text = "# not parsed by these tests\n";
  scene.run.step = 1e-3;
  scene.run.steps = 20;
  scene.output.frame_every = 10;
  World& world = scene.world;
  const auto shared = tent(height), other = tent(2);
  const auto place = [&](const Shape& shape, const Vec3& position) {
    BodySpec body;
    body.kind = BodyKind::Fixed;
    body.pose.position = position;
    body.colliders = {{shape, MaterialId{}, {}}};
    world.add_body(body);
  };
  place(Shape::mesh(shared), {0, 0, 0});
  place(Shape::mesh(other), {3, 0, 0});
  place(Shape::mesh(shared), {6, 0, 0});
  const double none = std::numeric_limits<double>::quiet_NaN();
  place(Shape::height_field(make_height_field(4, 3, 1.5, 2, {1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, none})), {-1, 4, 0});
  world.add_sphere(0.3, MaterialId{}, {.position = Vec3(3, 0, 2.4)});
  return scene;
}

void write_run(const std::string& file, Scene&& scene, std::int64_t last) {
  RunWriter writer = RunWriter::create(file, scene, true);
  while (scene.world.step_count() < last) {
    scene.world.step(scene.run.step);
    writer.add_step(scene.world);
  }
  writer.finish(scene.world, "complete");
}

}  // namespace

TEST_CASE("a run file keeps the triangles of meshes and the heights of terrain, each once") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  write_run(file, surfaces_scene(1), 20);

  const RunReader run(file);
  const std::vector<RunCollider> colliders = run.colliders();
  const Scene scene = surfaces_scene(1);
  REQUIRE(colliders.size() == 5);
  for (const std::size_t i : {0, 1, 2}) {
    const TriangleMesh &kept = colliders[i].shape.triangle_mesh(),
                       &given = scene.world.colliders().shape[i].triangle_mesh();
    CHECK(kept.vertices == given.vertices);
    CHECK(kept.triangles == given.triangles);
    CHECK(kept.thickness == given.thickness);
  }
  CHECK(colliders[0].shape.data == colliders[2].shape.data);
  CHECK(colliders[0].shape.data != colliders[1].shape.data);
  const HeightField& field = colliders[3].shape.terrain();
  CHECK(field.columns == 4);
  CHECK(field.rows == 3);
  CHECK(field.spacing_x == 1.5);
  CHECK(field.spacing_y == 2);
  CHECK(field.height(1, 1) == 0);
  CHECK(std::isnan(field.height(3, 2)));
  CHECK(colliders[4].shape.kind == ShapeKind::Sphere);

  const h5::File raw = h5::File::open_for_reading(file);
  CHECK(raw.open_dataset("/meshes/vertices", h5::Type::Float64, 2).rows() == 10);
  CHECK(raw.open_dataset("/meshes/triangles", h5::Type::UInt32, 2).rows() == 8);
  CHECK(raw.open_dataset("/height_fields/heights", h5::Type::Float64, 1).rows() == 12);
}

TEST_CASE("a run is not resumed on ground that has changed") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  write_run(file, surfaces_scene(1), 10);
  Scene changed = surfaces_scene(1.5), same = surfaces_scene(1);
  CHECK_THROWS_WITH_AS(RunWriter::resume(file, changed), doctest::Contains("geometry of a mesh"), InputError);
  CHECK_NOTHROW(RunWriter::resume(file, same));
}

TEST_CASE("files without meshes have none of their datasets") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  write_run(file, heap_scene(4), 4);
  const h5::File raw = h5::File::open_for_reading(file);
  CHECK_FALSE(raw.exists("/colliders/surface"));
  CHECK_FALSE(raw.exists("/meshes"));
  CHECK_FALSE(raw.exists("/height_fields"));
}

TEST_CASE("a picture shows the triangles that face the eye, and what stands in front of them after them") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.h5";
  write_run(file, surfaces_scene(1), 20);
  const RunReader run(file);
  const auto polygons = [&](const Vec3& sight) {
    export_svg(run, {.view = sight}, folder / "picture.svg");
    const std::string svg = read_text_file(folder / "picture.svg");
    CHECK(svg.find("nan") == std::string::npos);
    std::size_t count = 0;
    for (std::size_t at = svg.find("<polygon"); at != std::string::npos; at = svg.find("<polygon", at + 1)) ++count;
    CHECK(svg.find("<circle") > svg.rfind("<polygon"));  // the ball, above all
    return count;
  };
  // Three tents of four sides; five cells of terrain, one of the six has no data.
  CHECK(polygons(Vec3(0, 0, -1)) == 3 * 4 + 5 * 2);
  const RunFrame frame = run.frame(0);
  const PictureView from_below = arrange_view(run.bodies(), run.colliders(), frame, Vec3(0, 0, 1));
  CHECK(from_below.items.size() == 1);
}
