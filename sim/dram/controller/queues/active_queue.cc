// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/queues/active_queue.h"

namespace neardata::dram {

std::optional<Command> ActiveQueue::next_command(const Entry& entry) const {
  if (banks_->has_open(entry.bank, entry.row)) return access(entry);
  if (banks_->is_activating(entry.bank)) return std::nullopt;
  if (!banks_->is_open(entry.bank)) return commands_->activate;
  const bool waits = keeps_hit_rows_ && std::ranges::any_of(entries_, [&](EntryIndex i) {
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
  const Entry& added = (*pool_)[entry];
  std::size_t place = entries_.size();
  while (place > 0 && (*pool_)[entries_[place - 1]].arrive > added.arrive) --place;
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), entry);
  bank_.insert(bank_.begin() + static_cast<std::ptrdiff_t>(place), added.bank);
  accesses_.insert(place);
  accesses_.set(place, access(added), added.bank, *readiness_);
}

void ActiveQueue::erase(EntryIndex entry) {
  const auto found = std::ranges::find(entries_, entry);
  const std::ptrdiff_t place = found - entries_.begin();
  entries_.erase(found);
  bank_.erase(bank_.begin() + place);
  accesses_.erase(static_cast<std::size_t>(place));
}

bool ActiveQueue::protects_reopened() const {
  return !reopened_.empty() && std::ranges::any_of(entries_, [&](EntryIndex i) {
    return !banks_->is_activating((*pool_)[i].bank);
  });
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
