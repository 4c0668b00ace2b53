// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/candidates.h"

#include <algorithm>

namespace neardata::dram {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

/// `value` or kNone, without a branch: written as a choice, the loops are not vectorised.
std::int64_t value_if(bool condition, std::int64_t value) {
  const std::int64_t all = -std::int64_t{condition};
  return (value & all) | (kNone & ~all);
}

}  // namespace

void Candidates::add(EntryIndex entry, std::int64_t age, std::int64_t turn) {
  (*pool_)[entry].place = static_cast<std::uint16_t>(local_.size());
  local_.push_back(kNone);
  rank_command_.push_back(0);
  age_.push_back(age);
  turn_.push_back(turn << kEntryBits | entry);
}

void Candidates::remove(EntryIndex entry) {
  const std::size_t place = (*pool_)[entry].place;
  const std::size_t last = local_.size() - 1;
  (*pool_)[entry_of(turn_[last])].place = static_cast<std::uint16_t>(place);
  local_[place] = local_[last];
  rank_command_[place] = rank_command_[last];
  age_[place] = age_[last];
  turn_[place] = turn_[last];
  local_.pop_back();
  rank_command_.pop_back();
  age_.pop_back();
  turn_.pop_back();
}

void Candidates::find_ready(const RankReady& ranks, std::vector<std::int64_t>& ready) const {
  const std::size_t count = local_.size();
  ready.resize(count);
  std::int64_t* const out = ready.data();
  const std::int64_t* const local = local_.data();
  const std::int64_t* const table = ranks.data();
  const std::uint32_t* const where = rank_command_.data();
  for (std::size_t i = 0; i < count; ++i) out[i] = std::max(local[i], table[where[i]]);
}

void Candidates::bar(std::int64_t age, Cycle when, Cycle from,
                     std::vector<std::int64_t>& ready) const {
  const std::size_t count = ready.size();
  std::int64_t* const out = ready.data();
  const std::int64_t* const ages = age_.data();
  for (std::size_t i = 0; i < count; ++i) {
    const bool barred = (ages[i] > age) & (std::max(out[i], from.value) >= when.value);
    out[i] = value_if(!barred, out[i]);
  }
}

void Candidates::bar_banks(const std::vector<std::uint8_t>& held,
                           std::vector<std::int64_t>& ready) const {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (held[(*pool_)[entry_of(turn_[i])].bank] != 0) ready[i] = kNone;
  }
}

Choice Candidates::oldest_of_first(const std::vector<std::int64_t>& ready, Cycle from) const {
  const std::size_t count = ready.size();
  const std::int64_t* const when = ready.data();
  const std::int64_t* const age = age_.data();
  const std::int64_t* const turn = turn_.data();
  std::int64_t first = kNone;
  for (std::size_t i = 0; i < count; ++i) first = std::min(first, when[i]);
  if (first == kNone) return {};
  first = std::max(first, from.value);
  std::int64_t oldest = kNone;
  for (std::size_t i = 0; i < count; ++i) {
    oldest = std::min(oldest, value_if(when[i] <= first, age[i]));
  }
  std::int64_t chosen = kNone;
  for (std::size_t i = 0; i < count; ++i) {
    const bool wins = (when[i] <= first) & (age[i] == oldest);
    chosen = std::min(chosen, value_if(wins, turn[i]));
  }
  return {Cycle{first}, entry_of(chosen)};
}

}  // namespace neardata::dram
