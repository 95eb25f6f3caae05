#include "io/rockfall/geotiff.h"

#include "io/plugin.h"
#include "io/rockfall/geotiff_plugin.h"

namespace carom {

namespace {

const GeotiffPlugin* plugin() {
  static const auto* const table = static_cast<const GeotiffPlugin*>(load_plugin("carom_geotiff", kGeotiffPlugin));
  return table;
}

constexpr const char* kAbsent =
    "GeoTIFF needs GDAL, which this carom was built without: install libgdal-dev and build again, or convert with "
    "gdal_translate -of AAIGrid to .asc";

}  // namespace

bool geotiff_available() { return plugin() != nullptr; }

Raster read_geotiff(const std::filesystem::path& file) {
  if (plugin() == nullptr) throw InputError({file.string(), 0, 0, ""}, kAbsent);
  Raster raster;
  raster.file = file.string();
  GeotiffGrid grid;
  const std::string problem = plugin()->read(raster.file.c_str(), grid);
  if (!problem.empty()) throw InputError({raster.file, 0, 0, ""}, problem);
  raster.columns = grid.columns;
  raster.rows = grid.rows;
  raster.cell = grid.cell;
  raster.x = grid.x;
  raster.y = grid.y;
  raster.projection = grid.projection;
  raster.values = std::move(grid.values);
  return raster;
}

void write_geotiff(const std::filesystem::path& file, const Raster& raster) {
  if (plugin() == nullptr) throw OutputError(file.string(), kAbsent);
  const GeotiffGrid grid{raster.columns, raster.rows,       raster.cell,  raster.x,
                         raster.y,       raster.projection, raster.values};
  const std::string problem = plugin()->write(file.string().c_str(), grid);
  if (!problem.empty()) throw OutputError(file.string(), problem);
}

}  // namespace carom
