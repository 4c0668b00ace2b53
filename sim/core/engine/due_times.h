// SPDX-License-Identifier: Apache-2.0
//
// The due times of many components, in one flat array that their alarms write to. Finding the
// earliest reads only this array, from end to end, some eight entries per nanosecond, and skips
// blocks without a component that is due.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/component.h"
#include "core/time.h"

namespace neardata::core {

class DueTimes {
 public:
  /// Alarms are numbered in the order of their addition. None may be added while they are held.
  void add(Alarm& alarm) { alarms_.push_back(&alarm); }

  /// Moves the times of all alarms into the array, until `release`.
  void hold();
  void release();

  /// While held: the earliest time of all; kNever if nothing is due.
  [[nodiscard]] Fs earliest();
  /// Calls `call` with the number of each alarm that is due at `now`, the result of the last
  /// `earliest`, in order, until it returns false. An alarm is not due again until it is set: an
  /// alarm that one component sets for a later one at this instant is not lost.
  template <typename Call>
  bool take(Fs now, const Call& call) {
    mark(now);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (std::uint32_t rest = blocks_[block].ripe; rest != 0; rest &= rest - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(rest));
        if (!call(block * kBlock + at)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kBlock = 16;

  /// In separate cache lines, because other threads write those of their partitions concurrently.
  struct alignas(64) Block {
    std::array<Fs, kBlock> times;  ///< filled up with kNever
    Fs first;                      ///< of them, when `earliest` looked
    std::uint32_t ripe = 0;        ///< a bit of each that is due
  };

  /// Updates the set of due components.
  void mark(Fs now);

  std::vector<Alarm*> alarms_;
  std::vector<Block> blocks_;
};

}  // namespace neardata::core
