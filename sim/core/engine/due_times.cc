// SPDX-License-Identifier: Apache-2.0
#include "core/engine/due_times.h"

#include <algorithm>

namespace neardata::core {

void DueTimes::hold() {
  blocks_.resize((alarms_.size() + kBlock - 1) / kBlock);
  for (Block& block : blocks_) block.times.fill(kNever);
  for (std::size_t i = 0; i < alarms_.size(); ++i) {
    Fs& time = blocks_[i / kBlock].times[i % kBlock];
    time = alarms_[i]->due();
    alarms_[i]->due_ = &time;
  }
}

void DueTimes::release() {
  for (Alarm* alarm : alarms_) {
    alarm->own_ = alarm->due();
    alarm->due_ = &alarm->own_;
  }
}

Fs DueTimes::earliest() {
  std::int64_t earliest = kNever.value;
  for (Block& block : blocks_) {
    std::int64_t least = kNever.value;
    for (const Fs time : block.times) least = std::min(least, time.value);
    block.first.value = least;
    earliest = std::min(earliest, least);
  }
  return {earliest};
}

/// Which are due is not to be foreseen: all of a block are compared at once, without a branch each.
void DueTimes::mark(Fs now) {
  for (Block& block : blocks_) {
    std::uint32_t ripe = 0;
    if (block.first <= now) {
#pragma GCC unroll 1  // otherwise the compiler unrolls it sixteen times before it vectorises
      for (std::uint32_t i = 0; i < kBlock; ++i) {
        std::int64_t& time = block.times[i].value;
        const std::uint32_t due = time <= now.value ? 1U : 0U;
        ripe |= due << i;
        time = due != 0 ? kNever.value : time;
      }
    }
    block.ripe = ripe;
  }
}

}  // namespace neardata::core
