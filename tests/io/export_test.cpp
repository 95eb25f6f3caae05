#include "io/export.h"

#include <doctest/doctest.h>

#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/random.h"
#include "io/picture_view.h"
#include "io/run_writer.h"
#include "io/text_file.h"
#include "io/xdmf.h"
#include "run_fixture.h"

using namespace carom;

namespace {

// A short run of the heap; frames 0, 4, 8, ... of `steps`.
std::string heap_run(const TemporaryFolder& folder, std::int64_t steps) {
  const std::string file = folder / "heap.h5";
  Scene scene = heap_scene(steps);
  RunWriter writer = RunWriter::create(file, scene, true);
  while (scene.world.step_count() < steps) {
    scene.world.step(scene.run.step);
    writer.add_step(scene.world);
  }
  writer.finish(scene.world, "complete");
  return file;
}

std::vector<std::vector<std::string>> read_csv(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(read_text_file(file));
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

double number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  REQUIRE(error == std::errc());
  REQUIRE(end == text.data() + text.size());
  return value;
}

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// Every opened tag is closed in order.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag[0] == '?' || tag[0] == '!' || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("CSV exports read back to the same bits") {
  const TemporaryFolder folder;
  const RunReader run(heap_run(folder, 80));
  export_csv_bodies(run, folder / "bodies.csv");
  export_csv_contacts(run, folder / "contacts.csv");
  export_csv_diagnostics(run.diagnostics(), folder / "diagnostics.csv");

  const auto bodies = read_csv(folder / "bodies.csv");
  const RunFrame last = run.frame(run.frame_count() - 1);
  REQUIRE(bodies.size() == 1 + static_cast<std::size_t>(run.frame_count()) * last.position.size());
  const auto& row = bodies.back();
  REQUIRE(row.size() == bodies.front().size());
  CHECK(bodies.front()[5] == "x [m]");
  CHECK(number(row[2]) == last.time);
  for (int k = 0; k < 3; ++k) {
    CHECK(number(row[5 + static_cast<std::size_t>(k)]) == last.position.back()[k]);
    CHECK(number(row[15 + static_cast<std::size_t>(k)]) == last.angular_velocity.back()[k]);
  }
  CHECK(number(row[8]) == last.orientation.back().w());

  const auto contacts = read_csv(folder / "contacts.csv");
  const auto records = run.contacts(run.frame_count() - 1);
  REQUIRE_FALSE(records.empty());
  REQUIRE(contacts.back().size() == contacts.front().size());
  CHECK(number(contacts.back()[15]) == records.back().impulse[0]);

  const auto diagnostics = read_csv(folder / "diagnostics.csv");
  REQUIRE(diagnostics.size() == 81);
  REQUIRE(diagnostics.back().size() == diagnostics.front().size());
  CHECK(number(diagnostics.back()[2]) == run.diagnostics().kinetic.back());
  CHECK(diagnostics.back()[13] == "solved");
}

TEST_CASE("an export that cannot be written leaves nothing behind") {
  const TemporaryFolder folder;
  const RunReader run(heap_run(folder, 8));
  CHECK_THROWS_AS(export_csv_bodies(run, folder / "none/bodies.csv"), OutputError);
  CHECK_THROWS_AS(export_svg(run, {}, folder / "none/picture.svg"), OutputError);
  CHECK_THROWS_AS(export_svg(run, {.frame = 99}, folder / "picture.svg"), InputError);
  CHECK_FALSE(std::filesystem::exists(folder / "picture.svg"));
}

TEST_CASE("the xdmf lists every frame once and points into the run file") {
  const TemporaryFolder folder;
  const std::string file = heap_run(folder, 80);
  const RunReader run(file);
  const std::string beside = read_text_file(xdmf_beside(file));
  CHECK(is_well_formed(beside));
  CHECK(count_of(beside, "<Time ") == run.frame_count());
  CHECK(beside.find("heap.h5:/frames/position") != std::string::npos);
  CHECK(beside.find("20 0 0 1 1 1 1 9 3") != std::string::npos);  // last frame, all nine bodies

  std::filesystem::create_directory(folder / "elsewhere");
  export_xdmf(run, file, folder / "elsewhere/run.xdmf");
  CHECK(read_text_file(folder / "elsewhere/run.xdmf").find(">../heap.h5:/frames/position") != std::string::npos);
  // Debian's VTK has none.
  const std::string has_reader =
      "import importlib.util, sys\n"
      "sys.exit(not (importlib.util.find_spec('vtk') and hasattr(__import__('vtk'), 'vtkXdmfReader')))";
  if (run_python(has_reader, {}) != 0) {
    MESSAGE("skipped: no VTK with a reader of XDMF is installed");
    return;
  }
  const std::string script =
      "import sys, vtk\n"
      "r = vtk.vtkXdmfReader(); r.SetFileName(sys.argv[1]); r.Update()\n"
      "assert r.GetOutputDataObject(0).GetNumberOfPoints() == 9\n";
  CHECK(run_python(script, {xdmf_beside(file)}) == 0);
}

