// SPDX-License-Identifier: Apache-2.0
//
// A distribution of latencies in bounded memory: exact below 4096 cycles, above that in steps of
// at most 1/2048 of the value. The mean is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/types.h"

namespace neardata::dram {

class LatencyHistogram {
 public:
  void add(Cycle latency);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const;
  /// The least latency (rounded down to a step) that `fraction` of all do not exceed; 0 if empty.
  [[nodiscard]] Cycle quantile(double fraction) const;
  [[nodiscard]] Cycle largest() const { return largest_; }

 private:
  static constexpr unsigned kExactBits = 12;
  static constexpr std::size_t kExact = std::size_t{1} << kExactBits;
  static constexpr std::size_t kSteps = kExact / 2;  ///< an octave above the exact range

  static std::size_t bucket(std::uint64_t latency);
  static std::uint64_t lower_edge(std::size_t bucket);

  /// Sized for the largest latency so far: the full array would be most of a channel's memory.
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(kExact);
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  Cycle largest_;
};

}  // namespace neardata::dram
