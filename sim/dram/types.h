// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of a memory channel: time in cycles of its command clock, commands, requests and
// their locations. A channel is one independent command and data bus (a DDR5 sub-channel, or the
// private bus of one rank in NDP mode).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

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

/// Chosen by the submitter; reported with the command and the completion.
struct RequestId {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(RequestId, RequestId) = default;
};

enum class Operation : std::uint8_t { kRead, kWrite };

/// A command by its place in the list of a memory standard (commands.h).
struct Command {
  std::uint8_t number = 0;

  friend constexpr auto operator<=>(Command, Command) = default;
};
/// Commands of a channel at most. A channel with up to kFewCommands computes the ready times of
/// those alone: a line of a cache.
inline constexpr std::size_t kCommands = 16;
inline constexpr std::size_t kFewCommands = 8;

constexpr std::size_t index(Command command) { return command.number; }

/// The action of a command: it opens a row, closes a row, transfers a burst, or refreshes. An
/// activation of two commands is kStartOpen and kOpen. kSyncRead and kSyncWrite start the data
/// clock for a read or a write. kManage is a refresh because of activations (RFM).
enum class Action : std::uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kRefresh,
  kStartOpen,
  kSyncRead,
  kSyncWrite,
  kManage
};

/// Banks that a command addresses: one, the bank of this number in every bank group, or all of a
/// rank.
enum class Reach : std::uint8_t { kBank, kSameBank, kRank };

struct Effect {
  Action action = Action::kOpen;
  Reach reach = Reach::kBank;
  bool closes = false;  ///< an access that precharges its bank afterwards

  friend constexpr bool operator==(Effect, Effect) = default;

  [[nodiscard]] constexpr bool accesses() const {
    return action == Action::kRead || action == Action::kWrite;
  }
  [[nodiscard]] constexpr bool synchronises() const {
    return action == Action::kSyncRead || action == Action::kSyncWrite;
  }
  /// A refresh, or an RFM.
  [[nodiscard]] constexpr bool refreshes() const {
    return action == Action::kRefresh || action == Action::kManage;
  }
  /// Whether the command has a column, and whether it has a row.
  [[nodiscard]] constexpr bool has_column() const { return accesses() || synchronises(); }
  [[nodiscard]] constexpr bool has_row() const {
    return has_column() || action == Action::kOpen || action == Action::kStartOpen;
  }
};

/// One access of a channel. `column` counts whole accesses (bursts), not device columns.
struct Location {
  std::uint32_t rank = 0;
  std::uint32_t bank_group = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t logical_rank = 0;  ///< within the rank

  friend constexpr bool operator==(const Location&, const Location&) = default;
};

/// One access of `Organization::access_bytes()` bytes.
struct Request {
  RequestId id;
  Operation operation = Operation::kRead;
  std::uint64_t address = 0;  ///< in bytes; forwarding compares it for equality
  Location where;
};

}  // namespace neardata::dram
