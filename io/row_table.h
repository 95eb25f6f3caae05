// A table of a run file: appendable datasets that grow together. Rows gather in memory until flush().
#pragma once

#include "io/run_layout.h"

namespace carom {

class RowTable {
 public:
  RowTable() = default;
  // `expected_rows` (0: unknown) only chooses the size of chunks.
  static RowTable create(h5::File& file, const std::string& group, std::span<const run_layout::Column> columns,
                         std::uint64_t bodies, std::uint64_t expected_rows);
  static RowTable open(const h5::File& file, const std::string& group, std::span<const run_layout::Column> columns,
                       std::uint64_t bodies);

  // Adds elements to one column; a row is complete when every column has got its elements.
  template <class T>
  void append(int column, const T* values, std::size_t count) {
    append_bytes(column, h5::TypeOf<T>::value, values, count * sizeof(T));
  }
  template <class T>
  void append(int column, const T& value) {
    append(column, &value, 1);
  }
  void end_rows(std::uint64_t count) { rows_ += count; }

  std::uint64_t rows() const { return rows_; }  // in the file and in memory
  std::uint64_t buffered_bytes() const;
  void flush();                        // memory to file
  void cut(std::uint64_t rows);        // forgets all rows from here on, in memory and in the file
  void take_rows(std::uint64_t rows);  // counts as many rows as valid; the file may hold more

  const h5::Dataset& dataset(int column) const { return columns_[static_cast<std::size_t>(column)].data; }
  // Rows of one column into `out`, which is resized. Throws InputError when the file does not hold them.
  template <class T>
  void read(int column, std::uint64_t first, std::uint64_t count, std::vector<T>& out) const {
    out.resize(check_read(column, h5::TypeOf<T>::value, first, count));
    dataset(column).read_rows(first, count, out.data());
  }

  // Throws InputError through `file` unless every column really holds `rows` rows: an extent is only a claim.
  void check_rows(const h5::File& file, std::uint64_t rows) const;

 private:
  struct BufferedColumn {
    h5::Dataset data;
    std::vector<std::byte> buffer;
  };
  void append_bytes(int column, h5::Type type, const void* values, std::size_t bytes);
  std::size_t check_read(int column, h5::Type type, std::uint64_t first, std::uint64_t count) const;

  std::vector<BufferedColumn> columns_;
  std::uint64_t rows_ = 0;
  std::uint64_t rows_in_file_ = 0;
};

// Rows and bodies per chunk: a few hundred kB, more when there would be thousands of chunks.
h5::Extent chunk_extent(const run_layout::Column& column, std::uint64_t bodies, std::uint64_t expected_rows);

}  // namespace carom
