#include "io/memory_need.h"

#include <doctest/doctest.h>

using namespace carom;

TEST_CASE("what does not fit is told with what it needs and what there is") {
  CHECK(memory_short_of(1e5, 8e9).empty());
  CHECK(memory_short_of(1e7, 8e9) == "1e+07 bodies need about 60 GB of memory and 8 GB are available");
  CHECK(available_memory() > 1e6);
}
