// SPDX-License-Identifier: Apache-2.0
//
// A clock domain. Edge n has the time floor(n * 10^15 / hz) femtoseconds, exactly, for every n with
// a representable time. Frequencies are whole hertz, 1 Hz to 10^15 Hz.
#pragma once

#include <cstdint>
#include <numeric>

#include "core/time.h"

namespace neardata::core {

class Clock {
 public:
  explicit constexpr Clock(Hertz frequency)
      : frequency_(frequency),
        numerator_(kFsPerSecond / std::gcd(kFsPerSecond, frequency.value)),
        denominator_(frequency.value / std::gcd(kFsPerSecond, frequency.value)),
        whole_(numerator_ / denominator_),
        part_(numerator_ % denominator_) {}

  [[nodiscard]] constexpr Hertz frequency() const { return frequency_; }

  // A division of 128 bits is many times slower than one of 64 bits, and is rarely necessary.

  [[nodiscard]] constexpr Fs edge(Cycle n) const {
    std::int64_t parts = 0;
    if (!__builtin_mul_overflow(n.value, part_, &parts)) {
      return {n.value * whole_ + parts / denominator_};
    }
    return {static_cast<std::int64_t>(Wide{n.value} * numerator_ / denominator_)};
  }

  /// The first edge at or after `t` (t >= 0).
  [[nodiscard]] constexpr Cycle at_or_after(Fs t) const {
    std::int64_t parts = 0;
    if (!__builtin_mul_overflow(t.value, denominator_, &parts) &&
        !__builtin_add_overflow(parts, numerator_ - 1, &parts)) {
      return {parts / numerator_};
    }
    return {
        static_cast<std::int64_t>((Wide{t.value} * denominator_ + numerator_ - 1) / numerator_)};
  }

  /// The first edge strictly after `t` (t >= -1).
  [[nodiscard]] constexpr Cycle after(Fs t) const { return at_or_after(t + Fs{1}); }

  friend constexpr bool operator==(const Clock& a, const Clock& b) {
    return a.frequency_ == b.frequency_;
  }

 private:
  friend class EdgeCursor;
  using Wide = __int128;  // n * 10^15 outgrows 64 bits after 9223 edges

  Hertz frequency_;
  std::int64_t numerator_;  ///< one period is numerator_ / denominator_ femtoseconds
  std::int64_t denominator_;
  std::int64_t whole_;  ///< one period, whole femtoseconds
  std::int64_t part_;   ///< and the rest of it, in 1 / denominator
};

/// Visits the edges of a clock in order. Returns the same edges as the clock, without a division if
/// the next requested edge is near the last one.
class EdgeCursor {
 public:
  explicit constexpr EdgeCursor(const Clock& clock)
      : clock_(clock),
        per_denominator_(reciprocal(clock.denominator_)),
        per_longest_(reciprocal(clock.whole_ + 1)) {}

  [[nodiscard]] constexpr Cycle cycle() const { return cycle_; }
  [[nodiscard]] constexpr Fs time() const { return time_; }

  constexpr void next() { advance(1); }

  /// Moves to the first edge strictly after `t`, unless the cursor is past it already.
  constexpr void move_after(Fs t) {
    const std::int64_t gap = t.value - time_.value;
    if (gap < 0) return;
    if (gap < clock_.whole_) {
      next();
    } else if (gap > kNear * clock_.whole_) {
      jump(clock_.after(t));
    } else {
      // No period is longer than this one, so the edge is not passed, and hardly ever missed.
      advance(quotient(gap, per_longest_) + 1);
      while (time_ <= t) next();
    }
  }

  /// Moves to edge `n`, also backwards.
  constexpr void move_to(Cycle n) {
    const std::int64_t cycles = n.value - cycle_.value;
    if (cycles < 0 || cycles > kNear) {
      jump(n);
    } else {
      advance(cycles);
    }
  }

 private:
  using Unsigned = unsigned __int128;

  /// So many cycles ahead, products of fewer than 10^15 times as many cycles fit 64 bits.
  static constexpr std::int64_t kNear = 4096;

  /// 2^64 / n, rounded down, at most 2^64 - 1.
  static constexpr std::uint64_t reciprocal(std::int64_t n) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    if (n == 1) return kMost;
    return static_cast<std::uint64_t>((Unsigned{kMost} + 1) / static_cast<std::uint64_t>(n));
  }
  /// x / n for 0 <= x, rounded down, or one less.
  static constexpr std::int64_t quotient(std::int64_t x, std::uint64_t reciprocal_of_n) {
    return static_cast<std::int64_t>(Unsigned{static_cast<std::uint64_t>(x)} * reciprocal_of_n >>
                                     64U);
  }

  constexpr void advance(std::int64_t cycles) {
    const std::int64_t rest = rest_ + clock_.part_ * cycles;
    const std::int64_t carried = quotient(rest, per_denominator_);
    cycle_.value += cycles;
    time_.value += clock_.whole_ * cycles + carried;
    rest_ = rest - carried * clock_.denominator_;
    const bool over = rest_ >= clock_.denominator_;
    time_.value += over ? 1 : 0;
    rest_ -= over ? clock_.denominator_ : 0;
  }

  constexpr void jump(Cycle n) {
    cycle_ = n;
    time_ = clock_.edge(n);
    rest_ = static_cast<std::int64_t>(Clock::Wide{n.value} * clock_.part_ % clock_.denominator_);
  }

  Clock clock_;
  std::uint64_t per_denominator_;
  std::uint64_t per_longest_;  ///< period
  Cycle cycle_;
  Fs time_;
  std::int64_t rest_ = 0;  ///< of the current edge, in 1 / denominator
};

}  // namespace neardata::core
