#include "base/parallel.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

using namespace carom;

namespace {

// Terms of very different size and both signs, whose sum depends on the order of addition.
double rough_term(std::ptrdiff_t i) {
  const auto x = static_cast<double>(i);
  return std::sin(x) * std::exp2(std::fmod(7.0 * x, 60.0) - 30.0);
}

double rough_sum(Threads threads, std::ptrdiff_t n) {
  ReduceScratch<double> scratch;
  return parallel_reduce(
      threads, n, 0.0, rough_term, [](double a, double b) { return a + b; }, scratch);
}

}  // namespace

TEST_CASE("parallel_reduce gives the same bits for any number of threads") {
  for (const std::ptrdiff_t n : {0, 1, 1000, 1024, 1025, 5000, 100003}) {
    const auto serial = std::bit_cast<std::uint64_t>(rough_sum({1}, n));
    for (const int threads : {2, 5, 7}) CHECK(std::bit_cast<std::uint64_t>(rough_sum({threads}, n)) == serial);
  }
  // The terms do tell orders apart, or the above would show nothing.
  double backwards = 0;
  for (std::ptrdiff_t i = 100003; i-- > 0;) backwards += rough_term(i);
  CHECK(backwards != rough_sum({1}, 100003));
  CHECK(backwards == doctest::Approx(rough_sum({1}, 100003)).epsilon(1e-9));
}

TEST_CASE("parallel_reduce finds a maximum and reuses its scratch") {
  ReduceScratch<double> scratch;
  const auto largest = [](double a, double b) { return std::max(a, b); };
  const auto hill = [](std::ptrdiff_t i) { return -std::abs(static_cast<double>(i) - 12345.0); };
  const double lowest = -INFINITY;
  CHECK(parallel_reduce(Threads{2}, 50000, lowest, hill, largest, scratch) == 0.0);
  const double* storage = scratch.partial.data();
  CHECK(parallel_reduce(Threads{2}, 5000, lowest, hill, largest, scratch) == -7346.0);
  CHECK(scratch.partial.data() == storage);
  CHECK(parallel_reduce(Threads{2}, 0, lowest, hill, largest, scratch) == lowest);
}

TEST_CASE("parallel_for visits every index once") {
  for (const int threads : {1, 2, 5}) {
    for (const std::ptrdiff_t n : {0, 1, 511, 512, 10007}) {
      std::vector<int> visits(static_cast<std::size_t>(n));
      parallel_for(Threads{threads}, n, [&](std::ptrdiff_t i) { ++visits[static_cast<std::size_t>(i)]; });
      CHECK(std::count(visits.begin(), visits.end(), 1) == n);
    }
  }
}

TEST_CASE("parallel_for uses the threads it is given, also for few indices when asked") {
  const auto threads_seen = [](Threads threads, std::ptrdiff_t n, std::ptrdiff_t serial_below) {
    std::vector<int> team(static_cast<std::size_t>(n));
    parallel_for(
        threads, n, [&](std::ptrdiff_t i) { team[static_cast<std::size_t>(i)] = omp_get_num_threads(); }, serial_below);
    return *std::max_element(team.begin(), team.end());
  };
  CHECK(threads_seen({3}, 10, kSerialBelow) == 1);
  CHECK(threads_seen({3}, 10, 2) == 3);
  CHECK(threads_seen({1}, 10000, kSerialBelow) == 1);
}

TEST_CASE("the exception of the lowest index is rethrown, whatever the number of threads") {
  const auto message = [](auto&& loop) {
    try {
      loop();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  for (const int threads : {1, 2, 5, 7}) {
    const auto fail = [](std::ptrdiff_t i) {
      if (i % 1000 == 777) throw std::runtime_error(std::to_string(i));
    };
    CHECK(message([&] { parallel_for(Threads{threads}, 20000, fail); }) == "777");
    CHECK(message([&] { parallel_for(Threads{threads}, 700, fail); }) == "nothing thrown");

    ReduceScratch<double> scratch;
    const auto failing_term = [&](std::ptrdiff_t i) { return fail(i), 1.0; };
    const auto add = [](double a, double b) { return a + b; };
    CHECK(message([&] { parallel_reduce(Threads{threads}, 20000, 0.0, failing_term, add, scratch); }) == "777");
  }
}
