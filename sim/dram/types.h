// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of a DDR5 channel: time in cycles of its command clock, commands, requests and
// where they go. A channel is one independent command and data bus (a DDR5 sub-channel, or the
// private bus of one rank in NDP mode).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace neardata::dram {

/// A point in time or a span of time, in cycles of the command clock (half the data rate).
struct Cycle {
  static constexpr const char* kUnit = "cycles";  ///< in the layouts of records
  std::int64_t value = 0;

  friend constexpr auto operator<=>(Cycle, Cycle) = default;
  friend constexpr Cycle operator+(Cycle a, Cycle b) { return {a.value + b.value}; }
  friend constexpr Cycle operator-(Cycle a, Cycle b) { return {a.value - b.value}; }
};

/// Later than anything that will happen.
inline constexpr Cycle kNever{std::numeric_limits<std::int64_t>::max()};

/// Chosen by the submitter; comes back with the command and the completion.
struct RequestId {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(RequestId, RequestId) = default;
};

enum class Operation : std::uint8_t { kRead, kWrite };

/// What goes over the command bus. The "same" pair addresses one bank of every bank group.
enum class Command : std::uint8_t {
  kActivate,
  kPrecharge,
  kPrechargeAll,
  kRead,
  kWrite,
  kRefreshAll,
  kPrechargeSame,
  kRefreshSame,
};
inline constexpr std::size_t kCommands = 8;

constexpr std::size_t index(Command command) { return static_cast<std::size_t>(command); }

/// Banks that a command addresses: one, the bank of this number in every bank group, or all of a
/// rank.
enum class Reach : std::uint8_t { kBank, kSameBank, kRank };

constexpr Reach reach(Command command) {
  switch (command) {
    case Command::kPrechargeAll:
    case Command::kRefreshAll:
      return Reach::kRank;
    case Command::kPrechargeSame:
    case Command::kRefreshSame:
      return Reach::kSameBank;
    default:
      return Reach::kBank;
  }
}

/// Whether the command refreshes, all banks or some.
constexpr bool refreshes(Command command) {
  return command == Command::kRefreshAll || command == Command::kRefreshSame;
}

/// JEDEC mnemonics, as they stand in command traces.
constexpr std::string_view name(Command command) {
  constexpr std::array<std::string_view, kCommands> kNames = {"ACT", "PRE",   "PREA",  "RD",
                                                              "WR",  "REFab", "PREsb", "REFsb"};
  return kNames[index(command)];
}

/// One access of a channel. `column` counts whole accesses (bursts), not device columns.
struct Location {
  std::uint32_t rank = 0;
  std::uint32_t bank_group = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;

  friend constexpr bool operator==(const Location&, const Location&) = default;
};

/// One access of `Organization::access_bytes()` bytes.
struct Request {
  RequestId id;
  Operation operation = Operation::kRead;
  std::uint64_t address = 0;  ///< in bytes; equal addresses are what forwarding looks for
  Location where;
};

}  // namespace neardata::dram
