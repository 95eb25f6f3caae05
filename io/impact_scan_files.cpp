// Scans as files: .csv with one row per point, .h5 with arrays shaped like the grid.
#include <fmt/format.h>

#include <filesystem>

#include "base/version.h"
#include "io/hdf5.h"
#include "io/impact_scan.h"
#include "io/table_file.h"
#include "io/text_file.h"

namespace carom {

namespace {

std::string ending_of(const std::string& file) { return std::filesystem::path(file).extension().string(); }

void write_csv(const std::string& file, const ImpactScan& scan) {
  TableFile table(file);
  std::string header;
  for (const ScanAxis& axis : scan.axes) header += csv_text(axis.name) + ",";
  for (const std::string& name : scan.coordinates) header += csv_text("v " + name) + ",";
  for (const std::string& name : scan.rows) header += csv_text("p " + name + " [N s]") + ",";
  table.row(
      "{}KER,C_KE,energy_change [J],energy_growth,kinematic_violation [m/s],kinetic_violation [N s],duration [s],"
      "events,status",
      header);
  const std::size_t coordinates = scan.coordinates.size(), rows = scan.rows.size();
  for (std::size_t i = 0; i < scan.points(); ++i) {
    std::string line;
    for (std::size_t a = 0; a < scan.axes.size(); ++a) line += fmt::format("{},", scan.axis_value(i, a));
    for (std::size_t k = 0; k < coordinates; ++k) line += fmt::format("{},", scan.velocity[i * coordinates + k]);
    for (std::size_t k = 0; k < rows; ++k) line += fmt::format("{},", scan.impulse[i * rows + k]);
    table.row("{}{},{},{},{},{},{},{},{},{}", line, scan.ker[i], scan.dispersion[i], scan.energy_change[i],
              scan.energy_growth[i], scan.kinematic_violation[i], scan.kinetic_violation[i], scan.duration[i],
              scan.events[i], name_of(static_cast<ImpactStatus>(scan.status[i])));
  }
  table.finish();
}

// An array over the grid, with `width` numbers per point when that is not 1.
template <class T>
void write_grid(h5::File& file, const std::string& name, const char* unit, const ImpactScan& scan,
                const std::vector<T>& values, std::size_t width = 1) {
  h5::Extent extent;
  for (const ScanAxis& axis : scan.axes) extent.push_back(axis.values.size());
  if (extent.empty()) extent.push_back(1);
  if (width != 1 || values.size() != scan.points()) extent.push_back(width);
  const std::string path = "/outcome/" + name;
  h5::Dataset data = file.create_dataset(path, h5::TypeOf<T>::value, extent);
  data.write_rows(0, extent.front(), values.data());
  file.set_attribute(path, "unit", unit);
}

void write_hdf5(const std::string& name, const ImpactScan& scan) {
  h5::File file = h5::File::create_in_memory(name);
  file.create_group("/scan");
  file.set_attribute("/scan", "format", "carom-scan");
  file.set_attribute("/scan", "format_version", std::int64_t{1});
  file.set_attribute("/scan", "program_version", kVersion);
  file.set_attribute("/scan", "name", scan.name);
  file.set_attribute("/scan", "system", scan.system);
  file.set_attribute("/scan", "law", scan.law);
  std::vector<std::string> axes;
  for (const ScanAxis& axis : scan.axes) axes.push_back(axis.name);
  file.write_texts("/scan/axes", axes);
  file.write_texts("/scan/coordinates", scan.coordinates);
  file.write_texts("/scan/contacts", scan.contacts);
  file.write_texts("/scan/rows", scan.rows);
  for (std::size_t a = 0; a < scan.axes.size(); ++a) {
    h5::Dataset values =
        file.create_dataset(fmt::format("/scan/values_{}", a), h5::Type::Float64, {scan.axes[a].values.size()});
    values.write_rows(0, values.rows(), scan.axes[a].values.data());
    file.set_attribute(values.path(), "axis", scan.axes[a].name);
  }
  file.create_group("/outcome");
  write_grid(file, "velocity", "coordinate/s", scan, scan.velocity, scan.coordinates.size());
  write_grid(file, "impulse", "N s", scan, scan.impulse, scan.rows.size());
  write_grid(file, "ker", "1", scan, scan.ker);
  write_grid(file, "c_ke", "1", scan, scan.dispersion);
  write_grid(file, "energy_change", "J", scan, scan.energy_change);
  write_grid(file, "energy_growth", "1", scan, scan.energy_growth);
  write_grid(file, "kinematic_violation", "m/s", scan, scan.kinematic_violation);
  write_grid(file, "kinetic_violation", "N s", scan, scan.kinetic_violation);
  write_grid(file, "duration", "s", scan, scan.duration);
  write_grid(file, "events", "1", scan, std::vector<std::int32_t>(scan.events.begin(), scan.events.end()));
  write_grid(file, "status", "1", scan, scan.status);
  std::vector<std::string> meaning;
  for (int k = 0; k <= static_cast<int>(ImpactStatus::NumericalError); ++k)
    meaning.emplace_back(name_of(static_cast<ImpactStatus>(k)));
  file.set_attribute("/outcome/status", "meaning", meaning);
  write_text_file(name, file.image());
}

}  // namespace

void check_scan_ending(const std::string& file) {
  const std::string ending = ending_of(file);
  if (ending != ".csv" && ending != ".h5" && ending != ".hdf5")
    throw InputError({file, 0, 0, ""}, "a scan is written as .csv or .h5: the ending says which");
}

void write_scan(const std::string& file, const ImpactScan& scan) {
  check_scan_ending(file);
  if (ending_of(file) == ".csv")
    write_csv(file, scan);
  else
    write_hdf5(file, scan);
}

}  // namespace carom
