#include "io/plot/plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/packed_bytes.h"
#include "io/plot/ticks.h"
#include "io/png_image.h"
#include "io/run_quantities.h"
#include "io/shape_surface.h"

namespace carom {

namespace {

int occurrences(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

Figure figure_of(const Plot& plot) {
  Figure figure;
  figure.panels = {plot};
  return figure;
}

}  // namespace

TEST_CASE("ticks are few, round, in order and span the data") {
  for (int power = -12; power <= 12; ++power)
    for (const double low : {-3.7, 0.0, 0.1, 99.0})
      for (const double size : {0.013, 1.0, 4.9, 7.7}) {
        const double unit = std::pow(10, power);
        const TickScale scale = linear_scale(low * unit, (low + size) * unit, true, true, 6);
        CAPTURE(low * unit);
        CAPTURE(size * unit);
        // A tick may differ from its datum by rounding of either.
        const double rounding = 1e-12 * (std::abs(low) + size) * unit;
        CHECK(scale.low <= low * unit + rounding);
        CHECK(scale.high >= (low + size) * unit - rounding);
        CHECK(scale.major.size() >= 3);
        CHECK(scale.major.size() <= 14);
        CHECK(scale.labels.size() == scale.major.size());
        CHECK(std::is_sorted(scale.major.begin(), scale.major.end()));
        // No two ticks read alike.
        std::vector<std::string> labels = scale.labels;
        std::sort(labels.begin(), labels.end());
        CHECK(std::adjacent_find(labels.begin(), labels.end()) == labels.end());
      }
}

TEST_CASE("a logarithmic axis places a decade like the next and has no place for zero") {
  const TickScale scale = logarithmic_scale(3e-9, 0.2, true, true);
  CHECK(scale.low == doctest::Approx(1e-9));
  CHECK(scale.high == doctest::Approx(1.0));
  CHECK(scale.place(1e-5) - scale.place(1e-6) == doctest::Approx(scale.place(1e-3) - scale.place(1e-4)));
  CHECK(std::isnan(scale.place(0)));
  CHECK(std::count(scale.labels.begin(), scale.labels.end(), "10⁻⁹") == 1);
  CHECK(power_of_ten(12) == "10¹²");
}

TEST_CASE("axes of nothing, of one value and of values that are not finite are still axes") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const bool logarithmic : {false, true})
    for (const std::vector<double>& y : {std::vector<double>{}, {5}, {0, 0, 0}, {nan, inf, -inf}, {-1, nan, 1e300}}) {
      Plot plot{"title", {"x"}, {"y", logarithmic}};
      PlotSeries series{"s", {}, y};
      for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
      plot.series = {series};
      const std::string svg = figure_svg(figure_of(plot));
      CHECK(occurrences(svg, "nan") == 0);
      CHECK(occurrences(svg, "inf") == 0);
    }
}

TEST_CASE("a curve breaks where a value is missing") {
  Plot plot{"", {"x"}, {"y"}};
  plot.series = {{"s", {0, 1, 2, 3, 4}, {1, 2, std::nan(""), 2, 1}}};
  const std::string svg = figure_svg(figure_of(plot));
  const std::size_t curve = svg.find("class=\"curve ");
  const std::string path = svg.substr(svg.find(" d=\"", curve) + 4, 80);
  CHECK(occurrences(path.substr(0, path.find('"')), "M") == 2);
}

TEST_CASE("a histogram counts every finite value once") {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(i) * 3 + 1e-9 * i);
  values.push_back(std::nan(""));
  const PlotSeries bars = histogram("h", values);
  CHECK(std::accumulate(bars.y.begin(), bars.y.end(), 0.0) == 1000);
  CHECK(bars.x.size() == bars.y.size() + 1);
  const double width = bars.x[1] - bars.x[0];
  CHECK(round_step(width) == doctest::Approx(width));
}

TEST_CASE("thinning keeps both ends and every extreme of a curve, in order") {
  std::vector<double> values;
  for (int i = 0; i < 100000; ++i) values.push_back(std::sin(0.001 * i) + 0.1 * std::sin(17.0 * i));
  values[77777] = 50;
  values[33333] = -50;
  const std::vector<std::size_t> kept = thinned(values, 1000);
  CHECK(kept.size() <= 1004);
  CHECK(std::is_sorted(kept.begin(), kept.end()));
  CHECK(std::adjacent_find(kept.begin(), kept.end()) == kept.end());
  for (const std::size_t wanted : {std::size_t{0}, std::size_t{33333}, std::size_t{77777}, values.size() - 1})
    CHECK(std::binary_search(kept.begin(), kept.end(), wanted));
}

TEST_CASE("base64 follows the test vectors of RFC 4648") {
  const auto encoded = [](const std::string& text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  CHECK(encoded("") == "");
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foobar") == "Zm9vYmFy");
}

TEST_CASE("a raster is a PNG inside the picture, its dearest cell in the last colour") {
  Plot plot{"map", {"x"}, {"y"}};
  PlotRaster raster;
  raster.columns = 3;
  raster.rows = 2;
  raster.values = {0, 1, 2, 3, 4, std::nan("")};
  plot.raster = raster;
  const std::string svg = figure_svg(figure_of(plot));
  CHECK(occurrences(svg, "data:image/png;base64,iVBORw0KGgo") == 1);
  CHECK(hex_colour(scale_colour(ColourScale::Sequential, 1)) == "#f6e446");
}

// Sum over triangles of a . (b x c) / 6: the volume within, positive when triangles face outward.
double volume_of(const Surface& surface) {
  double volume = 0;
  for (const auto& t : surface.triangles)
    volume += surface.points[t[0]].dot(surface.points[t[1]].cross(surface.points[t[2]])) / 6;
  return volume;
}

TEST_CASE("surfaces of solids are closed, face outward and hold the solid's volume") {
  std::vector<Vec3> corners;
  for (const Vec3& p : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(-1, -1, -1), Vec3(0.8, 0.8, 0.4)})
    corners.push_back(p);
  const struct {
    Shape shape;
    double least;  // share of the volume with 48 facets around
  } cases[] = {{Shape::box({0.1, 0.2, 0.3}), 1 - 1e-12},
               {Shape::hull(corners), 1 - 1e-12},
               {Shape::sphere(0.3), 0.98},
               {Shape::capsule(0.1, 0.4), 0.98},
               {Shape::cylinder(0.2, 0.1), 0.99},
               {Shape::cone(0.2, 0.3), 0.99},
               {Shape::disk(0.5, 0.2), 0.99}};
  for (const auto& [shape, least] : cases) {
    CAPTURE(name_of(shape.kind));
    const Surface surface = surface_of(shape, 48);
    const double exact = solid_properties(shape).volume, volume = volume_of(surface);
    CHECK(volume <= exact * (1 + 1e-9));
    CHECK(volume >= exact * least);
    // Every edge is run once in each direction.
    std::vector<std::array<std::uint32_t, 2>> edges, back;
    for (const auto& t : surface.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        edges.push_back({t[k], t[(k + 1) % 3]});
        back.push_back({t[(k + 1) % 3], t[k]});
      }
    std::sort(edges.begin(), edges.end());
    std::sort(back.begin(), back.end());
    CHECK(edges == back);
    CHECK(std::adjacent_find(edges.begin(), edges.end()) == edges.end());
  }
}

}  // namespace carom
