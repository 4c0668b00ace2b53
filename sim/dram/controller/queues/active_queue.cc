// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/queues/active_queue.h"

namespace neardata::dram {

std::optional<Command> ActiveQueue::next_command(const Entry& entry) const {
  if (banks_->has_open(entry.bank, entry.row)) return access(entry);
  if (banks_->is_activating(entry.bank)) return std::nullopt;
  if (!banks_->is_open(entry.bank)) return commands_->activate;
  const bool waits = keeps_hit_rows_ && any([&](EntryIndex i) {
                       const Entry& hit = (*pool_)[i];
                       return hit.bank == entry.bank && banks_->has_open(hit.bank, hit.row) &&
                              hit.arrive <= entry.arrive;
                     });
  if (waits) return std::nullopt;
  return commands_->close(Reach::kBank);
}

void ActiveQueue::reopened(EntryIndex entry) {
  erase(entry);
  insert(entry);
  const BankIndex bank = (*pool_)[entry].bank;
  if (std::ranges::find(reopened_, bank) == reopened_.end()) reopened_.push_back(bank);
}

void ActiveQueue::insert(EntryIndex entry) {
  Entry& added = (*pool_)[entry];
  added.opened = activations_++;
  OfRank& rank = ranks_[readiness_->rank_of(added.bank)];
  std::size_t place = rank.entries.size();
  while (place > 0 && is_served_before(added, (*pool_)[rank.entries[place - 1]])) --place;
  const auto at = static_cast<std::ptrdiff_t>(place);
  rank.entries.insert(rank.entries.begin() + at, entry);
  rank.banks.insert(rank.banks.begin() + at, added.bank);
  rank.accesses.insert(place);
  rank.accesses.set(place, access(added), added.bank, *readiness_);
  ++size_;
}

void ActiveQueue::erase(EntryIndex entry) {
  OfRank& rank = ranks_[readiness_->rank_of((*pool_)[entry].bank)];
  const auto found = std::ranges::find(rank.entries, entry);
  const std::ptrdiff_t place = found - rank.entries.begin();
  rank.entries.erase(found);
  rank.banks.erase(rank.banks.begin() + place);
  rank.accesses.erase(static_cast<std::size_t>(place));
  --size_;
}

/// No access of the rank is ready before the result. `ready` is the part of RankReady of the rank.
Cycle ActiveQueue::bound_of_rank(const std::int64_t* ready) const {
  std::int64_t bound = std::min(ready[read_], ready[write_]);
  for (std::uint32_t i = 1; i < logical_ranks_; ++i) {
    ready += kCommands;
    bound = std::min(bound, std::min(ready[read_], ready[write_]));
  }
  return {bound};
}

Cycle ActiveQueue::bound(const std::int64_t* all, Cycle from) const {
  Cycle bound = kNever;
  for (const OfRank& rank : ranks_) {
    if (!rank.entries.empty()) bound = std::min(bound, bound_of_rank(all));
    all += logical_ranks_ * kCommands;
  }
  return std::max(bound, from);
}

Choice ActiveQueue::first_access(const std::int64_t* all, Cycle from) const {
  Choice first;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const OfRank& rank = ranks_[r];
    if (rank.entries.empty()) continue;
    const Cycle bound = std::max(bound_of_rank(all + r * logical_ranks_ * kCommands), from);
    if (bound > first.when) continue;
    const auto [place, ready] = rank.accesses.first_of_earliest(all, bound);
    const Cycle when = std::max(ready, from);
    const EntryIndex entry = rank.entries[place];
    if (precedes(entry, when, first)) first = {when, entry, rank.accesses.command(place)};
  }
  return first;
}

bool ActiveQueue::protects_reopened() const {
  return !reopened_.empty() &&
         any([&](EntryIndex i) { return !banks_->is_activating((*pool_)[i].bank); });
}

bool ActiveQueue::protects_reopened(BankIndex bank) const {
  return std::ranges::find(reopened_, bank) != reopened_.end() && protects_reopened();
}

bool ActiveQueue::protects_reopened_of_rank(std::uint32_t rank) const {
  const bool any = std::ranges::any_of(
      reopened_, [&](BankIndex bank) { return readiness_->rank_of(bank) == rank; });
  return any && protects_reopened();
}

}  // namespace neardata::dram
