// What carom and its GDAL module say to each other. Both are built together, by one compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom {

struct GeotiffGrid {
  std::uint32_t columns = 0, rows = 0;
  double cell = 0, x = 0, y = 0;  // as in Raster
  std::string projection;
  std::vector<double> values;  // row 0 southernmost, NaN: no data
};

// Both return what went wrong, "" when nothing did.
struct GeotiffPlugin {
  std::string (*read)(const char* file, GeotiffGrid& grid);
  std::string (*write)(const char* file, const GeotiffGrid& grid);
};
inline constexpr const char* kGeotiffPlugin = "carom_geotiff_plugin";

}  // namespace carom
