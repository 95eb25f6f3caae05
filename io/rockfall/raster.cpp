#include "io/rockfall/raster.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "io/rockfall/geotiff.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::uint64_t kMostCells = 1u << 28;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30;
constexpr double kNoData = -9999;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Words of a text with the lines they stand on.
class Words {
 public:
  Words(const std::string& text, const std::string& file) : text_(text), file_(file) {}
  std::string_view next() {
    while (at_ < text_.size() && space(text_[at_])) line_ += text_[at_++] == '\n';
    const std::size_t begin = at_;
    while (at_ < text_.size() && !space(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }
  void back(std::string_view word) { at_ -= word.size(); }
  double number(std::string_view word, const std::string& what) const {
    double value = 0;
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      fail(what, word.empty() ? "the file ends where a number is due" : "is not a number",
           std::string(word.substr(0, 40)));
    return value;
  }
  [[noreturn]] void fail(const std::string& what, const std::string& problem, const std::string& value = {}) const {
    throw InputError({file_, line_, 0, what}, problem, value);
  }
  int line() const { return line_; }

 private:
  static bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

struct Header {
  std::optional<double> ncols, nrows, cellsize, dx, dy, x_corner, x_center, y_corner, y_center, nodata;
};

Header read_header(Words& words) {
  Header h;
  const std::pair<const char*, std::optional<double> Header::*> keys[] = {
      {"ncols", &Header::ncols},
      {"nrows", &Header::nrows},
      {"cellsize", &Header::cellsize},
      {"xllcorner", &Header::x_corner},
      {"xllcenter", &Header::x_center},
      {"yllcorner", &Header::y_corner},
      {"yllcenter", &Header::y_center},
      {"nodata_value", &Header::nodata},
      {"dx", &Header::dx},
      {"dy", &Header::dy},
  };
  while (true) {
    const std::string_view word = words.next();
    const bool letter = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    const std::string name = lower(std::string(word));
    if (!letter || name == "nan") {
      words.back(word);
      return h;
    }
    const auto* key = std::find_if(std::begin(keys), std::end(keys), [&](const auto& k) { return name == k.first; });
    if (key == std::end(keys))
      words.fail("header",
                 "unknown key; an ESRI ASCII grid has ncols, nrows, xllcorner or xllcenter, yllcorner or "
                 "yllcenter, cellsize and NODATA_value",
                 std::string(word.substr(0, 40)));
    if (h.*(key->second)) words.fail(name, "is given twice");
    h.*(key->second) = words.number(words.next(), name);
  }
}

std::uint32_t count_of(const Words& words, const std::optional<double>& value, const char* name) {
  if (!value) words.fail(name, "is missing from the header");
  if (!(*value >= 1) || *value != std::floor(*value) || *value > 1e6)
    words.fail(name, "must be a whole number in [1, 1000000]", fmt::format("{:g}", *value));
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

Raster parse_ascii_grid(const std::string& text, const std::string& file) {
  Words words(text, file);
  const Header h = read_header(words);
  Raster raster;
  raster.file = file;
  raster.columns = count_of(words, h.ncols, "ncols");
  raster.rows = count_of(words, h.nrows, "nrows");
  if (std::uint64_t{raster.columns} * raster.rows > kMostCells)
    words.fail("header", fmt::format("more than {} cells", kMostCells),
               fmt::format("{} x {}", raster.columns, raster.rows));
  if (h.dx && h.dy && *h.dx != *h.dy)
    words.fail("dx", "cells must be square", fmt::format("{:g} x {:g}", *h.dx, *h.dy));
  const std::optional<double> cell = h.cellsize ? h.cellsize : h.dx;
  if (!cell) words.fail("cellsize", "is missing from the header");
  if (!(*cell > 0) || !std::isfinite(*cell)) words.fail("cellsize", "must be > 0", fmt::format("{:g}", *cell));
  raster.cell = *cell;
  const auto corner = [&](const auto& at_corner, const auto& at_centre, const char* name) {
    if (at_corner && at_centre) words.fail(name, "is given as corner and as center");
    if (!at_corner && !at_centre) words.fail(name, "is missing from the header");
    const double value = at_corner ? *at_corner : *at_centre - 0.5 * *cell;
    if (!std::isfinite(value)) words.fail(name, "must be finite");
    return value;
  };
  raster.x = corner(h.x_corner, h.x_center, "xllcorner");
  raster.y = corner(h.y_corner, h.y_center, "yllcorner");
  const double nodata = h.nodata.value_or(kNoData);
  raster.values.resize(std::size_t{raster.columns} * raster.rows);
  for (std::uint32_t row = 0; row < raster.rows; ++row)
    for (std::uint32_t i = 0; i < raster.columns; ++i) {
      const std::string_view word = words.next();
      if (word.empty())
        words.fail(
            "", fmt::format("ends after {} of {} values", std::size_t{row} * raster.columns + i, raster.values.size()));
      double value = words.number(word, fmt::format("row {}, column {}", row + 1, i + 1));
      if (value == nodata) value = std::numeric_limits<double>::quiet_NaN();
      if (std::isinf(value))
        words.fail(fmt::format("row {}, column {}", row + 1, i + 1), "must be finite", std::string(word));
      raster.values[std::size_t{raster.rows - 1 - row} * raster.columns + i] = value;
    }
  if (const std::string_view more = words.next(); !more.empty())
    words.fail("", fmt::format("has more than the {} values that ncols and nrows announce", raster.values.size()),
               std::string(more.substr(0, 40)));
  return raster;
}

std::string ascii_grid_text(const Raster& raster) {
  std::string text = fmt::format("ncols {}\nnrows {}\nxllcorner {}\nyllcorner {}\ncellsize {}\nNODATA_value {:g}\n",
                                 raster.columns, raster.rows, raster.x, raster.y, raster.cell, kNoData);
  text.reserve(text.size() + 6 * raster.values.size());
  for (std::uint32_t row = raster.rows; row-- > 0;) {
    for (std::uint32_t i = 0; i < raster.columns; ++i) {
      if (i > 0) text.push_back(' ');
      const double value = raster.at(i, row);
      if (std::isnan(value))
        text += "-9999";
      else
        fmt::format_to(std::back_inserter(text), "{:.7g}", value);
    }
    text.push_back('\n');
  }
  return text;
}

static bool is_tiff(const std::filesystem::path& file) {
  const std::string ending = lower(file.extension().string());
  return ending == ".tif" || ending == ".tiff";
}

Raster read_raster(const std::filesystem::path& file) {
  if (is_tiff(file)) return read_geotiff(file);
  return parse_ascii_grid(read_text_file(file, kMostBytes), file.string());
}

void write_raster(const std::filesystem::path& file, const Raster& raster) {
  if (is_tiff(file)) return write_geotiff(file, raster);
  write_text_file(file, ascii_grid_text(raster));
}

std::string mismatch(const Raster& a, const Raster& b) {
  if (a.columns != b.columns || a.rows != b.rows)
    return fmt::format("has {} x {} cells, the terrain {} x {}", b.columns, b.rows, a.columns, a.rows);
  if (std::abs(a.cell - b.cell) > 1e-6 * a.cell)
    return fmt::format("has cells of {} m, the terrain of {} m", b.cell, a.cell);
  if (std::abs(a.x - b.x) > 1e-3 * a.cell || std::abs(a.y - b.y) > 1e-3 * a.cell)
    return fmt::format("has its lower left corner at ({}, {}), the terrain at ({}, {})", b.x, b.y, a.x, a.y);
  return "";
}

}  // namespace carom
