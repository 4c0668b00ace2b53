// SPDX-License-Identifier: Apache-2.0
//
// Bit errors of a link: each bit is wrong with the same probability, independently. Drawn as the
// distance to the next wrong bit, so a link without errors draws nothing. Same seed, same errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "link/packet.h"

namespace neardata::link {

class BitErrors {
 public:
  /// `rate` in 0 to below 1; `link` tells links of one seed apart.
  BitErrors(double rate, std::uint64_t seed, std::uint64_t link)
      : rate_(rate), state_(seed * kOdd + link), distance_(draw()) {}

  /// What the packet looks like at the other end.
  void pass(Packet& packet) {
    const std::uint64_t bits = packet.wire_bytes() * 8;
    std::uint64_t at = 0;
    while (distance_ < bits - at) {
      at += distance_;
      packet.flip(at);
      if (++at == bits) {
        distance_ = draw();
        return;
      }
      distance_ = draw();
    }
    distance_ -= bits - at;
  }

 private:
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max() / 2;

  /// Right bits before the next wrong one: a geometric distribution, by inversion.
  [[nodiscard]] std::uint64_t draw() {
    if (rate_ <= 0) return kNone;
    constexpr double kTwoToMinus53 = 1.0 / 9007199254740992.0;
    const double uniform = (static_cast<double>(random() >> 11U) + 0.5) * kTwoToMinus53;
    const double bits = std::log(uniform) / std::log1p(-rate_);
    return bits < static_cast<double>(kNone) ? static_cast<std::uint64_t>(bits) : kNone;
  }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  [[nodiscard]] std::uint64_t random() {
    state_ += kOdd;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  double rate_;
  std::uint64_t state_;
  std::uint64_t distance_;  ///< right bits to come
};

}  // namespace neardata::link
