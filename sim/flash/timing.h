// SPDX-License-Identifier: Apache-2.0
//
// Timing of a flash device as a table, in ticks. Rules that use it are in channel.h.
#pragma once

#include <array>
#include <cstdint>

#include "flash/types.h"

namespace neardata::flash {

/// Bits of a cell at most.
inline constexpr std::uint32_t kMostPageTypes = 4;

/// Bus time of a command with its addresses, by number of planes; entry 0 is unused.
using CommandTimes = std::array<Tick, kMaxPlanes + 1>;

struct Timing {
  CommandTimes read_command;
  CommandTimes program_command;
  CommandTimes erase_command;
  Tick sense;              ///< die: array to page register, with the ready/busy delay after it
  Tick program;            ///< die: page register to array
  Tick erase;              ///< die: one block
  Tick bus_per_two_bytes;  ///< bus: data in or out
  /// Sensing by type of page, which pages of a block have in turn; `sense` for all where none.
  std::array<Tick, kMostPageTypes> sense_of_type{};
  std::uint32_t page_types = 0;

  /// Of the pages of a command, which all have this number.
  [[nodiscard]] constexpr Tick sensing(std::uint32_t page) const {
    return page_types == 0 ? sense : sense_of_type[page % page_types];
  }

  /// Bus time of `bytes` (even) of data.
  [[nodiscard]] constexpr Tick transfer(std::uint32_t bytes) const {
    return static_cast<std::int64_t>(bytes / 2) * bus_per_two_bytes;
  }
};

/// What stands on one channel.
struct ChannelShape {
  std::uint32_t dies = 1;
  std::uint32_t planes = 1;

  friend constexpr bool operator==(const ChannelShape&, const ChannelShape&) = default;
};

}  // namespace neardata::flash
