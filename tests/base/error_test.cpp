#include "base/error.h"

#include <doctest/doctest.h>

#include <string>

#include "base/check.h"

using namespace carom;

TEST_CASE("a place tells what is known of it and nothing else") {
  CHECK(Place{}.text() == "");
  CHECK(Place{"scene.toml", 0, 0, ""}.text() == "scene.toml");
  CHECK(Place{"scene.toml", 12, 0, ""}.text() == "scene.toml:12");
  CHECK(Place{"scene.toml", 12, 5, ""}.text() == "scene.toml:12:5");
  CHECK(Place{"scene.toml", 0, 5, ""}.text() == "scene.toml");
  CHECK(Place{"", 0, 0, "body[3].radius"}.text() == "body[3].radius");
  CHECK(Place{"run.h5", 0, 0, "/frames/time"}.text() == "run.h5: /frames/time");
  CHECK(Place{"scene.toml", 12, 5, "body[3].radius"}.text() == "scene.toml:12:5: body[3].radius");
}

TEST_CASE("an input error names place, problem and value, together and apart") {
  const Place place{"scene.toml", 12, 5, "body[3].radius"};
  const InputError error(place, "must be positive", "-0.1");
  CHECK(std::string(error.what()) == "scene.toml:12:5: body[3].radius: must be positive (got -0.1)");
  CHECK(error.place().line == 12);
  CHECK(error.place().item == "body[3].radius");
  CHECK(error.problem() == "must be positive");
  CHECK(error.value() == "-0.1");

  CHECK(std::string(InputError("no bodies").what()) == "no bodies");
  CHECK(std::string(InputError(Place{"", 0, 0, "contact 7"}, "mu is negative").what()) == "contact 7: mu is negative");
  CHECK(std::string(InputError(Place{}, "must be finite", "nan").what()) == "must be finite (got nan)");
}

TEST_CASE("an output error names the file") {
  const OutputError error("run.h5", "disk full");
  CHECK(std::string(error.what()) == "run.h5: disk full");
  CHECK(error.file() == "run.h5");
}

TEST_CASE("a check that does not hold throws where it stands and says what it means") {
  CHECK_NOTHROW(CAROM_CHECK(1 + 1 == 2, "arithmetic"));
  try {
    CAROM_CHECK(1 + 1 == 3, "arithmetic");
    FAIL("no exception");
  } catch (const InternalError& error) {
    const std::string text = error.what();
    CHECK(text.find("error_test.cpp:") != std::string::npos);
    CHECK(text.find("1 + 1 == 3 (arithmetic)") != std::string::npos);
  }
}
