// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/scheduler.h"

namespace neardata::dram {

/// The ready times of candidates that the restraint lets go.
void Scheduler::find_free(const Candidates& candidates, Cycle from, const Restraint& restraint,
                          ReadyTimes& ready) {
  candidates.find_ready(rank_ready(from), ready);
  if (restraint.commands != kAllCommands) candidates.bar_commands(restraint.commands, ready);
  if (restraint.held != nullptr) candidates.bar_banks(*restraint.held, ready);
  if (restraint.due.empty()) return;
  candidates.bar_if([&](Command command, BankIndex bank,
                        Cycle when) { return delays_any(command, bank, when, restraint.due); },
                    from, ready);
}

Choice Scheduler::best_waiting(const RequestQueue& queue, Cycle from, const Restraint& restraint) {
  const Candidates& candidates = queue.candidates();
  if (candidates.empty()) return {};
  const Candidates& stuck = queue.stuck();
  const bool nothing_stuck = !loses_cycles_ || stuck.empty();
  const bool free =
      restraint.held == nullptr && restraint.due.empty() && restraint.commands == kAllCommands;
  if (free && nothing_stuck) return candidates.oldest_of_first(rank_ready(from), from);

  find_free(candidates, from, restraint, ready_);
  const Choice best = candidates.oldest_of_left(ready_, from);
  if (nothing_stuck || best.entry == kNoEntry) return best;

  // The oldest ready request of a cycle may be a stuck one, and the cycle is lost to the others.
  find_free(stuck, from, restraint, stuck_);
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
