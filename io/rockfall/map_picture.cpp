#include "io/rockfall/map_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::uint32_t kMostPixels = 640;  // along the longer side
constexpr double kWidth = 460;              // of a picture, in SVG units

using Colour = std::array<double, 3>;

// From yellow over red to violet: dark is much.
Colour heat(double t) {
  static constexpr Colour kStops[] = {{255, 245, 160}, {253, 190, 90}, {240, 110, 60}, {200, 40, 70}, {110, 10, 90}};
  const double x = std::clamp(t, 0.0, 1.0) * 4;
  const auto k = std::min<std::size_t>(static_cast<std::size_t>(x), 3);
  Colour c;
  for (std::size_t i = 0; i < 3; ++i)
    c[i] = kStops[k][i] + (x - static_cast<double>(k)) * (kStops[k + 1][i] - kStops[k][i]);
  return c;
}

// Light from the north-west, 45 degrees high.
double shade(const Raster& t, std::uint32_t i, std::uint32_t j) {
  const std::uint32_t i0 = i > 0 ? i - 1 : i, i1 = i + 1 < t.columns ? i + 1 : i;
  const std::uint32_t j0 = j > 0 ? j - 1 : j, j1 = j + 1 < t.rows ? j + 1 : j;
  const double dx = i1 > i0 ? (t.at(i1, j) - t.at(i0, j)) / ((i1 - i0) * t.cell) : 0;
  const double dy = j1 > j0 ? (t.at(i, j1) - t.at(i, j0)) / ((j1 - j0) * t.cell) : 0;
  const Vec3 n = Vec3(-dx, -dy, 1).normalized(), light = Vec3(-1, 1, 1.414).normalized();
  return std::clamp(n.dot(light), 0.0, 1.0);
}

void append32(std::string& out, std::uint32_t x) {
  for (int k = 3; k >= 0; --k) out.push_back(static_cast<char>(x >> 8 * k & 0xFF));
}

std::uint32_t crc_of(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      std::uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xEDB88320U ^ c >> 1 : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 0xFF] ^ c >> 8;
  return ~c;
}

void append_chunk(std::string& out, const std::string& name, const std::string& data) {
  append32(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = name + data;
  out += body;
  append32(out, crc_of(body));
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < 3; ++i)
      x = x << 8 | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out.push_back(k + i <= bytes.size() ? kDigits[x >> (18 - 6 * i) & 63] : '=');
  }
  return out;
}

}  // namespace

// Stored, not compressed (deflate blocks of type 0): pictures are small and need no library.
std::string png_image(std::uint32_t width, std::uint32_t height, const std::vector<std::uint8_t>& rgb) {
  std::string raw;
  for (std::uint32_t row = 0; row < height; ++row) {
    raw.push_back(0);
    raw.append(reinterpret_cast<const char*>(rgb.data()) + std::size_t{3} * width * row, std::size_t{3} * width);
  }
  std::string data("\x78\x01", 2);
  for (std::size_t at = 0; at < raw.size(); at += 65535) {
    const std::size_t n = std::min<std::size_t>(65535, raw.size() - at);
    data.push_back(at + n == raw.size() ? 1 : 0);
    for (const std::size_t x : {n, ~n}) data += {static_cast<char>(x & 0xFF), static_cast<char>(x >> 8 & 0xFF)};
    data.append(raw, at, n);
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : raw) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  append32(data, b << 16 | a);
  std::string header;
  append32(header, width);
  append32(header, height);
  header += std::string("\x08\x02\x00\x00\x00", 5);
  std::string png("\x89PNG\r\n\x1a\n", 8);
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", data);
  append_chunk(png, "IEND", "");
  return png;
}

std::string xml_escaped_lines(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += xml_escaped(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string map_picture(const StudyFile& study, const Raster& map, const std::string& unit) {
  const Raster& t = study.terrain;
  const std::uint32_t thin = std::max(1u, (std::max(t.columns, t.rows) + kMostPixels - 1) / kMostPixels);
  const std::uint32_t width = (t.columns + thin - 1) / thin, height = (t.rows + thin - 1) / thin;
  double most = 0;
  for (const double v : map.values)
    if (v > most) most = v;
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t column = 0; column < width; ++column) {
      // The largest of the cells of a pixel.
      const std::uint32_t i0 = column * thin, j1 = t.rows - 1 - std::min(row * thin, t.rows - 1);
      double value = 0;
      for (std::uint32_t i = i0; i < std::min(i0 + thin, t.columns); ++i)
        for (std::uint32_t j = j1 + 1 > thin ? j1 + 1 - thin : 0; j <= j1; ++j)
          if (map.at(i, j) > value) value = map.at(i, j);
      const bool ground = !std::isnan(t.at(i0, j1));
      const double grey = ground ? 90 + 165 * shade(t, i0, j1) : 255;
      Colour c = {grey, grey, grey};
      if (value > 0 && most > 0) {
        // Square root: rare passages stay visible beside common ones.
        const Colour hot = heat(std::sqrt(value / most));
        for (std::size_t k = 0; k < 3; ++k) c[k] = hot[k] * (0.55 + 0.45 * grey / 255);
      }
      for (std::size_t k = 0; k < 3; ++k)
        rgb[3 * (std::size_t{row} * width + column) + k] = static_cast<std::uint8_t>(std::isfinite(c[k]) ? c[k] : 255);
    }
  const double scale = kWidth / (t.columns * t.cell), tall = t.rows * t.cell * scale;
  const auto at = [&](const Vec2& local) {
    return fmt::format("{:.1f},{:.1f}", (local.x() + 0.5 * t.cell) * scale, tall - (local.y() + 0.5 * t.cell) * scale);
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<image width=\"{0:.0f}\" height=\"{2:.1f}\" "
      "preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{3}\"/>\n",
      kWidth, tall + 34, tall, base64(png_image(width, height, rgb)));
  for (const rockfall::Barrier& b : study.study.barriers) {
    std::string points;
    for (const Vec2& p : b.points) points += at(p) + " ";
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#0050c8\" stroke-width=\"2\"/>\n", points);
  }
  for (int k = 0; k < 46; ++k) {
    const Colour c = heat(k / 45.0);
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"5\" height=\"9\" fill=\"rgb({:.0f},{:.0f},{:.0f})\"/>",
                       4 + 4 * k, tall + 6, c[0], c[1], c[2]);
  }
  const std::string in = unit == "1" ? "" : " " + unit;
  svg += fmt::format(
      "\n<text x=\"4\" y=\"{0:.1f}\">0</text><text x=\"90\" y=\"{0:.1f}\" text-anchor=\"middle\">{1:.3g}</text>"
      "<text x=\"188\" y=\"{0:.1f}\" text-anchor=\"end\">{2:.3g}{3}</text>\n",
      tall + 27, 0.25 * most, most, in);
  const double bar = std::pow(10, std::floor(std::log10(0.4 * t.columns * t.cell)));
  svg += fmt::format(
      "<path d=\"M{0:.1f},{1:.1f} h{2:.1f}\" stroke=\"#222\" stroke-width=\"2\"/><text x=\"{0:.1f}\" "
      "y=\"{3:.1f}\">{4:g} m</text>\n</svg>",
      230.0, tall + 11, bar * scale, tall + 27, bar);
  return svg;
}

}  // namespace carom
