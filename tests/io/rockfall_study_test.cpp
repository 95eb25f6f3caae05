// Studies from file to files: rasters, polygons, errors with their places, the whole pipeline, resuming.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "io/rockfall/geojson.h"
#include "io/rockfall/journal.h"
#include "io/rockfall/study_output.h"
#include "io/rockfall/study_run.h"
#include "io/text_file.h"

using namespace carom;
namespace fs = std::filesystem;

namespace {

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(CAROM_BINARY_DIR) / "test_rockfall" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

// The message of the InputError that an action ends in.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void check_error(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  }
}

const char* const kGrid =
    "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n1 2 3\n4 -9999 6\n";

// An incline of 30 degrees in map coordinates far from zero.
const char* const kIncline = R"([study]
seed = 3
[terrain]
size = [300, 60]
cell = 2
origin = [600000, 200000]
profile = [[0, 173.20508075688772], [300, 0]]
[[ground]]
name = "rock"
friction = 0.8
restitution = 0
[[block]]
shape = "sphere"
volume = 1
[[release]]
point = [600010, 200030]
count = 4
[[barrier]]
name = "gate"
line = [[600210, 200000], [600210, 200060]]
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

StudyFile study_of(const std::string& text, const fs::path& folder = ".") {
  return parse_study(text, (folder / "study.toml").string(), folder);
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = read_text_file(entry.path());
  return files;
}

}  // namespace

TEST_CASE("ESRI ASCII grids: corner and center, no data, and back") {
  const Raster r = parse_ascii_grid(kGrid, "a.asc");
  CHECK(r.columns == 3);
  CHECK(r.rows == 2);
  CHECK(r.at(0, 1) == 1);  // the first line is the northernmost
  CHECK(r.at(2, 0) == 6);
  CHECK(std::isnan(r.at(1, 0)));
  CHECK(r.centre_x() == 105);
  const Raster centred = parse_ascii_grid(
      replaced(replaced(kGrid, "xllcorner 100", "XLLCENTER 105"), "yllcorner 200", "yllcenter 205"), "a.asc");
  CHECK(centred.x == r.x);
  CHECK(centred.y == r.y);
  const Raster back = parse_ascii_grid(ascii_grid_text(r), "b.asc");
  CHECK(mismatch(r, back).empty());
  CHECK(back.at(2, 1) == 3);
  CHECK(std::isnan(back.at(1, 0)));
}

TEST_CASE("wrong rasters are refused with file and line") {
  const auto error = [](const std::string& text) { return error_of([&] { parse_ascii_grid(text, "dem.asc"); }); };
  check_error(error(replaced(kGrid, "ncols 3\n", "")), {"dem.asc", "ncols", "missing"});
  check_error(error(replaced(kGrid, "ncols 3", "ncols three")), {"dem.asc:1", "ncols", "three"});
  check_error(error(replaced(kGrid, "cellsize 10", "cellsize 0")), {"dem.asc", "cellsize", "> 0"});
  check_error(error(replaced(kGrid, "cellsize 10", "celsize 10")), {"dem.asc:5", "unknown key", "celsize"});
  check_error(error(replaced(kGrid, "4 -9999 6", "4 -9999")), {"dem.asc", "ends after 5 of 6"});
  check_error(error(replaced(kGrid, "4 -9999 6", "4 -9999 6 7")), {"dem.asc:8", "more than the 6"});
  check_error(error(replaced(kGrid, "4 -9999", "4 x")), {"dem.asc:8", "row 2, column 2", "not a number"});
  check_error(error(replaced(kGrid, "nrows 2", "nrows 2\nnrows 2")), {"dem.asc:3", "twice"});
  check_error(error(""), {"dem.asc", "ncols"});
}

