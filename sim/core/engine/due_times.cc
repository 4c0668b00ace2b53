// SPDX-License-Identifier: Apache-2.0
#include "core/engine/due_times.h"

#include <algorithm>

namespace neardata::core {

void DueTimes::hold() {
  const std::size_t blocks = (alarms_.size() + kBlock - 1) / kBlock;
  times_.assign(blocks * kBlock, kNever);
  first_.assign(blocks, kNever);
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

void DueTimes::take(Fs now, std::vector<std::uint32_t>& due) {
  due.clear();
  for (std::size_t block = 0; block < first_.size(); ++block) {
    if (first_[block] > now) continue;
    for (std::size_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      if (times_[i] > now) continue;
      times_[i] = kNever;
      due.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

}  // namespace neardata::core
