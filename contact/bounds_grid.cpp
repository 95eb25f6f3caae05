#include "contact/bounds_grid.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace carom {

namespace {

// Rows are this much wider than the largest extent, against the rounding of cell coordinates.
constexpr double kCellSlack = 1.0 + 0x1p-10;
// Keeps 1/width finite for points without size.
constexpr double kSmallestCell = 1e-150;

// Colliders per unit of parallel work.
constexpr std::size_t kChunk = 8192;
constexpr std::uint32_t kNoForm = ~std::uint32_t{0};
constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

std::size_t chunks_of(std::size_t count) { return (count + kChunk - 1) / kChunk; }

template <class Body>
void each_chunk(Threads threads, std::size_t count, Body&& body) {
  parallel_for(
      threads, static_cast<std::ptrdiff_t>(chunks_of(count)),
      [&](std::ptrdiff_t c) {
        const auto chunk = static_cast<std::size_t>(c);
        body(chunk, chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
      },
      2);
}

std::uint32_t exponent_of(double value) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7FF;
}

// Binary exponent of the largest extent (11 bits), powers of 4 that x, y and z are smaller by (3 bits each), immobile.
std::uint32_t form_of(const Vec3& extent, bool mobile) {
  const std::uint32_t largest = exponent_of(2.0 * extent.maxCoeff());
  std::uint32_t form = largest;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t smaller = largest - std::min(largest, exponent_of(2.0 * extent[axis]));
    form = form << 3 | std::min(smaller / 2, 7u);
  }
  return form << 1 | (mobile ? 0u : 1u);
}

bool left_of(const BoundsGrid::Bound& p, const BoundsGrid::Bound& q) {
  return p.x != q.x ? p.x < q.x : p.collider < q.collider;
}

// Rows are short, and nearly sorted when colliders are numbered along them.
void sort_along_x(BoundsGrid::Bound* begin, BoundsGrid::Bound* end) {
  if (end - begin > 32) {
    if (!std::is_sorted(begin, end, left_of)) std::sort(begin, end, left_of);
    return;
  }
  for (BoundsGrid::Bound* next = begin + 1; next < end; ++next) {
    const BoundsGrid::Bound bound = *next;
    BoundsGrid::Bound* place = next;
    for (; place != begin && left_of(bound, place[-1]); --place) *place = place[-1];
    *place = bound;
  }
}

// Rows along one axis of the torus: all that occur, or at least 4, so that the rows on both sides of one differ.
std::uint64_t rows_needed(double inverse_width, double low, double high) {
  const std::int64_t range = BoundsGrid::cell(inverse_width, high) - BoundsGrid::cell(inverse_width, low);
  const auto most = std::min<std::uint64_t>(std::uint64_t{1} << 31, static_cast<std::uint64_t>(range) + 1);
  return range == 0 ? 1 : std::max<std::uint64_t>(4, std::bit_ceil(most));
}

}  // namespace

void BoundsGrid::Spread::include(const Spread& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  extent = extent.cwiseMax(other.extent);
  y_min = std::min(y_min, other.y_min), y_max = std::max(y_max, other.y_max);
  z_min = std::min(z_min, other.z_min), z_max = std::max(z_max, other.z_max);
  count += other.count;
}

void BoundsGrid::build(const Colliders& colliders, std::span<const Pose> poses, double margin,
                       std::span<const double> allowance, Threads threads) {
  CAROM_CHECK(poses.size() == colliders.shape.size(), "one pose per collider");
  CAROM_CHECK(allowance.empty() || allowance.size() == poses.size(), "one allowance per collider, or none");
  number_solids(colliders, threads);
  measure(colliders, poses, margin, allowance, threads);
  make_layers(threads);
  fill_rows(threads);
}

void BoundsGrid::number_solids(const Colliders& colliders, Threads threads) {
  const std::size_t n = colliders.shape.size();
  chunk_solid_.resize(chunks_of(n));
  each_chunk(threads, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::uint32_t solids = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const Shape& shape = colliders.shape[k];
      solids += shape.bounded() && shape.kind != ShapeKind::Sphere ? 1 : 0;
    }
    chunk_solid_[chunk] = solids;
  });
  std::uint32_t total = 0;
  for (std::uint32_t& first : chunk_solid_) total += std::exchange(first, total);
  solids_.resize(total);
}

void BoundsGrid::measure(const Colliders& colliders, std::span<const Pose> poses, double margin,
                         std::span<const double> allowance, Threads threads) {
  const std::size_t n = poses.size();
  measured_.resize(n);
  form_.resize(n);
  each_chunk(threads, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    std::uint32_t next_solid = chunk_solid_[chunk];
    for (std::size_t k = begin; k < end; ++k) {
      const Shape& shape = colliders.shape[k];
      form_[k] = kNoForm;
      if (!shape.bounded()) continue;
      const bool round = shape.kind == ShapeKind::Sphere;
      const std::uint32_t solid = round ? kRound : next_solid++;
      if (colliders.alive[k] == 0) continue;
      const double growth = 0.5 * margin + (allowance.empty() ? 0.0 : allowance[k]);
      Bound& bound = measured_[k];
      if (round) {
        const Vec3& at = poses[k].position;
        bound = {at.x(), at.y(), at.z(), shape.radius + growth, static_cast<std::uint32_t>(k), kRound};
      } else {
        SolidBounds& s = solids_[solid] = bounds_of(shape, poses[k]);
        s.radius += growth;
        s.extent.array() += growth;
        s.half.array() += growth;
        bound = {s.centre.x(), s.centre.y(), s.centre.z(), s.radius, static_cast<std::uint32_t>(k), solid};
      }
      // A sum is finite only if all are, unless sizes overflow: then it is left out as well.
      const Vec3 extent = extent_of(bound);
      if (!std::isfinite(bound.x) || !std::isfinite(bound.y) || !std::isfinite(bound.z) ||
          !std::isfinite(2.0 * bound.radius) || !extent.allFinite())
        continue;
      form_[k] = form_of(extent, colliders.mobile[k] != 0);
    }
  });
}