TEST_CASE("GeoJSON: features, properties and errors with lines") {
  const auto features = parse_geojson(
      "{\"type\": \"FeatureCollection\", \"features\": [\n{\"type\": \"Feature\", \"properties\": {\"class\": "
      "\"sc\\u0072ee\"},\n"
      "\"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1,0],[1,1],[0,0]]]}},\n"
      "{\"type\": \"Feature\", \"properties\": null, \"geometry\": {\"type\": \"LineString\", \"coordinates\": "
      "[[0,0],[2,2,5]]}}]}",
      "a.geojson");
  REQUIRE(features.size() == 2);
  CHECK(*features[0].property("class")->text() == "scree");
  CHECK(features[0].parts[0].size() == 3);
  CHECK(features[1].kind == GeometryKind::Line);
  const auto error = [](const std::string& text) { return error_of([&] { parse_geojson(text, "a.geojson"); }); };
  check_error(error("{\"type\": \"Polygon\",\n \"coordinates\": [[[0,0],[1,0],[1,1],[0,1]]]}"),
              {"a.geojson:2", "must end where it begins"});
  check_error(error("{\"type\": \"Point\",\n\"coordinates\": [1]}"), {"a.geojson:2", "[x, y]"});
  check_error(error("[1, 2"), {"a.geojson:1", "expected ']'"});
  check_error(error("{\"a\": tru}"), {"not JSON"});
  check_error(error("{\"type\": \"Sphere\", \"coordinates\": []}"), {"Sphere", "not read"});
}

TEST_CASE("wrong studies are refused with file, line and key") {
  const fs::path folder = fresh_folder("errors");
  const auto error = [&](const std::string& from, const std::string& to) {
    return error_of([&] { study_of(replaced(kIncline, from, to), folder); });
  };
  check_error(error("count = 4", "count = 0"), {"study.toml:17", "count", "0"});
  check_error(error("point = [600010", "point = [500010"), {"study.toml:16", "outside the map", "spans x 600000"});
  check_error(error("point = [600010, 200030]", "polygon = [[600010, 200010], [600050, 200010], [600050, 210010]]"),
              {"study.toml:16", "outside the map"});
  check_error(error("friction = 0.8", "frction = 0.8"), {"study.toml", "friction"});
  check_error(error("volume = 1", "volume = { distribution = \"weibull\" }"),
              {"study.toml:14", "weibull", "lognormal"});
  check_error(error("volume = 1", "volume = { distribution = \"uniform\", min = 2, max = 1 }"),
              {"max must not be less"});
  check_error(error("shape = \"sphere\"", "shape = \"hull\"\npoints = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]"),
              {"study.toml:12", "flat"});
  check_error(error("count = 4", "count = 4\nblock = \"rokcs\""), {"rokcs", "study.toml:18"});
  check_error(error("profile = [[0, 173.20508075688772], [300, 0]]", "profile = [[0, 1], [0, 2]]"), {"increase"});
  check_error(error("[[barrier]]", "[output]\npath = 3\n[[barrier]]"), {"path", "paths"});

  // Terrain with no data under the release, classes of another size, a polygon beyond the map.
  write_text_file(folder / "hole.asc", replaced(kGrid, "1 2 3", "-9999 2 3"));
  check_error(error_of([&] {
                study_of(
                    "[terrain]\nfile = \"hole.asc\"\n[[ground]]\nname = \"g\"\nfriction = 1\nrestitution = "
                    "0\n[[block]]\nshape = "
                    "\"sphere\"\nvolume = 1\n[[release]]\npoint = [105, 215]\ncount = 1\n",
                    folder);
              }),
              {"hole.asc", "no cell"});
  write_text_file(folder / "dem.asc",
                  "ncols 4\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n-9999 2 3 4\n1 2 3 4\n");
  const std::string real =
      "[terrain]\nfile = \"dem.asc\"\n[[ground]]\nname = \"g\"\nfriction = 1\nrestitution = 0\n[[block]]\nshape = "
      "\"sphere\"\nvolume = 1\n[[release]]\npoint = [9, 9]\ncount = 1\n";
  check_error(error_of([&] { study_of(real, folder); }), {"study.toml:11", "no data"});
  const std::string good = replaced(real, "[9, 9]", "[25, 9]");
  CHECK(study_of(good, folder).study.trajectories() == 1);
  write_text_file(folder / "classes.asc", kGrid);
  check_error(error_of([&] { study_of(good + "[ground_map]\nraster = \"classes.asc\"\n", folder); }),
              {"classes.asc", "3 x 2 cells, the terrain 4 x 2"});
  write_text_file(folder / "classes.asc",
                  "ncols 4\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 1 1 1\n1 1 7 1\n");
  check_error(error_of([&] { study_of(good + "[ground_map]\nraster = \"classes.asc\"\n", folder); }),
              {"classes.asc", "row 2, column 3", "7"});
  write_text_file(folder / "far.geojson",
                  "{\"type\": \"Feature\", \"properties\": {\"class\": \"g\"}, \"geometry\":\n{\"type\": \"Polygon\", "
                  "\"coordinates\": "
                  "[[[10,10],[900,10],[20,15],[10,10]]]}}");
  check_error(error_of([&] { study_of(good + "[ground_map]\npolygons = \"far.geojson\"\n", folder); }),
              {"far.geojson:2", "outside the map", "900"});
  check_error(error_of([&] { study_of(good + "[ground_map]\npolygons = \"none.geojson\"\n", folder); }),
              {"none.geojson", "no such file"});
}

