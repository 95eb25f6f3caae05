// Exports of a run.
#pragma once

#include <string>

#include "io/run_reader.h"
#include "io/system_run_reader.h"

namespace carom {

void export_csv_bodies(const RunReader& run, const std::string& file);          // one row per frame and body
void export_csv_diagnostics(const RunDiagnostics& d, const std::string& file);  // one row per step
void export_csv_contacts(const RunReader& run, const std::string& file);        // one row per frame and contact
void export_csv_joints(const RunReader& run, const std::string& file);          // one row per frame and joint
void export_csv_interfaces(const RunReader& run, const std::string& file);      // one row per frame and interface

// Of runs of systems in generalized coordinates.
void export_csv_coordinates(const SystemRunReader& run, const std::string& file);  // one row per frame: q, v, gaps
void export_csv_contacts(const SystemRunReader& run, const std::string& file);     // one row per frame and contact

void export_xdmf(const RunReader& run, const std::string& run_file, const std::string& xdmf_file);

// True geometry for ParaView: `pvd_file`, beside it a second one with the contact forces (N, means over the step before
// the frame), and a folder with their files per frame. Returns the two files to open.
std::vector<std::string> export_vtk(const RunReader& run, const std::string& pvd_file);

// A picture of one frame in orthographic projection: spheres as shaded discs, boxes by their visible faces,
// half-spaces that face the eye as ground. The picture fits itself to the bodies.
enum class PictureColour : std::uint8_t {
  Automatic,  // Speed when something moves fast for the picture's size, else Group, else Material
  Speed,
  Group,
  Material,
};
struct PictureOptions {
  std::int64_t frame = -1;         // -1: the last
  Vec3 view = Vec3(-1, -2, -0.8);  // direction of sight
  int width = 900;                 // pixels
  PictureColour colour = PictureColour::Automatic;
  bool thrust = false;  // mark where the thrust passes each interface, hinges by rings
};
std::string svg_picture(const RunReader& run, const PictureOptions& options);
void export_svg(const RunReader& run, const PictureOptions& options, const std::string& file);

}  // namespace carom
