// [terrain]: a raster file, or a slope made from a profile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/rockfall/streams.h"
#include "io/rockfall/study_parts.h"

namespace carom {

namespace {

// A slope that falls along +x after a profile, with a channel along it, smooth bumps and rough samples.
struct SlopeShape {
  std::vector<Vec2> profile;  // (x, z), x increasing
  double smooth = 0;          // m: the profile is averaged over this length
  bool channel = false;
  double channel_y = 0, channel_depth = 0, channel_width = 1;
  double channel_from = -INFINITY, channel_to = INFINITY;
  double meander = 0, meander_length = 100;
  double bump_height = 0, bump_length = 20;
  double rough = 0;
  double gully = 0;  // cross slope: z rises by this per m away from the middle
};

double along_profile(const std::vector<Vec2>& profile, double x) {
  if (x <= profile.front().x()) return profile.front().y();
  for (std::size_t k = 1; k < profile.size(); ++k) {
    if (x > profile[k].x()) continue;
    const Vec2 &p = profile[k - 1], &q = profile[k];
    return p.y() + (x - p.x()) / (q.x() - p.x()) * (q.y() - p.y());
  }
  return profile.back().y();
}

double smoothed(const SlopeShape& s, double x) {
  if (s.smooth == 0) return along_profile(s.profile, x);
  constexpr int kParts = 16;
  double sum = 0;
  for (int k = 0; k < kParts; ++k) sum += along_profile(s.profile, x + s.smooth * ((k + 0.5) / kParts - 0.5));
  return sum / kParts;
}

// Smooth noise in [-1, 1]: random values on a grid, joined by cubic ramps.
double noise(std::uint64_t seed, double x, double y) {
  const double i = std::floor(x), j = std::floor(y), u = x - i, v = y - j;
  const auto value = [&](double a, double b) {
    const auto number = static_cast<std::uint64_t>(static_cast<std::int64_t>(a) + (1 << 24)) << 26 |
                        static_cast<std::uint64_t>(static_cast<std::int64_t>(b) + (1 << 24));
    return rockfall::stream_of(seed, rockfall::Purpose::Terrain, number).uniform(-1, 1);
  };
  const double a = u * u * (3 - 2 * u), b = v * v * (3 - 2 * v);
  return (1 - b) * ((1 - a) * value(i, j) + a * value(i + 1, j)) +
         b * ((1 - a) * value(i, j + 1) + a * value(i + 1, j + 1));
}

double height_at(const SlopeShape& s, std::uint64_t seed, double x, double y, double middle) {
  double z = smoothed(s, x) + s.gully * std::abs(y - middle);
  if (s.channel && x >= s.channel_from && x <= s.channel_to) {
    const double off =
        (y - s.channel_y - s.meander * std::sin(2 * M_PI * x / s.meander_length)) / (0.5 * s.channel_width);
    // Fades in and out over its own width.
    const double ends = std::clamp(std::min(x - s.channel_from, s.channel_to - x) / s.channel_width, 0.0, 1.0);
    z -= s.channel_depth * ends * std::exp(-off * off);
  }
  if (s.bump_height > 0) z += s.bump_height * noise(seed, x / s.bump_length, y / s.bump_length);
  return z;
}

SlopeShape read_shape(TomlTable& t) {
  SlopeShape s;
  const TomlValue profile = t.need("profile");
  for (const TomlValue& item : profile.items()) {
    const std::vector<double> xz = item.reals(2);
    if (!s.profile.empty() && !(xz[0] > s.profile.back().x())) item.fail("x must increase along the profile");
    s.profile.emplace_back(xz[0], xz[1]);
  }
  if (s.profile.size() < 2) profile.fail_plainly("needs at least 2 points [x, z]");
  s.smooth = t.real("smooth", not_negative(), 0);
  s.gully = t.real("cross_slope", any_real(), 0);
  if (auto c = t.table("channel")) {
    s.channel = true;
    s.channel_y = c->need("y").real();
    s.channel_depth = c->need("depth").real(positive());
    s.channel_width = c->need("width").real(positive());
    s.channel_from = c->real("from", any_real(), s.profile.front().x());
    s.channel_to = c->real("to", any_real(), s.profile.back().x());
    s.meander = c->real("meander", not_negative(), 0);
    s.meander_length = c->real("meander_length", positive(), 100);
    c->finish();
  }
  if (auto b = t.table("bumps")) {
    s.bump_height = b->need("height").real(positive());
    s.bump_length = b->need("length").real(positive());
    b->finish();
  }
  s.rough = t.real("rough", not_negative(), 0);
  return s;
}

Raster make_slope(TomlTable& t, std::uint64_t seed) {
  Raster raster;
  const TomlValue size = t.need("size");
  const std::vector<double> sides = size.reals(2, positive());
  const TomlValue cell = t.need("cell");
  raster.cell = cell.real(positive());
  for (const double side : sides)
    if (side / raster.cell < 1 || side / raster.cell > 20000)
      cell.fail(fmt::format("must give between 1 and 20000 cells along {:g} m", side));
  raster.columns = static_cast<std::uint32_t>(std::lround(sides[0] / raster.cell)) + 1;
  raster.rows = static_cast<std::uint32_t>(std::lround(sides[1] / raster.cell)) + 1;
  std::vector<double> origin = {0, 0};
  if (const auto at = t.find("origin")) origin = at->reals(2);
  // The first sample stands at the origin.
  raster.x = origin[0] - 0.5 * raster.cell;
  raster.y = origin[1] - 0.5 * raster.cell;
  const SlopeShape shape = read_shape(t);
  raster.values.reserve(std::size_t{raster.columns} * raster.rows);
  const double middle = 0.5 * (raster.rows - 1) * raster.cell;
  for (std::uint32_t j = 0; j < raster.rows; ++j) {
    RandomStream rough = rockfall::stream_of(seed, rockfall::Purpose::Terrain, (std::uint64_t{1} << 55) + j);
    for (std::uint32_t i = 0; i < raster.columns; ++i)
      raster.values.push_back(height_at(shape, seed, i * raster.cell, j * raster.cell, middle) +
                              (shape.rough > 0 ? rough.uniform(0, shape.rough) : 0.0));
  }
  return raster;
}

}  // namespace

void read_terrain(TomlTable& root, StudyDraft& draft) {
  auto section = root.table("terrain");
  if (!section) root.need("terrain");
  TomlTable& t = *section;
  Place place = t.place();
  Raster& raster = draft.result.terrain;
  t.forbid_both("file", "profile");
  t.allow("profile");
  if (t.has("file")) {
    const TomlValue file = t.need("file");
    const std::filesystem::path path = draft.folder / file.text();
    raster = read_raster(path);
    place = {path.string(), 0, 0, ""};
    for (const double z : raster.values) draft.hash.add(z);
    for (const double z : {raster.x, raster.y, raster.cell}) draft.hash.add(z);
  } else {
    raster = make_slope(t, draft.result.study.seed);
  }
  t.finish();
  at_place(place, [&] {
    draft.result.study.ground.field =
        make_height_field(raster.columns, raster.rows, raster.cell, raster.cell, raster.values);
  });
}

}  // namespace carom
