// Counting sort over many threads: stable, so that the result does not depend on how the work was cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace carom {

// Items in the order of their buckets, within a bucket in the order in which they come. Keeps its arrays.
template <class Item>
class BucketSort {
 public:
  // visit(chunk, f) calls f(item) for the items of one of `chunks` chunks, in order; bucket(item) is in [0, buckets).
  // Bucket b becomes out[begin[b]] to out[begin[b + 1]].
  template <class Visit, class Bucket>
  void sort(Threads threads, std::size_t chunks, Visit&& visit, std::size_t buckets, Bucket&& bucket,
            std::vector<Item>& out, std::vector<std::uint32_t>& begin) {
    begin.resize(buckets + 1);
    if (threads.count <= 1 || chunks < 2 || buckets < kParts) {
      const auto items = [&](auto&& f) {
        for (std::size_t c = 0; c < chunks; ++c) visit(c, f);
      };
      begin[buckets] = count(items, 0, buckets, 0, bucket, begin);
      out.resize(begin[buckets]);
      fill(items, 0, buckets, 0, bucket, out, begin);
      return;
    }
    // Parts are ranges of buckets. First into parts, each group of chunks to places of its own; then each part alone.
    const std::size_t groups = std::min(chunks, static_cast<std::size_t>(threads.count));
    const std::size_t width = (buckets + kParts - 1) / kParts;
    const auto each_group = [&](auto&& work) {
      parallel_for(
          threads, static_cast<std::ptrdiff_t>(groups),
          [&](std::ptrdiff_t g) {
            const auto k = static_cast<std::size_t>(g);
            const std::size_t first = chunks * k / groups, end = chunks * (k + 1) / groups;
            std::uint32_t* place = place_.data() + k * kParts;
            for (std::size_t c = first; c < end; ++c) visit(c, [&](const Item& item) { work(item, place); });
          },
          2);
    };
    place_.assign(groups * kParts, 0);
    each_group([&](const Item& item, std::uint32_t* place) { ++place[bucket(item) / width]; });
    part_begin_.resize(kParts + 1);
    std::uint32_t total = 0;
    for (std::size_t part = 0; part < kParts; ++part) {
      part_begin_[part] = total;
      for (std::size_t g = 0; g < groups; ++g) total += std::exchange(place_[g * kParts + part], total);
    }
    part_begin_[kParts] = total;
    parted_.resize(total);
    each_group([&](const Item& item, std::uint32_t* place) { parted_[place[bucket(item) / width]++] = item; });
    out.resize(total);
    begin[buckets] = total;
    parallel_for(
        threads, static_cast<std::ptrdiff_t>(kParts),
        [&](std::ptrdiff_t p) {
          const auto part = static_cast<std::size_t>(p);
          const auto items = [&](auto&& f) {
            for (std::uint32_t i = part_begin_[part]; i < part_begin_[part + 1]; ++i) f(parted_[i]);
          };
          const std::size_t first = std::min(buckets, part * width), end = std::min(buckets, first + width);
          count(items, first, end, part_begin_[part], bucket, begin);
          fill(items, first, end, part_begin_[part], bucket, out, begin);
        },
        2);
  }

 private:
  static constexpr std::size_t kParts = 64;

  // Counts the items of buckets [first, end) and turns counts into first places; returns the end of the last bucket.
  template <class Items, class Bucket>
  static std::uint32_t count(Items&& items, std::size_t first, std::size_t end, std::uint32_t start, Bucket&& bucket,
                             std::vector<std::uint32_t>& begin) {
    for (std::size_t b = first; b < end; ++b) begin[b] = 0;
    items([&](const Item& item) { ++begin[bucket(item)]; });
    std::uint32_t place = start;
    for (std::size_t b = first; b < end; ++b) place += std::exchange(begin[b], place);
    return place;
  }

  // Filling moves each first place to where the next bucket begins; they are moved back at the end.
  template <class Items, class Bucket>
  static void fill(Items&& items, std::size_t first, std::size_t end, std::uint32_t start, Bucket&& bucket,
                   std::vector<Item>& out, std::vector<std::uint32_t>& begin) {
    items([&](const Item& item) { out[begin[bucket(item)]++] = item; });
    for (std::size_t b = end; b-- > first;) begin[b] = b == first ? start : begin[b - 1];
  }

  std::vector<Item> parted_;               // items by part
  std::vector<std::uint32_t> part_begin_;  // first place of each part
  std::vector<std::uint32_t> place_;       // per group and part: count, then next place
};

}  // namespace carom
