// SPDX-License-Identifier: Apache-2.0
//
// When each of many components is due, in one flat array that their alarms write to. Finding the
// earliest reads the array from end to end, some eight times a nanosecond, and nothing else; blocks
// without a component that is due are then passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/component.h"
#include "core/time.h"

namespace neardata::core {

class DueTimes {
 public:
  /// Alarms are numbered in the order in which they are added, none of them while they are held.
  void add(Alarm& alarm) { alarms_.push_back(&alarm); }

  /// From now on the times of all alarms lie in the array, until they are released.
  void hold();
  void release();

  /// While held: the earliest time of all; kNever when none is due, ever.
  [[nodiscard]] Fs earliest();
  /// Puts into `due` the numbers of those due at `now`, the time that `earliest` just gave, in
  /// order. They are not due again until their alarm is set: what one component sets for another
  /// at this instant must not be lost when the other's turn comes after.
  void take(Fs now, std::vector<std::uint32_t>& due);

 private:
  static constexpr std::size_t kBlock = 16;

  std::vector<Alarm*> alarms_;
  std::vector<Fs> times_;  ///< whole blocks, filled up with kNever
  std::vector<Fs> first_;  ///< of each block, when `earliest` looked
};

}  // namespace neardata::core
