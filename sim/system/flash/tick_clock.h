// SPDX-License-Identifier: Apache-2.0
//
// Ticks of the flash and femtoseconds of the machine. An event of a tick happens at the first
// femtosecond not before it; a request of the machine reaches the flash at the first tick not
// before it.
#pragma once

#include <cstdint>

#include "core/time.h"
#include "flash/types.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

class TickClock {
 public:
  explicit TickClock(std::int64_t ticks_per_ns) : ticks_per_ns_(ticks_per_ns) {}

  [[nodiscard]] std::int64_t ticks_per_ns() const { return ticks_per_ns_; }
  /// kNever from the end of time on.
  [[nodiscard]] core::Fs time_of(flash::Tick tick) const {
    return unit::BeatTimes{.first = tick.value, .ticks_per_ns = ticks_per_ns_}.at(0);
  }
  /// A tick is a femtosecond or longer, so a time has no more ticks than femtoseconds.
  [[nodiscard]] flash::Tick tick_of(core::Fs time) const {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(time.value, ticks_per_ns_, &product) &&
        product <= flash::kNever.value - core::kFsPerNs) [[likely]] {
      return {(product + core::kFsPerNs - 1) / core::kFsPerNs};
    }
    const __int128 ticks = __int128{time.value} * ticks_per_ns_ + core::kFsPerNs - 1;
    return {static_cast<std::int64_t>(ticks / core::kFsPerNs)};
  }

 private:
  std::int64_t ticks_per_ns_;
};

}  // namespace neardata::system
