// SPDX-License-Identifier: Apache-2.0
//
// Physical limits of every model. A guard checks whether an event of a model is possible. It uses
// pins, rates and closed-form latencies, and is independent of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/time.h"

namespace neardata::core {

/// The peak rate of a bus: `pins` data pins, each `transfers_per_second` bits per second.
struct BusRate {
  std::int64_t pins = 0;
  std::int64_t transfers_per_second = 0;

  /// Minimum time of `bytes` in femtoseconds; rounded down, as clock edges are.
  [[nodiscard]] Fs time_for(ByteCount bytes) const;
};

/// Bound: in any span of time, no more bytes than pins x rate x time. Each transfer must end at
/// least its own transfer time after the previous one, and the first after time 0.
class BusGuard {
 public:
  BusGuard(std::string place, BusRate rate) : place_(std::move(place)), rate_(rate) {}

  /// `bytes` were complete at `end`; times never decrease.
  [[nodiscard]] std::optional<SimError> transfer(ByteCount bytes, Fs end) {
    const Fs span = bytes == last_bytes_ ? last_span_ : rate_.time_for(bytes);
    last_bytes_ = bytes;
    last_span_ = span;
    if (end < free_ + span) return fault(bytes, end);
    free_ = end;
    total_ = total_ + bytes;
    return std::nullopt;
  }

  [[nodiscard]] ByteCount total() const { return total_; }

 private:
  [[nodiscard]] SimError fault(ByteCount bytes, Fs end) const;

  std::string place_;
  BusRate rate_;
  Fs free_;  ///< the end of the last transfer
  ByteCount last_bytes_;
  Fs last_span_;
  ByteCount total_;
};

/// No answer sooner than a closed-form floor after its request.
class LatencyGuard {
 public:
  LatencyGuard(std::string place, Fs floor) : place_(std::move(place)), floor_(floor) {}

  [[nodiscard]] std::optional<SimError> answer(Fs asked, Fs answered) const {
    if (answered - asked >= floor_) return std::nullopt;
    return fault(asked, answered);
  }

 private:
  [[nodiscard]] SimError fault(Fs asked, Fs answered) const;

  std::string place_;
  Fs floor_;
};

/// How often a rank is refreshed.
struct RefreshRate {
  Cycle interval;              ///< from one refresh to the next; zero without refresh
  std::int64_t postponed = 0;  ///< refreshes that may be owed at a time
  Cycle elapsed;               ///< at cycle 0, since the last refresh

  /// The rate of rank `rank` of `ranks`, which refresh one after another at equal distances.
  [[nodiscard]] RefreshRate of_turn(std::int64_t rank, std::int64_t ranks) const {
    if (interval == Cycle{}) return *this;
    const std::int64_t sum = elapsed.value + interval.value * rank / ranks;
    return {interval, postponed, Cycle{sum % interval.value}};
  }
};

/// Bound: a rank is refreshed as often as its time requires, whichever controller owns it. Owed
/// refreshes never exceed the allowed postponement, and no refresh is early. Counts the refreshes
/// of the rank.
class RefreshGuard {
 public:
  RefreshGuard(std::string place, RefreshRate rate) : place_(std::move(place)), rate_(rate) {}

  /// The rank was refreshed in cycle `now`, at `time`.
  [[nodiscard]] std::optional<SimError> refreshed(Cycle now, Fs time) {
    auto behind = check(now, time);
    ++count_;
    if (behind || rate_.interval == Cycle{}) return behind;
    return count_ > due(now) ? std::optional(fault(now, time)) : std::nullopt;
  }
  /// The rank is at cycle `now`.
  [[nodiscard]] std::optional<SimError> check(Cycle now, Fs time) const {
    if (due(now) - count_ <= rate_.postponed) return std::nullopt;
    return fault(now, time);
  }
  /// Continues with the count of another guard of the rank.
  void take(std::int64_t count) { count_ = count; }

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Refreshes that are due by cycle `now`.
  [[nodiscard]] std::int64_t due(Cycle now) const {
    return rate_.interval == Cycle{} ? 0 : (now + rate_.elapsed).value / rate_.interval.value;
  }

 private:
  [[nodiscard]] SimError fault(Cycle now, Fs time) const;

  std::string place_;
  RefreshRate rate_;
  std::int64_t count_ = 0;
};

}  // namespace neardata::core
