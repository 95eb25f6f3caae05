// Columns of a run file that are written once; for io/run_statics.cpp and io/run_structure.cpp only.
#pragma once

#include <string>
#include <vector>

#include "io/run_layout.h"

namespace carom {

// A dataset with `width` numbers per row, and its unit.
template <class T>
void write_column(h5::File& file, const std::string& path, const std::vector<T>& values, h5::Extent row,
                  const char* unit) {
  std::uint64_t width = 1;
  for (std::uint64_t k : row) width *= k;
  h5::Extent extent = {values.size() / width};
  extent.insert(extent.end(), row.begin(), row.end());
  h5::Dataset dataset = file.create_dataset(path, h5::TypeOf<T>::value, extent);
  dataset.write_rows(0, dataset.rows(), values.data());
  file.set_attribute(path, "unit", unit);
}

template <class Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(last); ++k) names.emplace_back(name_of(static_cast<Enum>(k)));
  return names;
}

// Reads a whole column of `rows` rows.
template <class T>
std::vector<T> read_column(const h5::File& file, const std::string& path, std::uint64_t rows, std::uint64_t width = 1) {
  const h5::Dataset dataset = file.open_dataset(path, h5::TypeOf<T>::value, width > 1 ? 2 : 1);
  if (dataset.rows() != rows || dataset.row_elements() != width) file.fail(path, "has an unexpected size");
  if (dataset.storage_bytes() / sizeof(T) < rows * width) file.fail(path, "claims more rows than the file holds");
  std::vector<T> values(rows * width);
  dataset.read_rows(0, rows, values.data());
  return values;
}

}  // namespace carom
