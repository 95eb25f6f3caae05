#include "contact/bucket_sort.h"

#include <doctest/doctest.h>

#include "base/random.h"

using namespace carom;

TEST_CASE("a bucket sort is a stable sort, whatever the threads and the chunks") {
  struct Item {
    std::uint32_t bucket, number;
    bool operator==(const Item&) const = default;
  };
  for (const std::size_t buckets : {1u, 7u, 64u, 65u, 1000u, 5000u}) {
    std::vector<Item> items;
    RandomStream random(1, buckets);
    for (std::uint32_t i = 0; i < 3000; ++i)
      items.push_back({static_cast<std::uint32_t>(random.below(buckets) * random.below(buckets) / buckets), i});
    std::vector<Item> expected = items;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Item& p, const Item& q) { return p.bucket < q.bucket; });
    BucketSort<Item> sorter;
    for (const int threads : {1, 2, 5}) {
      for (const std::size_t chunk : {1u, 100u, 4000u}) {
        const auto visit = [&](std::size_t c, auto&& f) {
          for (std::size_t i = c * chunk; i < std::min(items.size(), (c + 1) * chunk); ++i) f(items[i]);
        };
        std::vector<Item> sorted;
        std::vector<std::uint32_t> begin;
        sorter.sort(
            {threads}, (items.size() + chunk - 1) / chunk, visit, buckets, [](const Item& item) { return item.bucket; },
            sorted, begin);
        CHECK(sorted == expected);
        REQUIRE(begin.size() == buckets + 1);
        bool bounded = begin[0] == 0 && begin[buckets] == items.size();
        for (std::size_t b = 0; b < buckets; ++b)
          for (std::uint32_t i = begin[b]; i < begin[b + 1]; ++i) bounded = bounded && sorted[i].bucket == b;
        CHECK(bounded);
      }
    }
  }
}
