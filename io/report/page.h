// Pages: one self-contained HTML file each, with all scripts, styles and data inside.
#pragma once

#include <string>
#include <vector>

#include "io/json.h"

namespace carom {

struct PageParts {
  std::string title, subtitle;
  std::string body;                  // HTML between header and footer
  std::string manifest;              // JSON
  std::string blocks;                // packed arrays, as HTML
  std::vector<std::string> scripts;  // names of embedded texts, in order
  std::string verdict;               // HTML beside the title
};
std::string make_page(const PageParts& parts);

std::string html_escaped(const std::string& text);
// JSON inside a script element: nothing in it may look like the element's end.
std::string script_safe(std::string text);

// Debian packages whose code pages need and that were absent when the program was built: "" when there are none.
std::string missing_page_packages();
// Throws InputError naming them.
void require_page_packages();

}  // namespace carom
