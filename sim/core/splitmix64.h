// SPDX-License-Identifier: Apache-2.0
//
// SplitMix64 (Steele, Lea, Flood 2014): a counter through a mixer. It samples faults and pauses,
// which must be equal on every platform.
#pragma once

#include <cstdint>

namespace neardata::core {

class SplitMix64 {
 public:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;  ///< 2^64 / golden ratio

  constexpr explicit SplitMix64(std::uint64_t state) : state_(state) {}

  [[nodiscard]] constexpr std::uint64_t next() {
    state_ += kStep;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace neardata::core
