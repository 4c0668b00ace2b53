// SPDX-License-Identifier: Apache-2.0
//
// Bit errors of a link: each bit is wrong with the same probability, independently. Sampled as the
// distance to the next wrong bit, so a link without errors draws nothing. Same seed, same errors.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/splitmix64.h"

namespace neardata::link {

class BitErrors {
 public:
  /// `rate` in 0 to below 1; `link` distinguishes the links that share a seed.
  BitErrors(double rate, std::uint64_t seed, std::uint64_t link)
      : rate_(rate), random_(seed * core::SplitMix64::kStep + link), distance_(draw()) {}

  /// Applies the errors of the wires to the packet.
  template <typename P>
  void pass(P& packet) {
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
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max() / 2;

  /// Right bits before the next wrong one: a geometric distribution, by inversion.
  [[nodiscard]] std::uint64_t draw() {
    if (rate_ <= 0) return kNone;
    constexpr double kTwoToMinus53 = 1.0 / 9007199254740992.0;
    const double uniform = (static_cast<double>(random_.next() >> 11U) + 0.5) * kTwoToMinus53;
    const double bits = std::log(uniform) / std::log1p(-rate_);
    return bits < static_cast<double>(kNone) ? static_cast<std::uint64_t>(bits) : kNone;
  }

  double rate_;
  core::SplitMix64 random_;
  std::uint64_t distance_;  ///< correct bits before the next error
};

}  // namespace neardata::link