TEST_CASE("the xdmf of a very long run stays small and keeps the last frame") {
  const TemporaryFolder folder;
  std::vector<double> times(30001);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = 0.5 * static_cast<double>(i);
  write_xdmf(folder / "long.xdmf", "long.h5", times, 100);
  const std::string text = read_text_file(folder / "long.xdmf");
  CHECK(text.size() < 5u << 20);
  CHECK(text.find("<Time Value=\"15000\"/>") != std::string::npos);
}

TEST_CASE("a picture shows every body once") {
  const TemporaryFolder folder;
  const RunReader run(heap_run(folder, 80));
  export_svg(run, {}, folder / "picture.svg");
  const std::string svg = read_text_file(folder / "picture.svg");
  CHECK(is_well_formed(svg));
  CHECK(count_of(svg, "<circle") == 8);
  CHECK(count_of(svg, "<polygon") >= 1);  // the ground
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("a heap, &quot;thrown&quot;, t = 0.16 s") != std::string::npos);
  export_svg(run, {.frame = 0, .view = Vec3(0, 0, -1), .colour = PictureColour::Group}, folder / "top.svg");
  CHECK(count_of(read_text_file(folder / "top.svg"), "<circle") == 8);
}

TEST_CASE("a picture of a structure marks where the thrust passes, through each block from joint to joint") {
  const TemporaryFolder folder;
  Scene scene;
  scene.name = "pier";
  scene.run.step = 1e-3;
  scene.run.steps = 5;
  StepOptions options;
  options.activation_margin = 1e-6;
  scene.world = World(options);
  scene.world.add_half_space(Vec3::UnitZ(), Vec3::Zero(), MaterialId{});
  for (int i = 0; i < 4; ++i)
    scene.world.add_box(Vec3(1, 1, 0.5), MaterialId{}, {.position = Vec3(0, 0, 0.25 + 0.5 * i)});
  scene.world.watch_interfaces({});
  RunWriter writer = RunWriter::create(folder / "pier.h5", scene, false);
  for (int i = 0; i < 5; ++i) {
    scene.world.step(scene.run.step);
    writer.add_step(scene.world);
  }
  writer.finish(scene.world, "complete");
  const RunReader run(folder / "pier.h5");
  const PictureThrust thrust = arrange_thrust(run.bodies(), run.interfaces(), run.interfaces(run.frame_count() - 1));
  REQUIRE(thrust.marks.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK((thrust.marks[k].point - Vec3(0, 0, 0.5 * static_cast<double>(k))).norm() < 1e-6);  // the weight's own line
    CHECK_FALSE(thrust.marks[k].hinge);
  }
  CHECK(thrust.lines.size() == 3);  // the topmost block has one joint only
  export_svg(run, {.view = Vec3(0, 1, 0), .thrust = true}, folder / "pier.svg");
  const std::string svg = read_text_file(folder / "pier.svg");
  CHECK(is_well_formed(svg));
  CHECK(count_of(svg, "<circle") == 4);
  CHECK(count_of(svg, "<line ") == 3);
}

TEST_CASE("what is in front is painted later, long boxes included") {
  RandomStream random(5, 1);
  const Eye eye(Vec3(-1, -2, -0.8));
  for (int trial = 0; trial < 200; ++trial) {
    // A plank lying on a block, anywhere along it: sorting by centres alone would often hide the plank.
    PictureItem block, plank;
    block.shape = Shape::box(Vec3(2, 0.1, 0.1));
    plank.shape = Shape::box(Vec3(0.3, 0.1, 0.1));
    plank.pose.position = Vec3(random.uniform(-1.7, 1.7), 0, 0.2);
    for (PictureItem* item : {&block, &plank}) {
      item->low = eye.project(item->pose.position) - Vec2::Constant(3);
      item->high = eye.project(item->pose.position) + Vec2::Constant(3);
      item->depth = eye.depth(item->pose.position);
    }
    block.body = 1;
    plank.body = 2;
    std::vector<PictureItem> items = {plank, block};
    sort_for_painting(eye, items);
    CHECK(items[0].body == 1);
    CHECK(items[1].body == 2);
  }
}

TEST_CASE("a picture of ten thousand spheres is made quickly") {
  const TemporaryFolder folder;
  Scene scene;
  scene.name = "many";
  scene.run.steps = 1;
  for (int i = 0; i < 10000; ++i)
    scene.world.add_sphere(0.5, MaterialId{0}, {.position = Vec3(i % 22, (i / 22) % 22, i / 484)});
  RunWriter::create(folder / "many.h5", scene, false).finish(scene.world, "complete");
  const Stopwatch watch;
  export_svg(RunReader(folder / "many.h5"), {}, folder / "many.svg");
  CHECK(watch.seconds() < 5);
  CHECK(std::filesystem::file_size(folder / "many.svg") < 2u << 20);
}
