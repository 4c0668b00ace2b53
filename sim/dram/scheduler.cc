// SPDX-License-Identifier: Apache-2.0
#include "dram/scheduler.h"

#include <algorithm>

namespace neardata::dram {

Choice Scheduler::best_active(Cycle from) const {
  Choice best;
  Cycle oldest = kNever;
  for (const EntryIndex i : active_->entries()) {
    const Entry& entry = (*pool_)[i];
    const Command access =
        entry.operation == Operation::kRead ? Command::kRead : Command::kWrite;
    const Cycle when = std::max(from, readiness_->ready(access, entry.bank));
    if (when < best.when || (when == best.when && entry.arrive < oldest)) {
      best = {when, i, access};
      oldest = entry.arrive;
    }
  }
  return best;
}

Choice Scheduler::best_waiting(RequestQueue& queue, Command access, Cycle from) {
  Choice best;
  std::uint64_t best_order = 0;
  const auto consider = [&](EntryIndex entry, Command command, BankIndex bank, Cycle& bound) {
    if (bound > best.when) return;
    bound = readiness_->ready(command, bank);
    const Cycle when = std::max(from, bound);
    const std::uint64_t order = (*pool_)[entry].order;
    if (when < best.when || (when == best.when && order < best_order)) {
      best = {when, entry, command};
      best_order = order;
    }
  };

  barriers_.clear();
  for (const BankIndex bank : queue.occupied()) {
    RequestQueue::Candidates& candidates = queue.candidates(bank);
    if (candidates.hit != kNoEntry) {
      consider(candidates.hit, access, bank, candidates.hit_bound);
    }
    if (candidates.miss == kNoEntry) continue;
    if (!banks_->is_open(bank)) {
      consider(candidates.miss, Command::kActivate, bank, candidates.miss_bound);
    } else if (!active_->protects_bank(bank)) {
      consider(candidates.miss, Command::kPrecharge, bank, candidates.miss_bound);
    } else {
      const Cycle when = std::max(from, readiness_->ready(Command::kPrecharge, bank));
      barriers_.push_back({when, (*pool_)[candidates.miss].order});
    }
  }
  if (best.entry != kNoEntry && barred(best.when, best_order)) {
    return best_past_barriers(queue, access, from);
  }
  return best;
}

bool Scheduler::barred(Cycle when, std::uint64_t order) const {
  return std::any_of(barriers_.begin(), barriers_.end(), [&](const Barrier& barrier) {
    return barrier.order < order && barrier.when <= when;
  });
}

Choice Scheduler::best_past_barriers(RequestQueue& queue, Command access, Cycle from) const {
  Choice best;
  std::uint64_t best_order = 0;
  const auto consider = [&](EntryIndex entry, Command command, BankIndex bank) {
    if (entry == kNoEntry) return;
    const Cycle when = std::max(from, readiness_->ready(command, bank));
    const std::uint64_t order = (*pool_)[entry].order;
    if (when > best.when || (when == best.when && order > best_order)) return;
    if (barred(when, order)) return;
    best = {when, entry, command};
    best_order = order;
  };
  for (const BankIndex bank : queue.occupied()) {
    const RequestQueue::Candidates& candidates = queue.candidates(bank);
    const bool open = banks_->is_open(bank);
    consider(candidates.hit, access, bank);
    if (open && active_->protects_bank(bank)) continue;
    consider(candidates.miss, open ? Command::kPrecharge : Command::kActivate, bank);
  }
  return best;
}

}  // namespace neardata::dram
