// SPDX-License-Identifier: Apache-2.0
#include "core/engine/due_times.h"

#include <algorithm>

namespace neardata::core {

void DueTimes::hold() {
  const std::size_t blocks = (alarms_.size() + kBlock - 1) / kBlock;
  times_.assign(blocks * kBlock, kNever);
  first_.assign(blocks, kNever);
  ripe_.assign(blocks, 0);
  for (std::size_t i = 0; i < alarms_.size(); ++i) {
    times_[i] = alarms_[i]->due();
    alarms_[i]->due_ = &times_[i];
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
  const Fs* time = times_.data();
  for (Fs& first : first_) {
    std::int64_t least = kNever.value;
    for (std::size_t i = 0; i < kBlock; ++i) least = std::min(least, time[i].value);
    time += kBlock;
    first.value = least;
    earliest = std::min(earliest, least);
  }
  return {earliest};
}

/// Which are due is not to be foreseen: all of a block are compared at once, without a branch each.
void DueTimes::mark(Fs now) {
  Fs* time = times_.data();
  for (std::size_t block = 0; block < first_.size(); ++block, time += kBlock) {
    std::uint32_t ripe = 0;
    if (first_[block] <= now) {
#pragma GCC unroll 1  // the compiler would make sixteen of it before it sees vectors
      for (std::uint32_t i = 0; i < kBlock; ++i) {
        const std::uint32_t due = time[i].value <= now.value ? 1U : 0U;
        ripe |= due << i;
        time[i].value = due != 0 ? kNever.value : time[i].value;
      }
    }
    ripe_[block] = ripe;
  }
}

}  // namespace neardata::core
