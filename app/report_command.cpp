// carom report: a run, or a rockfall study, as one HTML page that opens offline.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/command.h"
#include "app/info_parts.h"
#include "app/terminal.h"
#include "base/error.h"
#include "io/report/run_report.h"
#include "io/report/study_report.h"
#include "io/text_file.h"

namespace carom {

namespace {

struct ReportArguments {
  std::string run;
  std::string output;
  ReplayOptions replay;
};

int run_report(const ReportArguments& arguments) {
  const std::string output = arguments.output.empty()
                                 ? std::filesystem::path(arguments.run).replace_extension(".html").string()
                                 : arguments.output;
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.run, output, ignored))
    throw InputError({output, 0, 0, ""}, "is the run itself; name another file");
  if (is_study_file(arguments.run)) {
    const std::string html = make_study_report(read_study_data(arguments.run), arguments.run);
    write_text_file(output, html);
    fmt::print("wrote {} ({})\n", output, size_text(html.size()));
    return kSuccess;
  }
  RunDescription description = describe_run_file(arguments.run);
  const RunReport report = make_run_report(
      arguments.run, {description.json, description.text, description.findings}, arguments.replay);
  write_text_file(output, report.html);
  std::string frames;
  if (report.frames > 0)
    frames = report.frames == report.frames_of_run
                 ? fmt::format(", all {} frames", with_commas(report.frames))
                 : fmt::format(", {} of {} frames", with_commas(report.frames), with_commas(report.frames_of_run));
  fmt::print("wrote {} ({}{})\n", output, size_text(report.html.size()), frames);
  for (const Finding& finding : description.findings)
    if (finding.serious) print_warning(finding.text);
  return kSuccess;
}

}  // namespace

void add_report_command(CLI::App& program, Action& chosen) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      program.add_subcommand("report", "Write a run or a rockfall study as one HTML page that opens offline");
  command->add_option("RUN", arguments->run, "Run file, or study.h5 of carom rockfall")->required();
  command->add_option("-o,--output", arguments->output, "Page to write (default: named after the run, beside it)");
  command
      ->add_option("--frames", arguments->replay.frames,
                   "Frames in the replay, at most, evenly chosen (default: what keeps the page small)")
      ->check(CLI::Range(2, 1000000));
  command->footer(
      "Examples:\n  carom report pile.h5\n  carom report pile.h5 --frames 100 -o small.html\n\nThe page needs no network "
      "and no other file: open it in any browser, send it by mail.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_report(*arguments); }; });
}

}  // namespace carom
