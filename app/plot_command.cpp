// carom plot: quantities of a run over time, as SVG and PNG.
#include <fmt/format.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/command.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/plot/quantity_plot.h"
#include "io/run_tables.h"
#include "io/text_file.h"

extern char** environ;

namespace carom {

namespace {

struct PlotArguments {
  std::string run;
  std::vector<std::string> quantities;
  std::string output;
  bool list = false;
};

constexpr const char* kConverter = "rsvg-convert";

// Whether the converter made `png` of `svg`, at twice the size for sharp print; nothing where there is none.
std::optional<bool> convert(const std::string& svg, const std::string& png) {
  std::string program = kConverter, zoom = "--zoom=2", flag = "-o", to = png, from = svg;
  char* words[] = {program.data(), zoom.data(), flag.data(), to.data(), from.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, kConverter, nullptr, nullptr, words, environ) != 0) return {};
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127) return {};
  return WEXITSTATUS(status) == 0;
}

void list_quantities(const QuantityReader& run) {
  for (const QuantityInfo& info : run.list()) {
    const Quantity quantity = run.read(info.name);
    std::string curves;
    for (const Quantity::Curve& curve : quantity.curves) curves += (curves.empty() ? "" : ", ") + curve.name;
    fmt::print("{}", row(info.name, fmt::format("{}{}: {}", info.title, info.unit == "count" ? "" : " [" + info.unit + "]",
                                                curves.empty() ? "nothing yet" : curves)));
  }
}

int run_plot(PlotArguments arguments) {
  const QuantityReader run(arguments.run);
  if (arguments.list) {
    list_quantities(run);
    return kSuccess;
  }
  if (arguments.quantities.empty())
    for (const QuantityInfo& info : run.list())
      for (const char* usual : {"energy", "contacts", "residual", "phases", "coordinates"})
        if (info.name == usual) arguments.quantities.push_back(info.name);
  Figure figure;
  figure.note = std::filesystem::path(arguments.run).filename().string();
  for (const std::string& name : arguments.quantities) figure.panels.push_back(quantity_plot(run.read(name)));
  if (figure.panels.size() > 3) figure.columns = 2;
  if (figure.columns == 2) figure.panel_width = 480, figure.panel_height = 240;

  const std::filesystem::path stem = std::filesystem::path(arguments.run).replace_extension();
  const std::string name = arguments.quantities.size() == 1 ? arguments.quantities[0] : "plots";
  std::filesystem::path output =
      arguments.output.empty() ? stem.string() + "_" + name + ".svg" : arguments.output;
  const bool only_png = output.extension() == ".png";
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.run, output, ignored))
    throw InputError({output.string(), 0, 0, ""}, "is the run itself; name another file");
  if (!only_png && output.extension() != ".svg")
    throw InputError({output.string(), 0, 0, "--output"}, "must end in .svg or .png");
  const std::filesystem::path svg = only_png ? std::filesystem::path(output.string() + ".svg") : output;
  const std::filesystem::path png = std::filesystem::path(output).replace_extension(".png");
  write_text_file(svg, figure_svg(figure));
  const std::optional<bool> converted = convert(svg.string(), png.string());
  if (converted == false || (only_png && !converted))
    throw OutputError(png.string(), converted ? "rsvg-convert failed" : "needs rsvg-convert (package librsvg2-bin)");
  if (only_png) {
    std::filesystem::remove(svg, ignored);
    fmt::print("wrote {}\n", png.string());
  } else {
    fmt::print("wrote {}{}\n", svg.string(), converted ? " and " + png.string() : "");
  }
  return kSuccess;
}

}  // namespace

void add_plot_command(CLI::App& program, Action& chosen) {
  auto arguments = std::make_shared<PlotArguments>();
  CLI::App* command = program.add_subcommand(
      "plot", "Draw quantities of a run over time, as SVG, and as PNG where rsvg-convert is installed");
  command->add_option("RUN", arguments->run, "Run file")->required();
  command->add_option("QUANTITIES", arguments->quantities,
                      "Such as energy or contacts (default: energy contacts residual phases)");
  command->add_flag("--list", arguments->list, "Name the quantities of this run");
  command->add_option("-o,--output", arguments->output,
                      "File to write, .svg or .png (default: named after the run and the quantity, beside the run)");
  command->footer(
      "Examples:\n  carom plot pile.h5 energy\n  carom plot pile.h5 contacts iterations residual -o solver.svg\n  carom "
      "plot pile.h5 --list");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_plot(*arguments); }; });
}

}  // namespace carom
