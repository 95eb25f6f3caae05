#include "io/report/page.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/version.h"
#include "io/report/embedded.h"
#include "io/text_file.h"

namespace carom {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string licence_comment() {
  std::string text;
  for (const char* name : {"three.licence", "chart.licence"}) {
    std::string licence(embedded_text(name));
    replace_all(licence, "--", "- -");  // ends no comment
    if (!licence.empty()) text += licence + "\n";
  }
  return text.empty() ? "" : "<!-- Licences of the libraries inside, as Debian records them:\n\n" + text + "-->\n";
}

}  // namespace

std::string html_escaped(const std::string& text) { return xml_escaped(text); }

std::string script_safe(std::string text) {
  replace_all(text, "</", "<\\/");
  replace_all(text, "<!--", "<\\u0021--");
  return text;
}

std::string missing_page_packages() {
  std::string missing;
  if (embedded_text("three.js").empty() || embedded_text("orbit.js").empty()) missing = "libjs-three";
  if (embedded_text("chart.js").empty()) missing += (missing.empty() ? "" : " ") + std::string("libjs-chart.js");
  return missing;
}

void require_page_packages() {
  const std::string missing = missing_page_packages();
  if (!missing.empty())
    throw InputError(fmt::format(
        "this carom was built without the libraries that pages carry: install {0}, then build again\n"
        "  sudo apt-get install {0}\nuntil then carom plot and carom export --format svg draw without them",
        missing));
}

std::string make_page(const PageParts& parts) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\" data-shade=\"light\">\n";
  page += licence_comment();
  page += fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"carom {}\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n",
      kVersion, html_escaped(parts.title));
  page += "<style>\n";
  page += embedded_text("page.css");
  page += fmt::format(
      "</style>\n</head>\n<body>\n<header class=\"top\"><div class=\"words\"><h1>{}</h1><p class=\"sub\">{}</p></div>\n"
      "<div class=\"verdict\">{}<button id=\"shade\" aria-label=\"light or dark\">light / dark</button></div></header>\n",
      html_escaped(parts.title), parts.subtitle, parts.verdict);
  page += "<main>\n" + parts.body + "</main>\n";
  page += fmt::format(
      "<footer>Written by carom {}. This page needs no network: three.js and Chart.js (MIT licence, from Debian) are "
      "inside.</footer>\n",
      kVersion);
  page += "<script type=\"application/json\" id=\"manifest\">" + script_safe(parts.manifest) + "</script>\n";
  page += parts.blocks;
  for (const std::string& name : parts.scripts) {
    page += "<script>\n";
    page += embedded_text(name);
    page += "\n</script>\n";
  }
  return page + "</body>\n</html>\n";
}

}  // namespace carom
