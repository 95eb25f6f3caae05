// Grids of map data: terrain heights, classes of ground, results. ESRI ASCII grids (.asc) always, GeoTIFF (.tif) where
// the GDAL plugin is built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace carom {

// Cells of a map. Row 0 is the southernmost; NaN is no data.
struct Raster {
  std::uint32_t columns = 0, rows = 0;
  double cell = 0;             // m, side of a cell
  double x = 0, y = 0;         // map coordinates of the lower left corner of the lower left cell
  std::vector<double> values;  // j columns + i
  std::string projection;      // as the file says (WKT), or ""
  std::string file;            // it came from, or ""

  double at(std::uint32_t i, std::uint32_t j) const { return values[std::size_t{j} * columns + i]; }
  // Map coordinates of the centre of cell (0, 0).
  double centre_x() const { return x + 0.5 * cell; }
  double centre_y() const { return y + 0.5 * cell; }
};

// By the file's ending. Throws InputError with file and line.
Raster read_raster(const std::filesystem::path& file);
// Writes .asc or .tif by the file's ending. Throws OutputError.
void write_raster(const std::filesystem::path& file, const Raster& raster);

Raster parse_ascii_grid(const std::string& text, const std::string& file);
std::string ascii_grid_text(const Raster& raster);

// Whether two rasters have the same cells; else why not.
std::string mismatch(const Raster& a, const Raster& b);

}  // namespace carom
