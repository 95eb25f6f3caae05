// carom export: a run as tables, for ParaView, or as a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "app/command.h"
#include "base/error.h"
#include "io/export.h"
#include "io/run_tables.h"

namespace carom {

namespace {

struct ExportArguments {
  std::string run;
  std::string format = "csv";
  std::string what;
  std::string output;
  std::int64_t frame = -1;
  std::string view;
  bool thrust = false;
  bool vtk = false;
  bool what_given = false;
  bool frame_given = false;
};

std::string default_output(const ExportArguments& arguments) {
  std::filesystem::path file = arguments.run;
  if (arguments.format == "csv") return file.replace_extension().string() + "_" + arguments.what + ".csv";
  return file.replace_extension(arguments.format == "vtk" ? "pvd" : arguments.format).string();
}

void check_arguments(const ExportArguments& arguments, const std::string& output) {
  if (arguments.what_given && arguments.format != "csv") throw InputError("--what is for --format csv only");
  if (arguments.format != "svg")
    for (const auto& [given, option] : {std::pair{arguments.frame_given, "--frame"},
                                        {!arguments.view.empty(), "--view"},
                                        {arguments.thrust, "--thrust"}})
      if (given) throw InputError(fmt::format("{} is for --format svg only", option));
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.run, output, ignored))
    throw InputError({output, 0, 0, ""}, "is the run itself; name another file");
}

// The direction of sight: a word, or three numbers.
Vec3 sight_of(const std::string& view) {
  if (view == "front") return {0, 1, 0};
  if (view == "side") return {-1, 0, 0};
  if (view == "top") return {0, 0, -1};
  Vec3 sight;
  char end = 0;
  const int read = std::sscanf(view.c_str(), "%lf,%lf,%lf%c", &sight.x(), &sight.y(), &sight.z(), &end);
  if (read != 3 || !sight.allFinite() || sight.isZero())
    throw InputError(fmt::format("--view {} is neither front, side or top nor a direction x,y,z", view));
  return sight;
}

int export_system(const ExportArguments& arguments, const std::string& output) {
  if (arguments.format != "csv")
    throw InputError(
        fmt::format("{} is the run of a system in generalized coordinates: it goes to csv only", arguments.run));
  const SystemRunReader run(arguments.run);
  if (arguments.what == "contacts")
    export_csv_contacts(run, output);
  else if (arguments.what == "diagnostics")
    export_csv_diagnostics(run.diagnostics(), output);
  else if (arguments.what == "coordinates")
    export_csv_coordinates(run, output);
  else
    throw InputError("a run of a system has no bodies; --what coordinates, contacts or diagnostics");
  fmt::print("wrote {}\n", output);
  return kSuccess;
}

int run_export(ExportArguments arguments) {
  const bool system = run_kind(arguments.run) == "system";
  if (!arguments.what_given) arguments.what = system ? "coordinates" : "bodies";
  if (!system && arguments.what == "coordinates")
    throw InputError("a run of bodies has no coordinates; --what bodies, contacts, joints, interfaces or diagnostics");
  const std::string output = arguments.output.empty() ? default_output(arguments) : arguments.output;
  check_arguments(arguments, output);
  if (system) return export_system(arguments, output);
  const RunReader run(arguments.run);
  if (arguments.format == "vtk") {
    const std::vector<std::string> files = export_vtk(run, output);
    fmt::print("wrote {} (bodies) and {} (contact forces), {} frames\n", files[0], files[1], run.frame_count());
    return kSuccess;
  }
  if (arguments.format == "xdmf") {
    export_xdmf(run, arguments.run, output);
  } else if (arguments.format == "svg") {
    PictureOptions picture;
    picture.frame = arguments.frame;
    if (!arguments.view.empty()) picture.view = sight_of(arguments.view);
    picture.thrust = arguments.thrust;
    if (picture.thrust && run.interfaces().empty())
      throw InputError({arguments.run, 0, 0, ""}, "has no thrust to show: its scene has no [interfaces]");
    export_svg(run, picture, output);
  } else if (arguments.what == "contacts") {
    export_csv_contacts(run, output);
  } else if (arguments.what == "diagnostics") {
    export_csv_diagnostics(run.diagnostics(), output);
  } else if (arguments.what == "joints") {
    if (run.joints().empty()) throw InputError({arguments.run, 0, 0, ""}, "is a run without joints");
    export_csv_joints(run, output);
  } else if (arguments.what == "interfaces") {
    if (run.interfaces().empty())
      throw InputError({arguments.run, 0, 0, ""}, "is a run without interfaces: its scene has no [interfaces]");
    export_csv_interfaces(run, output);
  } else {
    export_csv_bodies(run, output);
  }
  fmt::print("wrote {}\n", output);
  return kSuccess;
}

}  // namespace

void add_export_command(CLI::App& program, Action& chosen) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      program.add_subcommand("export", "Write a run as tables (csv), for ParaView (vtk, xdmf) or as a picture (svg)");
  command->add_option("RUN", arguments->run, "Run file")->required();
  command->add_option("--format", arguments->format, "csv, vtk, xdmf or svg (default: csv)")
      ->check(CLI::IsMember({"csv", "vtk", "xdmf", "svg"}));
  command->add_flag("--vtk", arguments->vtk,
                    "The same as --format vtk: true geometry and contact forces, a .pvd to open");
  CLI::Option* what =
      command
          ->add_option("--what", arguments->what,
                       "Table of csv: bodies (of a system: coordinates), contacts, joints, interfaces or diagnostics "
                       "(default: the first)")
          ->check(CLI::IsMember({"bodies", "coordinates", "contacts", "joints", "interfaces", "diagnostics"}));
  CLI::Option* frame =
      command->add_option("--frame", arguments->frame, "Frame of the picture, from 0 (default: the last)")
          ->check(CLI::NonNegativeNumber);
  command->add_option("--view", arguments->view,
                      "Direction of sight of the picture: front (along y), side, top, or x,y,z (default: -1,-2,-0.8)");
  command->add_flag("--thrust", arguments->thrust,
                    "Mark in the picture where the thrust passes each interface, and hinges by rings");
  command->add_option("-o,--output", arguments->output, "File to write (default: named after the run, beside it)");
  command->footer(
      "Examples:\n  carom export pile.h5 --format csv --what contacts\n  carom export pile.h5 --vtk\n"
      "  carom export pile.h5 --format svg --frame 0 -o start.svg\n"
      "  carom export arch.h5 --format svg --view front --thrust");
  command->callback([arguments, what, frame, &chosen] {
    if (arguments->vtk) arguments->format = "vtk";
    arguments->what_given = what->count() > 0;
    arguments->frame_given = frame->count() > 0;
    chosen = [arguments] { return run_export(*arguments); };
  });
}

}  // namespace carom
