// Files of equal contents are equal files, whenever they are written.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "io/fclib.h"
#include "random_problems.h"
#include "run_fixture.h"

using namespace carom;

namespace {

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("a problem written again a second later is the same file") {
  const TemporaryFolder folder;
  RandomStream random(3, 0);
  ConeProblem problem =
      random_rigid_problem(random, 4, 2, {.free = false, .orthant = false, .associated = false, .planar = false});
  problem.W.assembled = assemble(*problem.W.factors, problem.cones);
  write_problem(folder / "first.hdf5", problem, "the same");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  write_problem(folder / "second.hdf5", problem, "the same");
  CHECK(bytes_of(folder / "first.hdf5") == bytes_of(folder / "second.hdf5"));
}
