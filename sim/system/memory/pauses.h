// SPDX-License-Identifier: Apache-2.0
//
// Random pauses of a stream, the same for the same seed: before each message the stream stalls for
// a geometrically distributed number of ticks, with the given probability per tick.
#pragma once

#include <cstdint>

#include "core/splitmix64.h"

namespace neardata::system {

struct PauseConfig {
  std::uint64_t seed = 0;
  double probability = 0;  ///< of resting one more tick, 0 to below 1
};

class Pauses {
 public:
  /// `stream` distinguishes the streams that share a seed.
  Pauses(const PauseConfig& config, std::uint64_t stream)
      : random_(config.seed * core::SplitMix64::kStep + stream),
        threshold_(static_cast<std::uint64_t>(config.probability * kTwoTo53)) {}

  /// Ticks to rest before the next message.
  [[nodiscard]] std::int64_t next() {
    std::int64_t ticks = 0;
    while (threshold_ != 0 && (random_.next() >> 11U) < threshold_) ++ticks;
    return ticks;
  }

 private:
  static constexpr double kTwoTo53 = 9007199254740992.0;

  core::SplitMix64 random_;
  std::uint64_t threshold_;
};

}  // namespace neardata::system
