#include "io/vtk_file.h"

#include <fmt/format.h>

namespace carom {

Bytes VtkArray::packed(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kBlock = 1 << 20;
  // Number of blocks, size of each, size of the last when it is smaller, compressed sizes.
  std::vector<std::uint64_t> header = {(bytes.size() + kBlock - 1) / kBlock, kBlock, bytes.size() % kBlock};
  Bytes body;
  for (std::size_t first = 0; first < bytes.size(); first += kBlock) {
    const Bytes block = deflated(bytes.subspan(first, std::min(kBlock, bytes.size() - first)), 1);
    header.push_back(block.size());
    body.insert(body.end(), block.begin(), block.end());
  }
  const auto head = bytes_of(header);
  body.insert(body.begin(), head.begin(), head.end());
  return body;
}

std::string vtk_text(const VtkPolyData& data) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n";
  text += fmt::format(
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      data.points, data.vertices, data.polygons);
  std::vector<const VtkArray*> order;
  std::size_t offset = 0;
  const auto add = [&](const VtkArray& array) {
    text += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                        array.type, array.name, array.components, offset);
    offset += array.data.size();
    order.push_back(&array);
  };
  const auto section = [&](const char* name, const std::vector<const VtkArray*>& arrays) {
    text += fmt::format("<{}>\n", name);
    for (const VtkArray* array : arrays) add(*array);
    text += fmt::format("</{}>\n", name);
  };
  section("PointData", data.point_data);
  section("CellData", data.cell_data);
  section("Points", {data.place});
  section(data.vertices > 0 ? "Verts" : "Polys", {data.connectivity, data.offsets});
  text += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  for (const VtkArray* array : order)
    text.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
  return text + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace carom
