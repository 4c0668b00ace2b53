// SPDX-License-Identifier: Apache-2.0
//
// Random pauses of a stream, the same for the same seed: before each message the stream rests for
// as many ticks as a coin of the given probability falls on "rest" in a row.
#pragma once

#include <cstdint>

namespace neardata::system {

struct PauseConfig {
  std::uint64_t seed = 0;
  double probability = 0;  ///< of resting one more tick, 0 to below 1
};

class Pauses {
 public:
  /// `stream` tells streams of one seed apart.
  Pauses(const PauseConfig& config, std::uint64_t stream)
      : state_(config.seed * kOdd + stream),
        threshold_(static_cast<std::uint64_t>(config.probability * kTwoTo53)) {}

  /// Ticks to rest before the next message.
  [[nodiscard]] std::int64_t next() {
    std::int64_t ticks = 0;
    while (threshold_ != 0 && (random() >> 11U) < threshold_) ++ticks;
    return ticks;
  }

 private:
  static constexpr double kTwoTo53 = 9007199254740992.0;
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio

  /// A counter through the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
  [[nodiscard]] std::uint64_t random() {
    state_ += kOdd;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
  std::uint64_t threshold_;
};

}  // namespace neardata::system
