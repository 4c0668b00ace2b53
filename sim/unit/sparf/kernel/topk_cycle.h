// SPDX-License-Identifier: Apache-2.0
//
// The times at which the `sparf_argtopk` of tokens offers its selections to a receiver that may
// stall. Output beats of keys are requested in order, one per cycle, while a slot is free. A beat
// occupies its slot until it has no selection, or until its selections are accepted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "unit/sparf/kernel/sparf_kernel_latency.h"
#include "unit/sparf/kernel/sparf_kernel_time.h"

namespace neardata::unit {

class TopkCycle {
 public:
  /// Idle, ready for the next keys.
  [[nodiscard]] KernelTime idle() const { return idle_; }

  /// The first beat can be requested at `from`; `offered` are the beats that will be offered.
  void emit(KernelTime from, const std::vector<std::uint32_t>& offered) {
    offered_ = offered;
    next_ = 0;
    beat_ = 0;
    requested_ = from - 1;
    request();
    valid_ = requested_ + latency::kTopkOut;
  }

  [[nodiscard]] KernelTime valid() const { return valid_; }
  [[nodiscard]] std::uint32_t beat() const { return offered_[next_]; }
  [[nodiscard]] bool last() const { return next_ + 1 == offered_.size(); }

  void take(KernelTime now) {
    places_[static_cast<std::size_t>(place_)] = now + latency::kTopkTaken;
    if (last()) {
      valid_ = kNever;
      idle_ = now + latency::kTopkTaken;
      return;
    }
    ++next_;
    request();
    valid_ = std::max(now + 1, requested_ + latency::kTopkOut);
  }

 private:
  /// Requests the beats before the next offered one, and that one. Beats that occupy a place longer
  /// were accepted before, so their times are known.
  void request() {
    for (; beat_ <= offered_[next_]; ++beat_) {
      place_ = std::min_element(places_.begin(), places_.end()) - places_.begin();
      requested_ = std::max(requested_ + 1, places_[static_cast<std::size_t>(place_)]);
      places_[static_cast<std::size_t>(place_)] = requested_ + latency::kTopkDropped;
    }
  }

  std::vector<std::uint32_t> offered_;
  std::size_t next_ = 0;                                   ///< of them
  std::uint32_t beat_ = 0;                                 ///< to be requested next
  KernelTime requested_ = 0;                               ///< the one before
  std::array<KernelTime, latency::kTopkPlaces> places_{};  ///< from when they are free
  std::ptrdiff_t place_ = 0;                               ///< of the beat that is offered
  KernelTime valid_ = kNever;
  KernelTime idle_ = 0;
};

}  // namespace neardata::unit
