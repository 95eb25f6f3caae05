#include "io/rockfall/study_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/version.h"
#include "io/table_file.h"
#include "io/text_file.h"

namespace carom {

namespace {

using namespace rockfall;

constexpr double kDegree = M_PI / 180;

struct QuantityName {
  Quantity quantity;
  const char *name, *title, *unit;
};
constexpr QuantityName kNames[] = {
    {Quantity::Speed, "speed", "speed", "m/s"},
    {Quantity::Translational, "energy_translational", "translational energy", "J"},
    {Quantity::Rotational, "energy_rotational", "rotational energy", "J"},
    {Quantity::Height, "height", "height of the centre over the ground", "m"},
};

// The first lines of every table.
template <class Table>
void head(Table& table, const StudyFile& study, const Results& results, const char* what) {
  table.row("# carom rockfall {}, {}", study.name, what);
  table.row("# carom {}, seed {}, {} trajectories, {}", kVersion, study.study.seed, results.trajectories.size(),
            status_text(study, results));
  table.row("# SI units: m, s, m/s, rad/s, J, m^3, kg; positions in map coordinates");
}

void write_trajectories(const std::string& file, const StudyFile& study, const Results& results) {
  TableFile table(file);
  head(table, study, results, "one row per trajectory");
  table.row(
      "trajectory,release,block,volume,mass,start_x,start_y,start_z,end_x,end_y,end_z,reason,time,length,runout,"
      "energy_line_angle_deg,speed_max,energy_translational_max,energy_rotational_max,height_max,impacts,"
      "broken_stems,energy_created,worst_depth");
  for (const TrajectorySummary& t : results.trajectories) {
    const Vec3 a = study.on_map(t.start), b = study.on_map(t.end);
    table.row(
        "{},{},{},{:.9g},{:.9g},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},"
        "{:.6g},{:.6g},{:.6g},{},{},{:.4g},{:.4g}",
        t.number, csv_text(study.study.releases[t.release].name), csv_text(study.study.kinds[t.kind].name), t.volume,
        t.mass, a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), name_of(t.reason), t.time, t.length, t.runout(),
        t.energy_line_angle() / kDegree, t.speed, t.translational, t.rotational, t.height, t.impacts, t.broken_stems,
        t.created, t.worst_depth);
  }
  table.finish();
}

void write_crossings(const std::string& file, const StudyFile& study, const Results& results) {
  TableFile table(file);
  head(table, study, results, "every crossing of a barrier");
  table.row(
      "barrier,trajectory,time,x,y,z,velocity_x,velocity_y,velocity_z,speed,angular_velocity_x,angular_velocity_y,"
      "angular_velocity_z,energy_translational,energy_rotational,energy,height,volume,mass");
  for (const NumberedCrossing& n : results.crossings) {
    const Crossing& c = n.crossing;
    const Vec3 p = study.on_map(c.position);
    table.row(
        "{},{},{:.6f},{:.4f},{:.4f},{:.4f},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},"
        "{:.6g},{:.9g},{:.9g}",
        csv_text(study.study.barriers[c.barrier].name), n.trajectory, c.time, p.x(), p.y(), p.z(), c.velocity.x(),
        c.velocity.y(), c.velocity.z(), c.velocity.norm(), c.angular_velocity.x(), c.angular_velocity.y(),
        c.angular_velocity.z(), c.translational, c.rotational, c.translational + c.rotational, c.height, n.volume,
        n.mass);
  }
  table.finish();
}

void distribution_row(TableFile& table, const std::string& of, const char* quantity, const char* unit,
                      const Distribution& d) {
  std::string percentiles;
  for (const double p : d.percentiles) percentiles += fmt::format(",{:.6g}", p);
  table.row("{},{},{},{},{:.6g},{:.6g}{}", csv_text(of), quantity, unit, d.count, d.most, d.mean, percentiles);
}

void write_barriers(const std::string& file, const StudyFile& study, const Results& results) {
  TableFile table(file);
  head(table, study, results, "per barrier: of each trajectory that crosses it the largest value");
  table.row("barrier,quantity,unit,trajectories,max,mean,p50,p90,p95,p99");
  for (std::uint32_t b = 0; b < study.study.barriers.size(); ++b) {
    const BarrierSummary s = summarize_barrier(results, b);
    const std::string& name = study.study.barriers[b].name;
    table.row("{},crossing_ratio,1,{},{:.6g},,,,,", csv_text(name), s.trajectories, s.ratio);
    distribution_row(table, name, "speed", "m/s", s.speed);
    distribution_row(table, name, "energy_translational", "J", s.translational);
    distribution_row(table, name, "energy_rotational", "J", s.rotational);
    distribution_row(table, name, "energy", "J", s.energy);
    distribution_row(table, name, "height", "m", s.height);
  }
  table.finish();
}

// The share of trajectories whose runout is longer, at a hundred distances.
void write_runout(const std::string& file, const StudyFile& study, const Results& results) {
  TableFile table(file);
  head(table, study, results, "runout: horizontal distance from start to end");
  table.row("runout,count,share_farther");
  std::vector<double> runouts;
  for (const TrajectorySummary& t : results.trajectories) runouts.push_back(t.runout());
  std::sort(runouts.begin(), runouts.end());
  const double most = runouts.empty() ? 0 : runouts.back();
  constexpr int kClasses = 100;
  std::size_t before = 0;
  for (int k = 1; k <= kClasses && most > 0; ++k) {
    const double edge = most * k / kClasses;
    const auto upto =
        k == kClasses
            ? runouts.size()
            : static_cast<std::size_t>(std::upper_bound(runouts.begin(), runouts.end(), edge) - runouts.begin());
    table.row("{:.6g},{},{:.6g}", edge, upto - before,
              static_cast<double>(runouts.size() - upto) / static_cast<double>(runouts.size()));
    before = upto;
  }
  table.finish();
}

void write_geojson(const std::string& file, const StudyFile& study, const Results& results) {
  TableFile table(file);
  table.row(
      "{{\"type\": \"FeatureCollection\", \"name\": \"{}\", \"carom\": \"{}\", \"seed\": {}, \"status\": \"{}\", "
      "\"units\": \"m, s, m/s\", \"features\": [",
      study.name, kVersion, study.study.seed, status_text(study, results));
  std::size_t at = 0;
  for (std::size_t k = 0; k < results.paths.size(); ++k) {
    const NumberedPath& path = results.paths[k];
    while (results.trajectories[at].number != path.trajectory) ++at;
    const TrajectorySummary& t = results.trajectories[at];
    std::string line;
    for (const PathPoint& p : path.points) {
      const Vec3 x = study.on_map(p.position);
      line += fmt::format("{}[{:.3f}, {:.3f}, {:.3f}]", line.empty() ? "" : ", ", x.x(), x.y(), x.z());
    }
    if (path.points.size() == 1) line += ", " + line;
    table.row(
        "{{\"type\": \"Feature\", \"properties\": {{\"trajectory\": {}, \"volume\": {:.6g}, \"reason\": \"{}\", "
        "\"time\": {:.6g}, \"runout\": {:.6g}, \"speed_max\": {:.6g}}}, \"geometry\": {{\"type\": \"LineString\", "
        "\"coordinates\": [{}]}}}}{}",
        t.number, t.volume, name_of(t.reason), t.time, t.runout(), t.speed, line,
        k + 1 < results.paths.size() ? "," : "");
  }
  table.row("]}}");
  table.finish();
}

std::vector<StudyMap> list_maps() {
  std::vector<StudyMap> maps = {{"passages", "trajectories that passed", "1"},
                                {"reach_probability", "share of all trajectories that passed", "1"},
                                {"deposits", "blocks that came to rest", "1"}};
  for (const QuantityName& q : kNames) {
    maps.push_back({fmt::format("{}_max", q.name), fmt::format("{}, largest", q.title), q.unit});
    maps.push_back({fmt::format("{}_mean", q.name), fmt::format("{}, mean of trajectories", q.title), q.unit});
    for (const double p : kPercentiles)
      maps.push_back({fmt::format("{}_p{:g}", q.name, p), fmt::format("{}, {:g}th percentile", q.title, p), q.unit});
  }
  return maps;
}

}  // namespace