void BoundsGrid::make_layers(Threads threads) {
  const std::size_t n = form_.size();
  // The forms that occur, increasing: few, and mostly that of the collider before.
  forms_.clear();
  std::uint32_t last = kNoForm;
  for (const std::uint32_t form : form_) {
    if (form == last || form == kNoForm) continue;
    last = form;
    const auto place = std::lower_bound(forms_.begin(), forms_.end(), form);
    if (place == forms_.end() || *place != form) forms_.insert(place, form);
  }

  layer_.resize(n);
  spread_.assign(chunks_of(n) * forms_.size(), Spread{});
  each_chunk(threads, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    Spread* spread = spread_.data() + chunk * forms_.size();
    for (std::size_t k = begin; k < end; ++k) {
      if (form_[k] == kNoForm) continue;
      const Bound& b = measured_[k];
      const auto found = std::lower_bound(forms_.begin(), forms_.end(), form_[k]);
      layer_[k] = static_cast<std::uint16_t>(found - forms_.begin());
      spread[layer_[k]].include({extent_of(b), b.y, b.y, b.z, b.z, 1});
    }
  });

  layers_.clear();
  std::uint32_t rows = 0;
  for (std::size_t l = 0; l < forms_.size(); ++l) {
    Spread all;
    for (std::size_t chunk = 0; chunk < chunks_of(n); ++chunk) all.include(spread_[chunk * forms_.size() + l]);
    layers_.push_back({.mobile = forms_[l] % 2 == 0, .first_row = rows});
    size_layer(all, layers_.back());
    rows += layers_.back().ny * layers_.back().nz;
  }
}

void BoundsGrid::size_layer(const Spread& spread, Layer& layer) {
  layer.extent = spread.extent;
  layer.count = spread.count;
  layer.inverse_cell_y = 1.0 / std::max(kSmallestCell, 2.0 * spread.extent.y() * kCellSlack);
  layer.inverse_cell_z = 1.0 / std::max(kSmallestCell, 2.0 * spread.extent.z() * kCellSlack);
  std::uint64_t ny = rows_needed(layer.inverse_cell_y, spread.y_min, spread.y_max);
  std::uint64_t nz = rows_needed(layer.inverse_cell_z, spread.z_min, spread.z_max);
  // Not many more rows than there are bounds; both axes keep at least 4, or 1.
  const std::uint64_t most = std::max<std::uint64_t>(16, std::bit_ceil(2 * std::uint64_t{spread.count}));
  while (ny * nz > most && std::max(ny, nz) > 4) (ny > nz ? ny : nz) /= 2;
  layer.ny = static_cast<std::uint32_t>(ny);
  layer.nz = static_cast<std::uint32_t>(nz);
}

void BoundsGrid::fill_rows(Threads threads) {
  const std::size_t n = form_.size();
  const std::size_t rows = layers_.empty() ? 0 : layers_.back().first_row + layers_.back().ny * layers_.back().nz;
  row_.resize(n);
  each_chunk(threads, n, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      row_[k] = kNoRow;
      if (form_[k] == kNoForm) continue;
      const Layer& layer = layers_[layer_[k]];
      row_[k] = row(layer, cell(layer.inverse_cell_y, measured_[k].y), cell(layer.inverse_cell_z, measured_[k].z));
    }
  });
  const auto visit = [&](std::size_t chunk, auto&& f) {
    const std::size_t end = std::min(n, (chunk + 1) * kChunk);
    for (std::size_t k = chunk * kChunk; k < end; ++k)
      if (row_[k] != kNoRow) f(static_cast<std::uint32_t>(k));
  };
  sorter_.sort(
      threads, chunks_of(n), visit, rows, [&](std::uint32_t k) { return row_[k]; }, order_, row_begin_);

  bounds_.resize(order_.size());
  parallel_for(threads, static_cast<std::ptrdiff_t>(rows), [&](std::ptrdiff_t r) {
    const auto row = static_cast<std::size_t>(r);
    for (std::uint32_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) bounds_[i] = measured_[order_[i]];
    sort_along_x(bounds_.data() + row_begin_[row], bounds_.data() + row_begin_[row + 1]);
  });
}

std::uint32_t BoundsGrid::row_of(std::uint32_t bound) const {
  const auto after = std::upper_bound(row_begin_.begin(), row_begin_.end(), bound);
  return static_cast<std::uint32_t>(after - row_begin_.begin()) - 1;
}

std::uint32_t BoundsGrid::layer_of(std::uint32_t row) const {
  std::uint32_t layer = 0;
  while (layer + 1 < layers_.size() && layers_[layer + 1].first_row <= row) ++layer;
  return layer;
}

}  // namespace carom
