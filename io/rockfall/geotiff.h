// GeoTIFF through GDAL. GDAL brings a hundred libraries, so that it is a plugin: loaded when a .tif is named, by nobody
// else. Without the plugin both throw and say what to install.
#pragma once

#include "io/rockfall/raster.h"

namespace carom {

bool geotiff_available();
Raster read_geotiff(const std::filesystem::path& file);
void write_geotiff(const std::filesystem::path& file, const Raster& raster);

}  // namespace carom