TEST_CASE("classes of ground come from rasters and polygons") {
  const fs::path folder = fresh_folder("classes");
  write_text_file(folder / "dem.asc", "ncols 4\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n4 3 2 1\n4 3 2 1\n");
  write_text_file(folder / "classes.asc",
                  "ncols 4\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 2 -9999\n1 1 1 1\n");
  write_text_file(folder / "classes.geojson",
                  "{\"type\": \"Feature\", \"properties\": {\"class\": \"soft\"}, \"geometry\": {\"type\": "
                  "\"Polygon\", \"coordinates\": "
                  "[[[12,12],[28,12],[28,15],[12,15],[12,12]]]}}");
  const std::string text =
      "[terrain]\nfile = \"dem.asc\"\n[[ground]]\nname = \"hard\"\nfriction = 1\nrestitution = 0\n[[ground]]\nname = "
      "\"soft\"\nfriction = "
      "2\nrestitution = 0\n[[block]]\nshape = \"sphere\"\nvolume = 1\n[[release]]\npoint = [15, 9]\ncount = "
      "1\n[ground_map]\n";
  for (const char* map : {"raster = \"classes.asc\"\n", "polygons = \"classes.geojson\"\n"}) {
    const StudyFile study = study_of(text + map, folder);
    const rockfall::Ground& ground = study.study.ground;
    // Local (10, 10) is the centre of map cell (1, 1).
    CHECK(ground.class_at(10, 10).name == "soft");
    CHECK(ground.class_at(20, 10).name == "soft");
    CHECK(ground.class_at(30, 10).name == "hard");
    CHECK(ground.class_at(10, 0).name == "hard");
  }
}

