// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/scheduler.h"

namespace neardata::dram {

/// The cycle of a command for which the data clock may have to start in cycle `at`.
Cycle Scheduler::after_clock_start(Command command, BankIndex bank, Cycle at) const {
  const bool starts = at != kNever && commands_->effect(command).accesses() &&
                      !clocks_->runs(readiness_->rank_of(bank), at);
  return starts ? at + Cycle{1} : at;
}

/// The ready times of the candidates that the restraint permits.
void Scheduler::find_free(const Candidates& candidates, Cycle from, const Restraint& restraint,
                          ReadyTimes& ready) {
  candidates.find_ready(rank_ready(from), ready);
  if (restraint.commands != kAllCommands) candidates.bar_commands(restraint.commands, ready);
  if (restraint.due.empty()) return;
  candidates.bar_if([&](Command command, BankIndex bank,
                        Cycle when) { return delays_any(command, bank, when, restraint.due); },
                    from, ready);
}

Choice Scheduler::best_waiting(const RequestQueue& queue, Cycle from, const Restraint& restraint) {
  const Candidates& candidates = queue.candidates();
  if (candidates.empty()) return {};
  const Candidates& blocked = queue.blocked();
  const bool none_blocked = !loses_cycles_ || blocked.empty();
  const bool free = restraint.due.empty() && restraint.commands == kAllCommands;
  if (free && none_blocked) {
    const std::int64_t least = candidates.find_ready(rank_ready(from), ready_);
    return candidates.oldest(ready_, least, from);
  }

  find_free(candidates, from, restraint, ready_);
  const Choice best = candidates.oldest(ready_, from);
  if (none_blocked || best.entry == kNoEntry) return best;

  // The oldest ready request of a cycle may be a blocked one, and the cycle is lost to the others.
  find_free(blocked, from, restraint, blocked_);
  const std::int64_t age = candidates.age_of(best.entry);
  bool barred = false;
  for (std::size_t i = 0; i < blocked.size(); ++i) {
    barred |= (blocked.age(i) < age) & (blocked_[i] <= best.when.value);
  }
  if (!barred) return best;
  for (std::size_t i = 0; i < blocked.size(); ++i) {
    candidates.bar(blocked.age(i), Cycle{blocked_[i]}, from, ready_);
  }
  return candidates.oldest(ready_, from);
}

}  // namespace neardata::dram
