// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/scheduler.h"

#include <algorithm>
#include <tuple>

namespace neardata::dram {

Choice Scheduler::best_active(const ActiveQueue& queue, Cycle from) const {
  Choice best;
  Cycle arrived = kNever;
  for (const EntryIndex i : queue.entries()) {
    const Entry& entry = (*pool_)[i];
    const Command access = ActiveQueue::access(entry);
    const Cycle when = std::max(readiness_->ready(access, entry.bank), from);
    if (std::tie(when, entry.arrive) >= std::tie(best.when, arrived)) continue;
    best = {when, i, access};
    arrived = entry.arrive;
  }
  return best;
}

Choice Scheduler::best_waiting(const RequestQueue& queue, Cycle from,
                               const std::vector<std::uint8_t>* held) {
  const Candidates& candidates = queue.candidates();
  if (candidates.empty()) return {};
  const Candidates& stuck = queue.stuck();
  const bool nothing_stuck = !loses_cycles_ || stuck.empty();
  if (held == nullptr && nothing_stuck) return candidates.oldest_of_first(rank_ready(), from);

  candidates.find_ready(rank_ready(), ready_);
  if (held != nullptr) candidates.bar_banks(*held, ready_);
  const Choice best = candidates.oldest_of_left(ready_, from);
  if (nothing_stuck || best.entry == kNoEntry) return best;

  // The oldest ready request of a cycle may be a stuck one, and the cycle is lost to the others.
  stuck.find_ready(rank_ready(), stuck_);
  if (held != nullptr) stuck.bar_banks(*held, stuck_);
  const std::int64_t age = candidates.age_of(best.entry);
  bool barred = false;
  for (std::size_t i = 0; i < stuck.size(); ++i) {
    barred |= (stuck.age(i) < age) & (stuck_[i] <= best.when.value);
  }
  if (!barred) return best;
  for (std::size_t i = 0; i < stuck.size(); ++i) {
    candidates.bar(stuck.age(i), Cycle{stuck_[i]}, from, ready_);
  }
  return candidates.oldest_of_left(ready_, from);
}

}  // namespace neardata::dram
