// SPDX-License-Identifier: Apache-2.0
//
// Slots of the arbitration of ring writes, as `sparf_page_rings` counts them: a round has one slot
// per place, then the slots of DRAM. A place is one channel, or two channels if the rings have two
// banks.
#pragma once

#include <cstdint>

namespace neardata::unit {

struct SparfRingSlots {
  /// Channels that share a bank of the rings, at most.
  static constexpr std::uint32_t kBankChannels = 8;
  static constexpr std::uint32_t kDramSlots = 4;

  explicit constexpr SparfRingSlots(std::uint32_t channels)
      : banks((channels + kBankChannels - 1) / kBankChannels),
        places((channels + banks - 1) / banks) {}

  [[nodiscard]] constexpr std::int64_t round() const { return std::int64_t{places} + kDramSlots; }
  /// Cycles after which the schedule repeats: in every round, the channels use other banks.
  [[nodiscard]] constexpr std::int64_t period() const { return banks * round(); }
  /// The first slot of a channel at a bank.
  [[nodiscard]] constexpr std::int64_t first(std::uint32_t channel, std::uint32_t bank) const {
    return channel % places + (channel / places == bank ? 0 : round());
  }

  std::uint32_t banks;
  std::uint32_t places;
};

}  // namespace neardata::unit
