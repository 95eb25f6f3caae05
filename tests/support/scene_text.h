// Scene texts for tests, and the error that a text causes.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"
#include "io/scene.h"

namespace carom {

// Three lines; what a test appends starts at line 4.
inline const std::string kRunLines = "[run]\nduration = 1.0\nstep = 0.01\n";
inline const std::string kBall = "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\n";  // four lines

inline Scene scene_of(const std::string& text, const std::vector<Attachment>& attachments = {}) {
  return parse_scene(text, "test.toml", CAROM_BINARY_DIR, attachments);
}

inline InputError scene_error(const std::string& text) {
  try {
    scene_of(text);
  } catch (const InputError& error) {
    return error;
  }
  FAIL("the scene was accepted:\n" << text);
  return InputError("accepted");
}

// The text is rejected at line:column with a message that contains `part`.
inline void check_rejected(const std::string& text, int line, int column, const std::string& part) {
  const InputError error = scene_error(text);
  INFO(std::string(error.what()));
  CHECK(error.place().file == "test.toml");
  CHECK(error.place().line == line);
  CHECK(error.place().column == column);
  CHECK(std::string(error.what()).find(part) != std::string::npos);
}

}  // namespace carom