const std::vector<StudyMap>& study_maps() {
  static const std::vector<StudyMap> maps = list_maps();
  return maps;
}

Raster study_map(const StudyFile& study, const Results& results, const StudyMap& map) {
  Raster raster = study.raster_like_terrain();
  const CellStatistics& cells = results.cells;
  const auto index = static_cast<std::size_t>(&map - study_maps().data());
  constexpr std::size_t kPerQuantity = 2 + kPercentiles.size();
  const double all = static_cast<double>(results.trajectories.size());
  for (std::size_t c = 0; c < raster.values.size(); ++c) {
    double& value = raster.values[c];
    if (index < 3) {
      if (std::isnan(study.terrain.values[c])) continue;
      value = index == 0 ? cells.passages(c) : index == 1 ? cells.passages(c) / std::max(1.0, all) : cells.deposits(c);
      continue;
    }
    if (cells.passages(c) == 0) continue;
    const Quantity q = kNames[(index - 3) / kPerQuantity].quantity;
    const std::size_t what = (index - 3) % kPerQuantity;
    value = what == 0   ? cells.largest(c, q)
            : what == 1 ? cells.mean(c, q)
                        : cells.percentile(c, q, kPercentiles[what - 2]);
  }
  return raster;
}

std::string status_text(const StudyFile& study, const Results& results) {
  return complete(study, results)
             ? "complete"
             : fmt::format("partial: {} of {} trajectories", results.trajectories.size(), study.study.trajectories());
}

std::vector<std::string> write_study_output(const StudyFile& study, const Results& results, const std::string& folder) {
  std::vector<std::string> files;
  const auto file = [&](const std::string& name) {
    files.push_back(folder + "/" + name);
    return files.back();
  };
  write_trajectories(file("trajectories.csv"), study, results);
  if (!study.study.barriers.empty()) {
    write_crossings(file("crossings.csv"), study, results);
    write_barriers(file("barriers.csv"), study, results);
  }
  write_runout(file("runout.csv"), study, results);
  write_geojson(file("trajectories.geojson"), study, results);
  std::string units = fmt::format("# carom {}, study {}, seed {}, {}\nmap,unit,meaning\n", kVersion, study.name,
                                  study.study.seed, status_text(study, results));
  for (const StudyMap& map : study_maps()) {
    const Raster raster = study_map(study, results, map);
    write_raster(file("maps/" + map.name + ".asc"), raster);
    if (study.geotiff) write_raster(file("maps/" + map.name + ".tif"), raster);
    units += fmt::format("{},{},{}\n", map.name, map.unit, csv_text(map.title));
  }
  write_text_file(file("maps/units.csv"), units);
  write_study_h5(file("study.h5"), study, results);
  write_text_file(file("summary.html"), study_summary_page(study, results));
  write_text_file(file("summary.txt"), study_summary_text(study, results));
  return files;
}

}  // namespace carom
