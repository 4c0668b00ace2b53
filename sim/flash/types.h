// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the flash back end: time in integer ticks, page addresses, requests and their
// outcomes. The device description has the length of a tick (a whole number of ticks to the
// nanosecond, chosen so that two bytes take a whole number of ticks on the bus).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace neardata::flash {

/// A point in time or a span of time, in ticks of the device.
struct Tick {
  std::int64_t value = 0;

  friend constexpr auto operator<=>(Tick, Tick) = default;
  friend constexpr Tick operator+(Tick a, Tick b) { return {a.value + b.value}; }
  friend constexpr Tick operator-(Tick a, Tick b) { return {a.value - b.value}; }
  friend constexpr Tick operator*(std::int64_t n, Tick a) { return {n * a.value}; }
};

/// Later than anything that will happen.
inline constexpr Tick kNever{std::numeric_limits<std::int64_t>::max()};

/// As a number of a record: NaN for never.
constexpr double record_number(Tick tick) {
  return tick == kNever ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(tick.value);
}

/// When an event happens and, for events of one tick, which was scheduled first: events of a device
/// are handled in this order, whichever channel they are on.
struct EventKey {
  Tick when = kNever;
  std::uint64_t order = 0;

  friend constexpr auto operator<=>(const EventKey&, const EventKey&) = default;
};

/// Chosen by the submitter; returned with the completion.
struct RequestId {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(RequestId, RequestId) = default;
};

enum class Operation : std::uint8_t { kRead, kProgram, kErase };
inline constexpr unsigned kOperations = 3;

/// Which one gets the bus when a page waits to leave and an idle die waits for a command.
enum class Arbitration : std::uint8_t { kDataFirst, kCommandFirst };

/// Planes of one die work together if a command finds requests for several of them.
inline constexpr unsigned kMaxPlanes = 16;

/// The place of a page within its channel.
struct PageAddress {
  std::uint32_t die = 0;
  std::uint32_t plane = 0;
  std::uint32_t block = 0;
  std::uint32_t page = 0;

  friend constexpr auto operator<=>(const PageAddress&, const PageAddress&) = default;
};

/// The place of a page within its device.
struct Place {
  std::uint32_t channel = 0;
  PageAddress address;

  friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// One page of work for one channel. `bytes` cross the bus (none for an erase); even.
struct PageRequest {
  RequestId id;
  Operation operation = Operation::kRead;
  PageAddress address;
  std::uint32_t bytes = 0;
};

/// A completed page. `data_out` is the start of its transfer for a read, kNever otherwise; `planes`
/// is the number of pages of the command.
struct Completion {
  RequestId id;
  Tick command;
  Tick data_out = kNever;
  Tick done;
  std::uint32_t planes = 1;
};

}  // namespace neardata::flash
