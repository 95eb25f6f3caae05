// study.h5: everything a report needs, in one file.
#include <fmt/format.h>

#include <cmath>

#include "base/version.h"
#include "io/hdf5.h"
#include "io/rockfall/study_output.h"
#include "io/text_file.h"

namespace carom {

namespace {

using namespace rockfall;

class Writer {
 public:
  explicit Writer(const std::string& shown_as) : file_(h5::File::create_in_memory(shown_as)) {}
  h5::File& file() { return file_; }

  template <class T>
  void write(const std::string& path, const std::vector<T>& values, const std::string& unit,
             std::uint64_t columns = 1) {
    h5::Extent extent = {values.size() / columns};
    if (columns > 1) extent.push_back(columns);
    h5::Dataset data = file_.create_dataset(path, h5::TypeOf<T>::value, extent);
    if (!values.empty()) data.write_rows(0, extent[0], values.data());
    file_.set_attribute(path, "unit", unit);
  }

 private:
  h5::File file_;
};

void add(std::vector<double>& to, const Vec3& v) { to.insert(to.end(), v.data(), v.data() + 3); }

template <class Value>
void column(Writer& w, const Results& results, const std::string& name, const std::string& unit, Value&& value) {
  using T = decltype(value(results.trajectories[0]));
  std::vector<T> values;
  for (const TrajectorySummary& t : results.trajectories) values.push_back(value(t));
  w.write("/trajectories/" + name, values, unit);
}

void write_trajectories(Writer& w, const StudyFile& study, const Results& results) {
  w.file().create_group("/trajectories");
  column(w, results, "number", "1", [](const TrajectorySummary& t) { return t.number; });
  column(w, results, "release", "1", [](const TrajectorySummary& t) { return t.release; });
  column(w, results, "block", "1", [](const TrajectorySummary& t) { return t.kind; });
  column(w, results, "reason", "1", [](const TrajectorySummary& t) { return static_cast<std::uint32_t>(t.reason); });
  column(w, results, "volume", "m^3", [](const TrajectorySummary& t) { return t.volume; });
  column(w, results, "mass", "kg", [](const TrajectorySummary& t) { return t.mass; });
  column(w, results, "time", "s", [](const TrajectorySummary& t) { return t.time; });
  column(w, results, "length", "m", [](const TrajectorySummary& t) { return t.length; });
  column(w, results, "runout", "m", [](const TrajectorySummary& t) { return t.runout(); });
  column(w, results, "energy_line_angle", "rad", [](const TrajectorySummary& t) { return t.energy_line_angle(); });
  column(w, results, "speed", "m/s", [](const TrajectorySummary& t) { return t.speed; });
  column(w, results, "energy_translational", "J", [](const TrajectorySummary& t) { return t.translational; });
  column(w, results, "energy_rotational", "J", [](const TrajectorySummary& t) { return t.rotational; });
  column(w, results, "height", "m", [](const TrajectorySummary& t) { return t.height; });
  column(w, results, "impacts", "1", [](const TrajectorySummary& t) { return t.impacts; });
  column(w, results, "broken_stems", "1", [](const TrajectorySummary& t) { return t.broken_stems; });
  column(w, results, "steps", "1", [](const TrajectorySummary& t) { return t.steps; });
  column(w, results, "unsolved", "1", [](const TrajectorySummary& t) { return t.unsolved; });
  column(w, results, "energy_created", "J", [](const TrajectorySummary& t) { return t.created; });
  column(w, results, "worst_depth", "1", [](const TrajectorySummary& t) { return t.worst_depth; });
  std::vector<double> start, end;
  for (const TrajectorySummary& t : results.trajectories)
    add(start, study.on_map(t.start)), add(end, study.on_map(t.end));
  w.write("/trajectories/start", start, "m, map coordinates", 3);
  w.write("/trajectories/end", end, "m, map coordinates", 3);
  std::vector<std::string> reasons, releases, blocks;
  for (int k = 0; k < kStopReasons; ++k) reasons.emplace_back(name_of(static_cast<StopReason>(k)));
  for (const Release& r : study.study.releases) releases.push_back(r.name);
  for (const BlockKind& k : study.study.kinds) blocks.push_back(k.name);
  w.file().set_attribute("/trajectories/reason", "meaning", reasons);
  w.file().write_texts("/trajectories/release_names", releases);
  w.file().write_texts("/trajectories/block_names", blocks);
}

void write_paths(Writer& w, const StudyFile& study, const Results& results) {
  w.file().create_group("/paths");
  std::vector<std::uint64_t> trajectory, first = {0};
  std::vector<double> time, position, velocity, angular_velocity;
  for (const NumberedPath& path : results.paths) {
    trajectory.push_back(path.trajectory);
    for (const PathPoint& p : path.points) {
      time.push_back(p.time);
      add(position, study.on_map(p.position));
      add(velocity, p.velocity);
      add(angular_velocity, p.angular_velocity);
    }
    first.push_back(time.size());
  }
  w.write("/paths/trajectory", trajectory, "1");
  w.write("/paths/first", first, "1");
  w.write("/paths/time", time, "s");
  w.write("/paths/position", position, "m, map coordinates", 3);
  w.write("/paths/velocity", velocity, "m/s", 3);
  w.write("/paths/angular_velocity", angular_velocity, "rad/s", 3);
}

void write_cells(Writer& w, const StudyFile& study, const Results& results) {
  w.file().create_group("/cells");
  std::vector<std::uint32_t> cells;
  for (std::size_t c = 0; c < study.terrain.values.size(); ++c)
    if (results.cells.passages(c) > 0 || results.cells.deposits(c) > 0) cells.push_back(static_cast<std::uint32_t>(c));
  w.write("/cells/cell", cells, "row (from the south) times columns, plus column");
  for (const StudyMap& map : study_maps()) {
    const Raster raster = study_map(study, results, map);
    std::vector<double> values;
    for (const std::uint32_t c : cells) values.push_back(raster.values[c]);
    w.write("/cells/" + map.name, values, map.unit);
    w.file().set_attribute("/cells/" + map.name, "meaning", map.title);
  }
}

void write_barriers(Writer& w, const StudyFile& study, const Results& results) {
  w.file().create_group("/barriers");
  std::vector<std::string> names;
  std::vector<std::uint64_t> first = {0}, trajectories;
  std::vector<double> points, ratio, percentiles;
  const auto row = [&](const Distribution& d) {
    percentiles.insert(percentiles.end(), {d.most, d.mean});
    percentiles.insert(percentiles.end(), d.percentiles.begin(), d.percentiles.end());
  };
  for (std::uint32_t b = 0; b < study.study.barriers.size(); ++b) {
    const Barrier& barrier = study.study.barriers[b];
    names.push_back(barrier.name);
    for (const Vec2& p : barrier.points) {
      points.push_back(p.x() + study.origin().x());
      points.push_back(p.y() + study.origin().y());
    }
    first.push_back(points.size() / 2);
    const BarrierSummary s = summarize_barrier(results, b);
    trajectories.push_back(s.trajectories);
    ratio.push_back(s.ratio);
    for (const Distribution* d : {&s.speed, &s.translational, &s.rotational, &s.energy, &s.height}) row(*d);
  }
  w.file().write_texts("/barriers/name", names);
  w.write("/barriers/first", first, "1");
  w.write("/barriers/points", points, "m, map coordinates", 2);
  w.write("/barriers/trajectories", trajectories, "1");
  w.write("/barriers/ratio", ratio, "1");
  w.write("/barriers/statistics", percentiles, "m/s, J, J, J, m by rows", 2 + kPercentiles.size());
  w.file().set_attribute(
      "/barriers/statistics", "rows",
      std::vector<std::string>{"speed", "energy_translational", "energy_rotational", "energy", "height"});
  w.file().set_attribute("/barriers/statistics", "columns",
                         std::vector<std::string>{"max", "mean", "p50", "p90", "p95", "p99"});

  w.file().create_group("/crossings");
  std::vector<std::uint64_t> trajectory;
  std::vector<std::uint32_t> barrier;
  std::vector<double> time, position, velocity, angular_velocity, translational, rotational, height, volume, mass;
  for (const NumberedCrossing& n : results.crossings) {
    const Crossing& c = n.crossing;
    trajectory.push_back(n.trajectory);
    barrier.push_back(c.barrier);
    time.push_back(c.time);
    add(position, study.on_map(c.position));
    add(velocity, c.velocity);
    add(angular_velocity, c.angular_velocity);
    translational.push_back(c.translational);
    rotational.push_back(c.rotational);
    height.push_back(c.height);
    volume.push_back(n.volume);
    mass.push_back(n.mass);
  }
  w.write("/crossings/trajectory", trajectory, "1");
  w.write("/crossings/barrier", barrier, "1");
  w.write("/crossings/time", time, "s");
  w.write("/crossings/position", position, "m, map coordinates", 3);
  w.write("/crossings/velocity", velocity, "m/s", 3);
  w.write("/crossings/angular_velocity", angular_velocity, "rad/s", 3);
  w.write("/crossings/energy_translational", translational, "J");
  w.write("/crossings/energy_rotational", rotational, "J");
  w.write("/crossings/height", height, "m");
  w.write("/crossings/volume", volume, "m^3");
  w.write("/crossings/mass", mass, "kg");
}

void write_statistics(Writer& w, const Results& results) {
  std::vector<double> values;
  const auto row = [&](double (*value)(const TrajectorySummary&)) {
    const Distribution d = results.over(value);
    values.insert(values.end(), {d.most, d.mean});
    values.insert(values.end(), d.percentiles.begin(), d.percentiles.end());
  };
  row([](const TrajectorySummary& s) { return s.runout(); });
  row([](const TrajectorySummary& s) { return s.energy_line_angle(); });
  row([](const TrajectorySummary& s) { return s.volume; });
  row([](const TrajectorySummary& s) { return s.speed; });
  row([](const TrajectorySummary& s) { return s.translational; });
  row([](const TrajectorySummary& s) { return s.rotational; });
  row([](const TrajectorySummary& s) { return s.height; });
  row([](const TrajectorySummary& s) { return s.time; });
  w.write("/statistics", values, "m, rad, m^3, m/s, J, J, m, s by rows", 2 + kPercentiles.size());
  w.file().set_attribute("/statistics", "rows",
                         std::vector<std::string>{"runout", "energy_line_angle", "volume", "speed",
                                                  "energy_translational", "energy_rotational", "height", "time"});
  w.file().set_attribute("/statistics", "columns", std::vector<std::string>{"max", "mean", "p50", "p90", "p95", "p99"});
}

}  // namespace

void write_study_h5(const std::string& file, const StudyFile& study, const Results& results) {
  Writer w(file);
  h5::File& f = w.file();
  f.set_attribute("/", "format", std::string("carom-rockfall"));
  f.set_attribute("/", "format_version", std::int64_t{1});
  f.set_attribute("/", "program_version", std::string(kVersion));
  f.set_attribute("/", "status", status_text(study, results));
  f.set_attribute("/", "name", study.name);
  f.set_attribute("/", "title", study.title);
  f.set_attribute("/", "seed", static_cast<std::int64_t>(study.study.seed));
  f.set_attribute("/", "trajectories_planned", static_cast<std::int64_t>(study.study.trajectories()));
  f.set_attribute("/", "fingerprint", fmt::format("{:016x}", study.fingerprint));
  f.set_attribute("/", "impact_law", study.study.law);
  f.write_text("/study", study.text);
  f.create_group("/terrain");
  const Raster& t = study.terrain;
  w.write("/terrain/heights", t.values, "m; rows from the south, NaN: no data", t.columns);
  w.write("/terrain/corner", std::vector<double>{t.x, t.y}, "m, map coordinates of the lower left corner");
  w.write("/terrain/cell", std::vector<double>{t.cell}, "m");
  f.write_text("/terrain/projection", t.projection);
  write_trajectories(w, study, results);
  write_statistics(w, results);
  write_paths(w, study, results);
  write_cells(w, study, results);
  write_barriers(w, study, results);
  write_text_file(file, f.image());
}

void check_same_study(const StudyFile& study, const std::string& folder) {
  const std::string file = folder + "/study.h5";
  const h5::File f = h5::File::open_for_reading(file);
  if (f.text_attribute("/", "fingerprint") != fmt::format("{:016x}", study.fingerprint))
    throw InputError({file, 0, 0, ""},
                     "belongs to another study: its text or one of its files has changed since; "
                     "--overwrite begins anew");
}

}  // namespace carom
