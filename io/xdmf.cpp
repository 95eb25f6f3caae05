#include "io/xdmf.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/run_layout.h"
#include "io/text_file.h"

namespace carom {

namespace {

constexpr std::size_t kMostGrids = 2000;

// One frame of a dataset [frames, bodies, 3].
std::string frame_slab(const std::string& run, const char* dataset, std::size_t frame, std::size_t frames,
                       std::uint64_t bodies) {
  return fmt::format(
      "<DataItem ItemType=\"HyperSlab\" Dimensions=\"{2} 3\">"
      "<DataItem Dimensions=\"3 3\" NumberType=\"Int\" Format=\"XML\">{3} 0 0 1 1 1 1 {2} 3</DataItem>"
      "<DataItem Dimensions=\"{4} {2} 3\" NumberType=\"Float\" Precision=\"8\" "
      "Format=\"HDF\">{0}:/frames/{1}</DataItem>"
      "</DataItem>",
      run, dataset, bodies, frame, frames);
}

// A dataset [bodies] that is the same in all frames.
std::string constant(const std::string& run, const char* dataset, const char* type, int precision,
                     std::uint64_t bodies) {
  return fmt::format(
      "<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"{}\" Format=\"HDF\">{}:/bodies/{}</DataItem>", bodies,
      type, precision, run, dataset);
}

std::string grid(const std::string& run, std::size_t frame, std::size_t frames, double time, std::uint64_t bodies) {
  const std::string index = constant(run, "index", "Int", 4, bodies);
  std::string text =
      fmt::format("   <Grid Name=\"frame {}\" GridType=\"Uniform\">\n    <Time Value=\"{}\"/>\n", frame, time);
  // The connectivity is spelled out: not every reader supplies it for points.
  text += fmt::format(
      "    <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" NodesPerElement=\"1\">{}</Topology>\n", bodies,
      index);
  text += fmt::format("    <Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
                      frame_slab(run, "position", frame, frames, bodies));
  const auto attribute = [&](const char* name, const char* type, const std::string& item) {
    text += fmt::format("    <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">{}</Attribute>\n", name, type,
                        item);
  };
  attribute("body", "Scalar", index);
  attribute("radius", "Scalar", constant(run, "radius", "Float", 8, bodies));
  attribute("kind", "Scalar", constant(run, "kind", "UChar", 1, bodies));
  attribute("velocity", "Vector", frame_slab(run, "velocity", frame, frames, bodies));
  attribute("angular velocity", "Vector", frame_slab(run, "angular_velocity", frame, frames, bodies));
  return text + "   </Grid>\n";
}

}  // namespace

std::string xdmf_beside(const std::string& run_file) {
  const std::string beside = std::filesystem::path(run_file).replace_extension(".xdmf").string();
  return beside == run_file ? run_file + ".xdmf" : beside;
}

void write_xdmf(const std::string& xdmf_file, const std::string& run_name, const std::vector<double>& frame_times,
                std::uint64_t bodies) {
  const std::string run = xml_escaped(run_name);
  const std::size_t frames = frame_times.size();
  const std::size_t stride = (frames + kMostGrids - 1) / kMostGrids;
  std::string text =
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n <Domain>\n"
      "  <Grid Name=\"bodies\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  if (stride > 1) text += fmt::format("   <!-- every {}th of {} frames, and the last -->\n", stride, frames);
  for (std::size_t i = 0; i < frames; ++i)
    if (i % stride == 0 || i + 1 == frames) text += grid(run, i, frames, frame_times[i], bodies);
  text += "  </Grid>\n </Domain>\n</Xdmf>\n";
  write_text_file(xdmf_file, text);
}

}  // namespace carom
