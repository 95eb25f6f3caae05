#include "io/report/study_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "io/hdf5.h"

namespace carom {

namespace {

constexpr const char* kFormat = "carom-rockfall";
const std::vector<std::string> kColumns = {"max", "mean", "p50", "p90", "p95", "p99"};
const std::vector<std::string> kMapQuantities = {"speed", "energy_translational", "energy_rotational", "energy", "height",
                                                 "jump_height"};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(h5::File::open_for_reading(file)) {}
  const h5::File& file() const { return file_; }

  // `count` values per item; throws unless there are that many.
  std::vector<double> reals(const std::string& path, std::size_t count) const {
    std::vector<double> values = file_.read_reals(path);
    check(path, values.size(), count);
    return values;
  }
  std::vector<double> reals(const std::string& path) const { return file_.read_reals(path); }
  std::vector<std::int64_t> integers(const std::string& path) const { return file_.read_integers(path); }
  std::vector<Vec3> places(const std::string& path) const {
    const std::vector<double> values = reals(path);
    std::vector<Vec3> places;
    for (std::size_t i = 0; i + 2 < values.size(); i += 3) places.emplace_back(values[i], values[i + 1], values[i + 2]);
    return places;
  }
  void check(const std::string& path, std::size_t size, std::size_t expected) const {
    if (size != expected) file_.fail(path, fmt::format("has {} values instead of {}", size, expected));
  }
  // Increasing, from 0 to `last`.
  std::vector<std::size_t> firsts(const std::string& path, std::size_t last) const {
    std::vector<std::size_t> list;
    for (const std::int64_t k : integers(path)) {
      if (k < 0 || static_cast<std::size_t>(k) > last || (!list.empty() && static_cast<std::size_t>(k) < list.back()))
        file_.fail(path, "does not increase within its data");
      list.push_back(static_cast<std::size_t>(k));
    }
    if (list.empty() || list.front() != 0 || list.back() != last) file_.fail(path, "does not span its data");
    return list;
  }