TEST_CASE("a ball on an incline reproduces its closed form from the study file to the tables") {
  const fs::path folder = fresh_folder("incline");
  const StudyFile study = study_of(kIncline, folder);
  StudyRunOptions options;
  options.folder = (folder / "out").string();
  const StudyOutcome outcome = run_study(study, options);
  CHECK(outcome.complete);
  std::ifstream crossings(folder / "out" / "crossings.csv");
  std::string line;
  int rows = 0;
  while (std::getline(crossings, line)) {
    if (line.rfind("gate,", 0) != 0) continue;
    ++rows;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::string name;
    double number, time, x, y, z, vx, vy, vz, speed;
    words >> name >> number >> time >> x >> y >> z >> vx >> vy >> vz >> speed;
    CHECK(x == doctest::Approx(600210).epsilon(1e-9));
    // 5/7 g sin(30) over (210 - 10) / cos(30) of slope
    const double a = 5.0 / 7 * 9.81 * 0.5, way = 200 / std::cos(M_PI / 6);
    CHECK(speed == doctest::Approx(std::sqrt(2 * a * way)).epsilon(1e-3));
    CHECK(time == doctest::Approx(std::sqrt(2 * way / a)).epsilon(1e-3));
    CHECK(vz / vx == doctest::Approx(-std::tan(M_PI / 6)).epsilon(1e-4));
  }
  CHECK(rows == 4);
  // Maps have the terrain's georeference; all four went along the middle.
  const Raster passages = read_raster(folder / "out" / "maps" / "passages.asc");
  CHECK(mismatch(study.terrain, passages).empty());
  CHECK(passages.at(50, 15) == 4);
  CHECK(passages.at(50, 3) == 0);
  const Raster speed = read_raster(folder / "out" / "maps" / "speed_p95.asc");
  const double there = std::sqrt(2 * 5.0 / 7 * 9.81 * 0.5 * (101 - 10) / std::cos(M_PI / 6));
  CHECK(speed.at(50, 15) == doctest::Approx(there).epsilon(6e-3));
  CHECK(std::isnan(speed.at(50, 3)));
  CHECK(!fs::exists(journal_in(options.folder)));
}

TEST_CASE("a study that was interrupted, or torn, goes on to identical files") {
  const fs::path folder = fresh_folder("resume");
  std::string text = replaced(kIncline, "count = 4", "count = 90\nheight = [0, 5]");
  text = replaced(text, "shape = \"sphere\"", "shape = \"random\"");
  const StudyFile study = study_of(text, folder);
  StudyRunOptions whole;
  whole.folder = (folder / "whole").string();
  CHECK(run_study(study, whole).complete);
  const auto expected = files_in(whole.folder);

  StudyRunOptions half = whole;
  half.folder = (folder / "half").string();
  half.most = 40;
  const StudyOutcome first = run_study(study, half);
  CHECK(!first.complete);
  CHECK(first.results.trajectories.size() == 40);
  CHECK(read_text_file(folder / "half" / "summary.txt").find("PARTIAL RESULTS") != std::string::npos);
  // Killed while it wrote: the last block is torn.
  const std::string journal = journal_in(half.folder);
  fs::resize_file(journal, fs::file_size(journal) - 100);
  half.most = 0;
  half.resume = true;
  half.threads = {2};
  const StudyOutcome second = run_study(study, half);
  CHECK(second.complete);
  CHECK(second.resumed == 32);
  CHECK(files_in(half.folder) == expected);
  // Once more there is nothing to do; another study is refused.
  CHECK(run_study(study, half).resumed == 90);
  check_error(error_of([&] { run_study(study_of(replaced(text, "seed = 3", "seed = 4"), folder), half); }),
              {"another study"});
  half.resume = false;
  check_error(error_of([&] { run_study(study, half); }), {"--overwrite", "--resume"});
}

TEST_CASE("GeoTIFF is read and written through GDAL, or refused in words") {
  const fs::path folder = fresh_folder("geotiff");
  const Raster grid = parse_ascii_grid(kGrid, "a.asc");
  const fs::path file = folder / "a.tif";
  try {
    write_raster(file, grid);
  } catch (const OutputError& error) {
    check_error(error.what(), {"GDAL", "libgdal-dev"});
    MESSAGE("built without GDAL: skipped");
    return;
  }
  const Raster back = read_raster(file);
  CHECK(mismatch(grid, back).empty());
  CHECK(back.at(0, 1) == 1);
  CHECK(back.at(2, 0) == 6);
  CHECK(std::isnan(back.at(1, 0)));
  write_text_file(folder / "no.tif", "not a tiff");
  CHECK(error_of([&] { read_raster(folder / "no.tif"); }).find("no.tif") != std::string::npos);
}
