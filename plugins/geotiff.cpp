#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>

#include <cmath>
#include <limits>

#include "io/rockfall/geotiff_plugin.h"

namespace carom {

namespace {

constexpr double kNoData = -9999;

std::string last_error(const std::string& otherwise) {
  const std::string text = CPLGetLastErrorMsg();
  return text.empty() ? otherwise : text;
}

class Data {
 public:
  explicit Data(GDALDatasetH handle) : handle_(handle) {}
  ~Data() { close(); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  GDALDatasetH get() const { return handle_; }
  void close() {
    if (handle_ != nullptr) GDALClose(handle_);
    handle_ = nullptr;
  }

 private:
  GDALDatasetH handle_;
};

void start() {
  static const bool once = [] {
    GDALAllRegister();
    CPLSetErrorHandler(CPLQuietErrorHandler);
    return true;
  }();
  (void)once;
  CPLErrorReset();
}

std::string read(const char* file, GeotiffGrid& grid) {
  start();
  const Data data(GDALOpen(file, GA_ReadOnly));
  if (data.get() == nullptr) return last_error("cannot be read");
  double g[6];
  if (GDALGetGeoTransform(data.get(), g) != CE_None) return "has no georeference";
  if (g[2] != 0 || g[4] != 0) return "is turned: its rows must run from west to east";
  if (!(g[1] > 0) || !(g[5] < 0) || std::abs(g[1] + g[5]) > 1e-9 * g[1]) return "its cells must be square, north up";
  if (GDALGetRasterCount(data.get()) < 1) return "has no band";
  const int columns = GDALGetRasterXSize(data.get()), rows = GDALGetRasterYSize(data.get());
  const GDALRasterBandH band = GDALGetRasterBand(data.get(), 1);
  int has_nodata = 0;
  const double nodata = GDALGetRasterNoDataValue(band, &has_nodata);
  grid.columns = static_cast<std::uint32_t>(columns);
  grid.rows = static_cast<std::uint32_t>(rows);
  grid.cell = g[1];
  grid.x = g[0];
  grid.y = g[3] + rows * g[5];
  grid.projection = GDALGetProjectionRef(data.get());
  grid.values.resize(std::size_t{grid.columns} * grid.rows);
  for (int row = 0; row < rows; ++row) {
    double* to = grid.values.data() + static_cast<std::size_t>(rows - 1 - row) * grid.columns;
    if (GDALRasterIO(band, GF_Read, 0, row, columns, 1, to, columns, 1, GDT_Float64, 0, 0) != CE_None)
      return last_error("could not be read to its end");
    for (int i = 0; i < columns; ++i)
      if ((has_nodata != 0 && to[i] == nodata) || std::isinf(to[i])) to[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return "";
}

std::string write(const char* file, const GeotiffGrid& grid) {
  start();
  const GDALDriverH driver = GDALGetDriverByName("GTiff");
  if (driver == nullptr) return "this GDAL writes no GeoTIFF";
  char compress[] = "COMPRESS=DEFLATE";
  char* options[] = {compress, nullptr};
  const int columns = static_cast<int>(grid.columns), rows = static_cast<int>(grid.rows);
  Data data(GDALCreate(driver, file, columns, rows, 1, GDT_Float32, options));
  if (data.get() == nullptr) return last_error("cannot be created");
  double g[6] = {grid.x, grid.cell, 0, grid.y + grid.cell * rows, 0, -grid.cell};
  GDALSetGeoTransform(data.get(), g);
  if (!grid.projection.empty()) GDALSetProjection(data.get(), grid.projection.c_str());
  const GDALRasterBandH band = GDALGetRasterBand(data.get(), 1);
  GDALSetRasterNoDataValue(band, kNoData);
  std::vector<double> line(grid.columns);
  for (int row = 0; row < rows; ++row) {
    const double* from = grid.values.data() + static_cast<std::size_t>(rows - 1 - row) * grid.columns;
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = std::isnan(from[i]) ? kNoData : from[i];
    if (GDALRasterIO(band, GF_Write, 0, row, columns, 1, line.data(), columns, 1, GDT_Float64, 0, 0) != CE_None)
      return last_error("could not be written");
  }
  data.close();
  return CPLGetLastErrorType() >= CE_Failure ? last_error("could not be written") : "";
}

}  // namespace

}  // namespace carom

extern "C" const carom::GeotiffPlugin carom_geotiff_plugin;
const carom::GeotiffPlugin carom_geotiff_plugin = {carom::read, carom::write};
