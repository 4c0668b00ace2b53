// SPDX-License-Identifier: Apache-2.0
//
// The results of reads of a sub-channel whose contents change during a run. A cycle model of a unit
// transfers no values: the values of its jobs are computed after the run, from the contents of the
// memory at the acceptance of each read. This history has the bursts that a run both reads and
// writes, or writes from two clients. All other bursts have their initial contents, or the outputs
// of one job, at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "system/memory/byte_store.h"

namespace neardata::system {

/// Bursts from `first` on, up to and without `end`.
struct BurstRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// Ranges in order that neither touch nor overlap.
class BurstSet {
 public:
  BurstSet() = default;
  explicit BurstSet(std::vector<BurstRange> ranges);

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] bool contains(std::uint64_t burst) const { return overlaps({burst, burst + 1}); }
  [[nodiscard]] bool overlaps(BurstRange range) const;
  [[nodiscard]] BurstSet common(const BurstSet& other) const;
  [[nodiscard]] const std::vector<BurstRange>& ranges() const { return ranges_; }

 private:
  std::vector<BurstRange> ranges_;
};

class BurstHistory {
 public:
  BurstHistory(const ByteStore& store, BurstSet watched)
      : store_(&store), watched_(std::move(watched)) {}

  // Ports point to it.
  BurstHistory(const BurstHistory&) = delete;
  BurstHistory& operator=(const BurstHistory&) = delete;
  BurstHistory(BurstHistory&&) = default;
  BurstHistory& operator=(BurstHistory&&) = default;
  ~BurstHistory() = default;

  [[nodiscard]] bool watches(std::uint32_t burst) const { return watched_.contains(burst); }

  /// During the run, in the order in which the memory accepts. A write is recorded before its bytes
  /// are in the store. A write without bytes is a job's, whose bytes follow later.
  void read(std::uint32_t burst);
  void write(std::uint32_t burst, std::optional<ByteStore::Burst> data);

  /// After the run, for a watched burst: the result of the oldest read that was not collected;
  /// after all reads, the contents of the store.
  [[nodiscard]] const std::byte* next_read(std::uint32_t burst);
  /// Sets the bytes of the oldest write without any. @returns whether they are the burst's final
  /// contents
  [[nodiscard]] bool resolve(std::uint32_t burst, ByteStore::Burst data);

 private:
  struct Version {
    std::array<std::byte, core::kBurstBytes> bytes{};
    bool known = false;
  };
  struct Changes {
    std::deque<Version> versions;    ///< the first from before the run
    std::vector<std::size_t> reads;  ///< versions that they returned
    std::size_t asked = 0;           ///< recorded reads
  };

  Changes& changes_of(std::uint32_t burst);

  const ByteStore* store_;
  BurstSet watched_;
  std::unordered_map<std::uint32_t, Changes> changes_;
};

}  // namespace neardata::system
