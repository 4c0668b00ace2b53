// SPDX-License-Identifier: Apache-2.0
//
// Timing of a flash device as a table, in ticks. Rules that use it are in channel.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "flash/types.h"

namespace neardata::flash {

/// Bits of a cell at most.
inline constexpr std::uint32_t kMostPageTypes = 4;

/// Bus time of a command with its addresses, by number of planes; entry 0 is unused.
using CommandTimes = std::array<Tick, kMaxPlanes + 1>;

/// Operations for which the planes of a die are independent. Parts with independent plane reads
/// sense independently, while a program or an erase occupies the whole die; `kAll` is for a part
/// whose data sheet allows more.
enum class PlaneIndependence : std::uint8_t { kNone, kReads, kAll };

/// The power budget of a package. The dies of a channel are divided into packages of `dies`
/// adjacent dies. A command consumes the current of its operation, for any number of planes, from
/// its issue until its die has sensed, programmed or erased; a suspended operation consumes none. A
/// command that exceeds the budget of its package waits. Currents in microamperes.
struct PackageBudget {
  std::uint32_t dies = 1;
  std::uint64_t most = 0;
  std::array<std::uint64_t, kOperations> draws{};  ///< by operation; none is above `most`
};

/// Features of newer parts, each with a switch; a device without any is the one of the oracle's
/// traces.
struct NandFeatures {
  /// A die senses the next page while the previous one waits in its cache register. The sensed page
  /// moves to the register when that is free, with `cache_transfer` for every sensing.
  bool cache_read = false;
  Tick cache_transfer;
  PlaneIndependence independent_planes = PlaneIndependence::kNone;
  /// A read that waits for a die suspends its program or erase once that has progressed for
  /// `run_least`: a command of `suspend_command` on the bus, and `suspend` until the die accepts
  /// the read. When no read waits, a command of the same time resumes the operation with its
  /// remaining time.
  bool suspends = false;
  Tick suspend_command;
  Tick suspend;
  Tick run_least;
  /// Suspensions of one program or erase, after which reads wait for its end; none: any number.
  std::optional<std::uint32_t> most_suspends;
  std::optional<PackageBudget> package;  ///< none: any number of dies work at once
};

struct Timing {
  NandFeatures features{};
  CommandTimes read_command;
  CommandTimes program_command;
  CommandTimes erase_command;
  Tick sense;              ///< die: array to page register, with the ready/busy delay after it
  Tick program;            ///< die: page register to array
  Tick erase;              ///< die: one block
  Tick bus_per_two_bytes;  ///< bus: data in or out
  /// Sensing by type of page; pages of a block have the types cyclically. Empty: `sense` for all.
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

/// The dies and planes of one channel.
struct ChannelShape {
  std::uint32_t dies = 1;
  std::uint32_t planes = 1;

  friend constexpr bool operator==(const ChannelShape&, const ChannelShape&) = default;
};

}  // namespace neardata::flash
