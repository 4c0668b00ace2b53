// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/sparf_kernel_counts.h"

#include <algorithm>

namespace neardata::unit {

std::int64_t SparfKernelCounts::Burst::before(std::int64_t end) const {
  const std::int64_t whole = std::clamp<std::int64_t>((end - begin) / period, 0, count);
  if (whole == count || end <= begin) return whole * run;
  return whole * run + std::min(run, end - begin - whole * period);
}

void SparfKernelCounts::count_levels(std::int64_t cycles) {
  if (high(Level::kHeads) && high(Level::kKeysIdle)) add(SparfKernelEvent::kKeyWait, cycles);
  if (high(Level::kHeads) && high(Level::kValuesIdle)) add(SparfKernelEvent::kValueWait, cycles);
  if (high(Level::kKeysBlocked) || high(Level::kValuesBlocked)) {
    add(SparfKernelEvent::kBlocked, cycles);
  }
  if (high(Level::kSelect)) add(SparfKernelEvent::kSelect, cycles);
  if (high(Level::kFold)) add(SparfKernelEvent::kFold, cycles);
}

void SparfKernelCounts::pass(std::int64_t end) {
  while (passed_ < end) {
    std::int64_t until = end;
    for (Edges& level : levels_) {
      while (!level.edges.empty() && level.edges.front() <= passed_) {
        level.edges.pop_front();
        level.high = !level.high;
      }
      if (!level.edges.empty()) until = std::min(until, level.edges.front());
    }
    count_levels(until - passed_);
    passed_ = until;
  }
  // A burst is removed once it is over; its part that was counted before is not counted twice.
  std::erase_if(bursts_, [&](Burst& burst) {
    const std::int64_t strobes = burst.before(end);
    add(burst.event, strobes - burst.counted);
    burst.counted = strobes;
    return strobes == burst.run * burst.count;
  });
}

}  // namespace neardata::unit
