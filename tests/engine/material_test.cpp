#include "engine/material.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"

using namespace carom;

TEST_CASE("a pair's law is symmetric, combined unless it was set, and survives new materials") {
  MaterialTable table;
  const MaterialId ice = table.add({.name = "ice", .friction = 0.01, .restitution = 0.4});
  const MaterialId steel =
      table.add({.name = "steel", .friction = 0.25, .restitution = 0.9, .tangential_restitution = 1});
  CHECK(table.law(ice, steel).friction == doctest::Approx(0.05));
  CHECK(table.law(steel, ice).restitution == doctest::Approx(0.6));
  CHECK(table.law(steel, ice).tangential_restitution == doctest::Approx(0.5));
  table.set_pair(ice, steel, {0.3, 0.2, -1});
  const MaterialId wood = table.add({.name = "wood"});
  CHECK(table.law(steel, ice).friction == 0.3);
  CHECK(table.law(ice, steel).tangential_restitution == -1);
  CHECK(table.law(wood, wood).friction == 0.5);
}

TEST_CASE("values outside their range are rejected by name") {
  MaterialTable table;
  CHECK_THROWS_WITH_AS(table.add({.name = "x", .friction = -0.1}), doctest::Contains("friction"), InputError);
  CHECK_THROWS_WITH_AS(table.add({.name = "x", .friction = NAN}), doctest::Contains("friction"), InputError);
  CHECK_THROWS_WITH_AS(table.add({.name = "x", .restitution = 1.1}), doctest::Contains("restitution"), InputError);
  CHECK_THROWS_WITH_AS(table.add({.name = "x", .tangential_restitution = -2}), doctest::Contains("tangential"),
                       InputError);
  CHECK_THROWS_WITH_AS(table.add({.name = "default"}), doctest::Contains("in use"), InputError);
}
