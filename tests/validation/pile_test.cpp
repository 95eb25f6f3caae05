#include <doctest/doctest.h>

#include "block_cases.h"

using namespace carom;
using namespace carom::validation;

// The least friction is found to 1e-6 of itself by bisection; a pile that misses it by less than 1e-5 falls too slowly
// to be told from one that stands within the steps watched.

TEST_CASE("three cylinders stand on the friction that statics asks for, and on no less") {
  for (const bool ground : {false, true}) CHECK(three_cylinders(ground).error() < 1e-5);
}

TEST_CASE("four spheres stand on the friction that statics asks for, and on no less") {
  for (const bool ground : {false, true}) CHECK(four_spheres(ground).error() < 1e-5);
}

TEST_CASE("a card house stands on tan/2, a ladder on tan of half its angle") {
  for (const double degrees : {10.0, 20.0, 35.0}) CHECK(card_house(degrees).error() < 1e-5);
  for (const double degrees : {30.0, 50.0}) CHECK(ladder(degrees).error() < 1e-5);
}

TEST_CASE("bricks overhang by half the harmonic sum and not more") {
  for (const int bricks : {1, 2, 3, 5, 8}) CHECK(overhang(bricks).error() < 1e-5);
}
