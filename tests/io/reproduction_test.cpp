// The table of carom impact --reproduce as tests: every published figure within its tolerance.
#include "io/reproduction/reproduction.h"

#include <doctest/doctest.h>

#include <set>

using namespace carom;

namespace {

void check_section(int number) {
  const ReproducedSection section = reproduce_section(number);
  CAPTURE(section.title);
  CHECK_FALSE(section.figures.empty());
  std::set<char> notes;
  for (const auto& [letter, text] : section.notes) notes.insert(letter);
  for (const Figure& figure : section.figures) {
    CAPTURE(figure.quantity);
    CAPTURE(figure.published);
    CAPTURE(figure.ours);
    CAPTURE(figure.tolerance);
    CHECK(figure.verdict() != Verdict::Missed);
    // What departs from a print, and what is only shown, is explained.
    if (figure.verdict() != Verdict::Agrees) CHECK(figure.note != 0);
    if (figure.note != 0) CHECK(notes.contains(figure.note));
  }
}

}  // namespace

TEST_CASE("verdicts: within the tolerance of the print, of its correction, or missed") {
  CHECK(Figure{"x", 1.0, 1.05, 0.1, kNone, 0}.verdict() == Verdict::Agrees);
  CHECK(Figure{"x", 1.0, 2.05, 0.1, 2.0, 'a'}.verdict() == Verdict::Corrected);
  CHECK(Figure{"x", 1.0, 2.05, 0.1, kNone, 0}.verdict() == Verdict::Missed);
  CHECK(Figure{"x", 1.0, kNone, 0.1, 1.0, 0}.verdict() == Verdict::Missed);
  CHECK(Figure{"x", 1.0, 2.05, kNone, kNone, 'a'}.verdict() == Verdict::Shown);
}

TEST_CASE("section 1: three balls, linear springs") { check_section(1); }
TEST_CASE("section 2: three balls, Hertz") { check_section(2); }
TEST_CASE("section 3: five balls") { check_section(3); }
TEST_CASE("section 4: ten balls") { check_section(4); }
TEST_CASE("section 5: Bernoulli's problem") { check_section(5); }
TEST_CASE("section 6: tennis ball and basketball") { check_section(6); }
TEST_CASE("section 7: column of beads") { check_section(7); }
TEST_CASE("section 8: kinetic angles") { check_section(8); }
TEST_CASE("section 9: rocking block") { check_section(9); }
TEST_CASE("section 10: four balls with a restitution matrix") { check_section(10); }
TEST_CASE("section 11: Moreau's law on chains") { check_section(11); }
TEST_CASE("section 12: sequences of collisions") { check_section(12); }
TEST_CASE("section 13: Painleve's rod") { check_section(13); }
TEST_CASE("section 14: billiards") { check_section(14); }
TEST_CASE("section 15: triple contact") { check_section(15); }
