// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/queues/candidates.h"

namespace neardata::dram {

void Candidates::add(EntryIndex entry) {
  Entry& added = (*pool_)[entry];
  added.place = static_cast<std::uint16_t>(size());
  times_.push_back();
  age_.push_back(added.order << kEntryBits | entry);
}

void Candidates::remove(EntryIndex entry) {
  const std::size_t place = (*pool_)[entry].place;
  (*pool_)[entry_of(age_.back())].place = static_cast<std::uint16_t>(place);
  times_.replace_by_last(place);
  age_[place] = age_.back();
  age_.pop_back();
}

void Candidates::bar(std::int64_t age, Cycle when, Cycle from, ReadyTimes& ready) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const bool late = std::max(ready[i], from.value) >= when.value;
    ready[i] |= never_if((age_[i] > age) & late);
  }
}

void Candidates::bar_commands(CommandSet commands, ReadyTimes& ready) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!has(commands, times_.command(i))) ready[i] = kNever.value;
  }
}

}  // namespace neardata::dram
