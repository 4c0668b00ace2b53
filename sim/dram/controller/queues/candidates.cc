// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/queues/candidates.h"

namespace neardata::dram {

void Candidates::add(EntryIndex entry) {
  Entry& added = (*pool_)[entry];
  added.place = static_cast<std::uint16_t>(local_.size());
  local_.push_back(kNever.value);
  rank_command_.push_back(0);
  age_.push_back(added.order << kEntryBits | entry);
}

void Candidates::remove(EntryIndex entry) {
  const std::size_t place = (*pool_)[entry].place;
  (*pool_)[entry_of(age_.back())].place = static_cast<std::uint16_t>(place);
  local_[place] = local_.back();
  rank_command_[place] = rank_command_.back();
  age_[place] = age_.back();
  local_.pop_back();
  rank_command_.pop_back();
  age_.pop_back();
}

void Candidates::find_ready(const RankReady& ranks, ReadyTimes& ready) const {
  ready.resize(size());
  for (std::size_t i = 0; i < size(); ++i) ready[i] = this->ready(ranks, i);
}

void Candidates::bar(std::int64_t age, Cycle when, Cycle from, ReadyTimes& ready) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const bool barred = age_[i] > age && std::max(ready[i], from.value) >= when.value;
    if (barred) ready[i] = kNever.value;
  }
}

void Candidates::bar_banks(const std::vector<std::uint8_t>& held, ReadyTimes& ready) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (held[(*pool_)[entry_of(age_[i])].bank] != 0) ready[i] = kNever.value;
  }
}

void Candidates::bar_commands(CommandSet commands, ReadyTimes& ready) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!has(commands, command_of(rank_command_[i]))) ready[i] = kNever.value;
  }
}

bool Candidates::any_outside(const std::vector<std::uint8_t>& held) const {
  return std::ranges::any_of(
      age_, [&](std::int64_t age) { return held[(*pool_)[entry_of(age)].bank] == 0; });
}

}  // namespace neardata::dram
