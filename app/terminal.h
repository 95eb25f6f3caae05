// What is known of the terminal, and numbers as people read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace carom {

bool is_live(std::FILE* stream);     // a terminal that understands control sequences
bool has_colour(std::FILE* stream);  // is_live, and NO_COLOR is not set
int terminal_width(std::FILE* stream);

// "error: text" and "warning: text" on standard error, the first word coloured where that is wanted.
void print_error(const std::string& text);
void print_warning(const std::string& text);

std::string with_commas(std::int64_t number);  // 1,234,567
std::string duration_text(double seconds);     // 0.42 s, 12.3 s, 4:05, 1:02:03
std::string size_text(std::uintmax_t bytes);   // 1.2 MB

// "label         value" with the labels in one column.
std::string row(const std::string& label, const std::string& value);

}  // namespace carom
