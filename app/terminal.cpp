#include "app/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace carom {

namespace {

constexpr int kUsualWidth = 80;

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

void print_marked(const char* mark, const char* colour, const std::string& text) {
  const bool coloured = has_colour(stderr);
  const std::string line =
      coloured ? fmt::format("\x1b[1;{}m{}:\x1b[0m {}\n", colour, mark, text) : fmt::format("{}: {}\n", mark, text);
  std::fputs(line.c_str(), stderr);
}

}  // namespace

bool is_live(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) == 1 && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

bool has_colour(std::FILE* stream) { return is_live(stream) && !set_in_environment("NO_COLOR"); }

int terminal_width(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kUsualWidth;
}

void print_error(const std::string& text) { print_marked("error", "31", text); }
void print_warning(const std::string& text) { print_marked("warning", "33", text); }

std::string with_commas(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string size_text(std::uintmax_t bytes) {
  constexpr std::array units = {"B", "kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < units.size(); ++unit) size /= 1000;
  return fmt::format("{:.3g} {}", size, units[unit]);
}

std::string row(const std::string& label, const std::string& value) {
  return fmt::format("  {:<13} {}\n", label, value);
}

}  // namespace carom
