// SPDX-License-Identifier: Apache-2.0
//
// Time, counts and sizes as distinct types. Time is integer femtoseconds (a run may last 4611 s);
// a cycle means something only together with a clock. `kUnit` is the unit in the layouts of
// records.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace neardata::core {

/// A point in time, or a span of time.
struct Fs {
  static constexpr const char* kUnit = "fs";
  std::int64_t value = 0;

  friend constexpr auto operator<=>(Fs, Fs) = default;
  friend constexpr Fs operator+(Fs a, Fs b) { return {a.value + b.value}; }
  friend constexpr Fs operator-(Fs a, Fs b) { return {a.value - b.value}; }
  friend constexpr Fs operator*(std::int64_t n, Fs a) { return {n * a.value}; }
};

inline constexpr std::int64_t kFsPerNs = 1'000'000;
inline constexpr std::int64_t kFsPerSecond = 1'000'000'000'000'000;

/// Later than anything that will happen.
inline constexpr Fs kNever{std::numeric_limits<std::int64_t>::max()};

/// A time as a number of a record: -1 for never.
constexpr double record_number(Fs time) {
  return time == kNever ? -1 : static_cast<double>(time.value);
}

/// Every run ends by this time, half of the largest value: latencies and periods, each below an
/// eighth of it, may be added to a time without a check.
inline constexpr Fs kLongestRun{std::int64_t{1} << 62U};

/// An edge of some clock, or a number of periods of it.
struct Cycle {
  static constexpr const char* kUnit = "cycles";
  std::int64_t value = 0;

  friend constexpr auto operator<=>(Cycle, Cycle) = default;
  friend constexpr Cycle operator+(Cycle a, Cycle b) { return {a.value + b.value}; }
  friend constexpr Cycle operator-(Cycle a, Cycle b) { return {a.value - b.value}; }
};

struct Hertz {
  static constexpr const char* kUnit = "Hz";
  std::int64_t value = 0;

  friend constexpr auto operator<=>(Hertz, Hertz) = default;
};

struct ByteCount {
  static constexpr const char* kUnit = "bytes";
  std::int64_t value = 0;

  friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return {a.value + b.value}; }
};

}  // namespace neardata::core
