// SPDX-License-Identifier: Apache-2.0
//
// The set of used ids: a hash table of groups of 64 consecutive ids, one bit each. A trace with
// ascending ids stays in the last group and needs one lookup per 64 requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace neardata::dram {

class IdSet {
 public:
  enum class Added : std::uint8_t { kNew, kTwice, kTooMany };

  /// Stores the ids of at most `most_groups` groups, 16 to 32 bytes each.
  explicit IdSet(std::size_t most_groups) : most_groups_(most_groups), buckets_(kFirstBuckets) {}

  Added add(std::uint64_t id) {
    const std::uint64_t key = id / kGroup + 1;  // 0 marks a free bucket
    if (buckets_[last_].key != key) {
      last_ = find(buckets_, key);
      if (buckets_[last_].key == 0) {
        if (groups_ == most_groups_) return Added::kTooMany;
        if (2 * (groups_ + 1) > buckets_.size()) grow(key);
        ++groups_;
        buckets_[last_].key = key;
      }
    }
    const std::uint64_t bit = std::uint64_t{1} << (id % kGroup);
    if ((buckets_[last_].seen & bit) != 0) return Added::kTwice;
    buckets_[last_].seen |= bit;
    return Added::kNew;
  }

 private:
  struct Bucket {
    std::uint64_t key = 0;
    std::uint64_t seen = 0;
  };
  static constexpr std::uint64_t kGroup = 64;
  static constexpr std::size_t kFirstBuckets = 64;  ///< grows by powers of two

  /// The bucket of `key`, or the free bucket for it, by linear probing.
  static std::size_t find(const std::vector<Bucket>& buckets, std::uint64_t key) {
    const std::size_t mask = buckets.size() - 1;
    // Fibonacci hashing: the upper half of the product depends on all bits of the key.
    std::size_t at = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 32U) & mask;
    while (buckets[at].key != 0 && buckets[at].key != key) at = (at + 1) & mask;
    return at;
  }

  /// Doubles the buckets and sets `last_` to the bucket of `key`.
  void grow(std::uint64_t key) {
    std::vector<Bucket> wider(2 * buckets_.size());
    for (const Bucket& bucket : buckets_) {
      if (bucket.key != 0) wider[find(wider, bucket.key)] = bucket;
    }
    buckets_ = std::move(wider);
    last_ = find(buckets_, key);
  }

  std::size_t most_groups_;
  std::vector<Bucket> buckets_;
  std::size_t groups_ = 0;
  std::size_t last_ = 0;  ///< bucket of the last id
};

}  // namespace neardata::dram
