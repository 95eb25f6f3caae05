// One VTK polydata file (.vtp): arrays appended as zlib blocks. ParaView and VTK read them.
#pragma once

#include <string>

#include "io/packed_bytes.h"

namespace carom {

// An array as the file holds it, compressed once: what does not change from frame to frame is not compressed again.
struct VtkArray {
  std::string name, type;  // "Float32", "Int32", ...
  int components = 1;
  Bytes data;  // with the header of its blocks

  template <class T>
  static VtkArray of(const std::string& name, const std::vector<T>& values, int components = 1) {
    return {name, type_name(values), components, packed(bytes_of(values))};
  }

 private:
  static std::string type_name(const std::vector<float>&) { return "Float32"; }
  static std::string type_name(const std::vector<double>&) { return "Float64"; }
  static std::string type_name(const std::vector<std::int32_t>&) { return "Int32"; }
  static std::string type_name(const std::vector<std::uint8_t>&) { return "UInt8"; }
  static Bytes packed(std::span<const std::uint8_t> bytes);
};

struct VtkPolyData {
  std::size_t points = 0, vertices = 0, polygons = 0;  // counts; vertices and polygons are cells
  const VtkArray* place = nullptr;
  const VtkArray* connectivity = nullptr;  // of the vertices or of the polygons
  const VtkArray* offsets = nullptr;
  std::vector<const VtkArray*> point_data, cell_data;
};

std::string vtk_text(const VtkPolyData& data);

}  // namespace carom
