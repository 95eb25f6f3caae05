#include "io/row_table.h"

#include <algorithm>

#include "base/check.h"

namespace carom {

using run_layout::Column;

// HDF5 indexes chunks by blocks that outgrow a page of memory beyond 8000 chunks; below, each update of the
// index is a write that a kill cannot split (io/hdf5_disk.h). So chunks grow before their number does.
h5::Extent chunk_extent(const Column& column, std::uint64_t bodies, std::uint64_t expected_rows) {
  constexpr std::uint64_t kSmall = 256 << 10, kLarge = 8 << 20, kManyChunks = 4000, kFewRows = 64;
  const std::uint64_t width = static_cast<std::uint64_t>(column.width);
  const std::uint64_t per_row = std::max<std::uint64_t>(1, column.per_body ? bodies : 1);
  const std::uint64_t row_bytes = per_row * width * h5::size_of(column.type);
  std::uint64_t target = kSmall;
  while (target < kLarge && row_bytes * expected_rows / target > kManyChunks) target *= 2;

  const std::uint64_t useful_rows = expected_rows > 0 ? std::max(expected_rows, kFewRows) : ~std::uint64_t{0};
  h5::Extent chunk = {std::clamp<std::uint64_t>(target / row_bytes, 1, useful_rows)};
  if (column.per_body) {
    const std::uint64_t pieces = (row_bytes + target - 1) / target;  // of one row
    chunk.push_back((per_row + pieces - 1) / pieces);
  }
  if (column.width > 1) chunk.push_back(width);
  return chunk;
}

RowTable RowTable::create(h5::File& file, const std::string& group, std::span<const Column> columns,
                          std::uint64_t bodies, std::uint64_t expected_rows) {
  RowTable table;
  for (const Column& column : columns) {
    h5::Extent extent = run_layout::row_extent(column, bodies);
    extent.insert(extent.begin(), 0);
    table.columns_.push_back(
        {file.create_appendable(group + column.name, column.type, extent, chunk_extent(column, bodies, expected_rows)),
         {}});
    file.set_attribute(group + column.name, "unit", column.unit);
  }
  return table;
}

RowTable RowTable::open(const h5::File& file, const std::string& group, std::span<const Column> columns,
                        std::uint64_t bodies) {
  RowTable table;
  for (const Column& column : columns) {
    const h5::Extent row = run_layout::row_extent(column, bodies);
    table.columns_.push_back(
        {file.open_dataset(group + column.name, column.type, static_cast<int>(row.size()) + 1), {}});
    const h5::Extent& found = table.columns_.back().data.extent();
    if (!std::equal(row.begin(), row.end(), found.begin() + 1))
      file.fail(group + column.name, "has rows of an unexpected size");
  }
  return table;
}

void RowTable::append_bytes(int column, h5::Type type, const void* values, std::size_t bytes) {
  BufferedColumn& c = columns_[static_cast<std::size_t>(column)];
  CAROM_CHECK(c.data.type() == type, "values of the column's type");
  const auto* from = static_cast<const std::byte*>(values);
  c.buffer.insert(c.buffer.end(), from, from + bytes);
}

std::uint64_t RowTable::buffered_bytes() const {
  std::uint64_t bytes = 0;
  for (const BufferedColumn& c : columns_) bytes += c.buffer.size();
  return bytes;
}

void RowTable::flush() {
  const std::uint64_t fresh = rows_ - rows_in_file_;
  for (BufferedColumn& c : columns_) {
    CAROM_CHECK(c.buffer.size() == fresh * c.data.row_elements() * h5::size_of(c.data.type()), "complete rows");
    if (fresh == 0) continue;
    if (c.data.rows() < rows_) c.data.resize_rows(rows_);
    c.data.write_rows(rows_in_file_, fresh, c.buffer.data());
    c.buffer.clear();
  }
  rows_in_file_ = rows_;
}

void RowTable::cut(std::uint64_t rows) {
  for (BufferedColumn& c : columns_) {
    c.buffer.clear();
    c.data.resize_rows(rows);
  }
  rows_ = rows_in_file_ = rows;
}

void RowTable::take_rows(std::uint64_t rows) { rows_ = rows_in_file_ = rows; }

std::size_t RowTable::check_read(int column, h5::Type type, std::uint64_t first, std::uint64_t count) const {
  const h5::Dataset& data = dataset(column);
  CAROM_CHECK(data.type() == type, "values of the column's type");
  CAROM_CHECK(first <= rows_ && count <= rows_ - first, "rows of this table");
  return static_cast<std::size_t>(count * data.row_elements());
}

void RowTable::check_rows(const h5::File& file, std::uint64_t rows) const {
  const std::uint64_t size = file.size_on_disk();
  for (const BufferedColumn& c : columns_) {
    if (c.data.rows() < rows)
      file.fail(c.data.path(), "has fewer rows than " + std::string(run_layout::kCounts) + " tells");
    const std::uint64_t elements = c.data.row_elements();
    if (rows == 0 || elements == 0) continue;
    const std::uint64_t stored = std::min(c.data.storage_bytes(), size) / h5::size_of(c.data.type());
    if (elements > stored || rows > stored / elements) file.fail(c.data.path(), "claims more rows than the file holds");
  }
}

}  // namespace carom