 private:
  h5::File file_;
};

void read_terrain(const Reader& r, StudyData& study) {
  const h5::Dataset heights = r.file().open_dataset("/terrain/heights", h5::Type::Float64, 2);
  study.rows = static_cast<std::uint32_t>(heights.extent()[0]);
  study.columns = static_cast<std::uint32_t>(heights.extent()[1]);
  study.heights = r.reals("/terrain/heights", std::size_t{study.rows} * study.columns);
  const std::vector<double> corner = r.reals("/terrain/corner", 2);
  study.x = corner[0];
  study.y = corner[1];
  study.cell = r.reals("/terrain/cell", 1)[0];
  if (study.rows < 2 || study.columns < 2 || !(study.cell > 0)) r.file().fail("/terrain", "is not a grid of cells");
}

void read_maps(const Reader& r, StudyData& study) {
  for (const std::int64_t c : r.integers("/cells/cell")) {
    if (c < 0 || static_cast<std::size_t>(c) >= study.heights.size()) r.file().fail("/cells/cell", "is not on the terrain");
    study.cells.push_back(static_cast<std::size_t>(c));
  }
  std::vector<std::string> names = {"reach_probability", "passages", "deposits"};
  for (const std::string& quantity : kMapQuantities)
    for (const std::string& column : kColumns) names.push_back(quantity + "_" + column);
  for (const std::string& name : names) {
    const std::string path = "/cells/" + name;
    if (!r.file().exists(path)) continue;
    study.maps.push_back({name, r.file().text_attribute(path, "meaning"), r.file().text_attribute(path, "unit"),
                          r.reals(path, study.cells.size())});
  }
}

void read_trajectories(const Reader& r, StudyData& study) {
  const std::string at = "/trajectories/";
  study.release = r.integers(at + "release");
  const std::size_t n = study.release.size();
  study.block = r.integers(at + "block");
  study.reason = r.integers(at + "reason");
  r.check(at + "block", study.block.size(), n);
  r.check(at + "reason", study.reason.size(), n);
  study.releases = r.file().read_texts(at + "release_names");
  study.blocks = r.file().read_texts(at + "block_names");
  study.reasons = r.file().texts_attribute(at + "reason", "meaning");
  study.runout = r.reals(at + "runout", n);
  study.speed = r.reals(at + "speed", n);
  study.energy = r.reals(at + "energy_translational", n);
  study.height = r.reals(at + "height", n);
  study.time = r.reals(at + "time", n);
  study.unsolved = r.reals(at + "unsolved", n);
  study.end = r.places(at + "end");
  r.check(at + "end", study.end.size(), n);
}

void read_paths(const Reader& r, StudyData& study) {
  study.path = r.places("/paths/position");
  for (const Vec3& v : r.places("/paths/velocity")) study.path_speed.push_back(v.norm());
  r.check("/paths/velocity", study.path_speed.size(), study.path.size());
  study.path_first = r.firsts("/paths/first", study.path.size());
  for (const std::int64_t k : r.integers("/paths/trajectory")) study.path_trajectory.push_back(static_cast<std::size_t>(k));
  r.check("/paths/trajectory", study.path_trajectory.size() + 1, study.path_first.size());
}

StudyTable table_of(const Reader& r, const std::string& path) {
  return {r.file().texts_attribute(path, "rows"), r.file().texts_attribute(path, "columns"), {}};
}

void read_barriers(const Reader& r, StudyData& study) {
  if (!r.file().exists("/barriers/name")) return;
  const std::vector<std::string> names = r.file().read_texts("/barriers/name");
  if (names.empty()) return;
  const std::vector<double> points = r.reals("/barriers/points");
  const std::vector<std::size_t> first = r.firsts("/barriers/first", points.size() / 2);
  const std::vector<double> trajectories = r.reals("/barriers/trajectories", names.size());
  const std::vector<double> ratio = r.reals("/barriers/ratio", names.size());
  r.check("/barriers/first", first.size(), names.size() + 1);
  const StudyTable shape = table_of(r, "/barriers/statistics");
  const std::size_t each = shape.rows.size() * shape.columns.size();
  const std::vector<double> values = r.reals("/barriers/statistics", each * names.size());
  for (std::size_t b = 0; b < names.size(); ++b) {
    StudyBarrier barrier{names[b], {}, trajectories[b], ratio[b], shape};
    for (std::size_t k = first[b]; k < first[b + 1]; ++k) barrier.points.emplace_back(points[2 * k], points[2 * k + 1]);
    barrier.table.values.assign(values.begin() + static_cast<std::ptrdiff_t>(b * each),
                                values.begin() + static_cast<std::ptrdiff_t>((b + 1) * each));
    study.barriers.push_back(barrier);
  }
}

}  // namespace

const StudyMapData* StudyData::map(const std::string& map_name) const {
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const StudyMapData& m) { return m.name == map_name; });
  return found == maps.end() ? nullptr : &*found;
}

bool is_study_file(const std::string& file) {
  try {
    return h5::File::open_for_reading(file).text_attribute("/", "format") == kFormat;
  } catch (const InputError&) {
    return false;
  }
}

StudyData read_study_data(const std::string& file) {
  const Reader r(file);
  StudyData study;
  const h5::File& f = r.file();
  if (f.text_attribute("/", "format") != kFormat) throw InputError({file, 0, 0, ""}, "is not a rockfall study");
  study.name = f.text_attribute("/", "name");
  study.title = f.text_attribute("/", "title");
  study.status = f.text_attribute("/", "status");
  study.version = f.text_attribute("/", "program_version");
  study.impact_law = f.text_attribute("/", "impact_law");
  study.seed = f.integer_attribute("/", "seed");
  study.planned = f.integer_attribute("/", "trajectories_planned");
  study.text = f.read_text("/study");
  read_terrain(r, study);
  read_maps(r, study);
  read_trajectories(r, study);
  study.statistics = table_of(r, "/statistics");
  study.statistics.values = r.reals("/statistics", study.statistics.rows.size() * study.statistics.columns.size());
  read_paths(r, study);
  read_barriers(r, study);
  return study;
}

}  // namespace carom
