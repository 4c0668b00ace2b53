// SPDX-License-Identifier: Apache-2.0
#include "dram/banks/readiness.h"

#include <bit>
#include <cassert>
#include <utility>

namespace neardata::dram {
namespace {

constexpr auto kRankLevel = static_cast<std::size_t>(Level::kRank);
constexpr auto kGroupLevel = static_cast<std::size_t>(Level::kBankGroup);
constexpr auto kBankLevel = static_cast<std::size_t>(Level::kBank);
constexpr auto kChannelLevel = static_cast<std::size_t>(Level::kChannel);
constexpr auto kLogicalLevel = static_cast<std::size_t>(Level::kLogicalRank);

Waits later(const Waits& a, const Waits& b) {
  Waits waits;
  std::ranges::transform(a, b, waits.begin(), [](auto x, auto y) { return std::max(x, y); });
  return waits;
}

}  // namespace

Readiness::Readiness(const Organization& organization, const Commands& commands,
                     ConstraintTable constraints)
    : commands_(commands),
      constraints_(std::move(constraints)),
      groups_per_rank_(organization.logical_ranks * organization.bank_groups),
      banks_per_group_(organization.banks_per_group),
      bank_bits_(static_cast<unsigned>(std::countr_zero(organization.banks_per_group))),
      group_bits_(static_cast<unsigned>(std::countr_zero(organization.bank_groups))),
      logical_bits_(static_cast<unsigned>(std::countr_zero(organization.logical_ranks))),
      has_finer_ranks_(organization.logical_ranks > 1 || commands.odd_cycles()),
      has_many_commands_(commands.size() > kFewCommands),
      ranks_(organization.ranks),
      logical_ranks_(organization.logical_ranks == 1
                         ? 0
                         : std::size_t{organization.ranks} * organization.logical_ranks),
      groups_(std::size_t{organization.ranks} * groups_per_rank_),
      banks_(organization.banks_per_channel()) {
  for (std::size_t c = 0; c < kCommands; ++c) {
    RankWaits& waits = rank_waits_[c];
    waits.own = later(constraints_.target[kChannelLevel][c], constraints_.target[kRankLevel][c]);
    waits.others = later(constraints_.target[kChannelLevel][c], constraints_.other_ranks[c]);
    for (std::uint8_t next = 0; next < commands_.size(); ++next) {
      if (constraints_.target[kGroupLevel][c][next] == kNoWait) continue;
      const Effect effect = commands_.effect({next});
      (effect.accesses() ? group_changes_[c].accesses : group_changes_[c].others) = true;
    }
    waits.any_others = constraints_.any[kChannelLevel][c] || constraints_.any_other_ranks[c];
  }
  for (const WindowedWaits& windowed : constraints_.windowed) {
    const History empty{std::vector<Cycle>(windowed.window, Cycle{kNoWait}), 0};
    histories_.emplace_back(organization.ranks, empty);
  }
}

Cycle Readiness::ready_same(Command command, std::uint32_t rank, std::uint32_t bank) const {
  Cycle when = ready_rank(command, rank);
  for (std::uint32_t g = 0; g < groups_per_rank_; ++g) {
    const std::uint32_t group = rank * groups_per_rank_ + g;
    when = std::max(when, ready(command, static_cast<BankIndex>(group * banks_per_group_ + bank)));
  }
  return when;
}

/// With the logical rank of the bank, in a cycle in which the command can begin.
Cycle Readiness::finer(Command command, BankIndex bank, Cycle when) const {
  const std::size_t logical = logical_rank_of(bank);
  const bool has_node = !logical_ranks_.empty();
  const std::int64_t least = has_node ? logical_ranks_[logical].ready[index(command)] : when.value;
  return commands_.from(command, std::max(when, Cycle{least}));
}

void Readiness::find_rank_ready(RankReady& ready, Cycle from) const {
  std::int64_t* out = ready.data();
  const std::size_t logical_ranks = ranks_.size() << logical_bits_;
  for (std::size_t logical = 0; logical < logical_ranks; ++logical) {
    const Node& rank = ranks_[logical >> logical_bits_];
    for (std::uint8_t c = 0; c < commands_.size(); ++c) {
      std::int64_t when = std::max(rank.ready[c], from.value);
      if (!logical_ranks_.empty()) when = std::max(when, logical_ranks_[logical].ready[c]);
      out[c] = commands_.from({c}, {when}).value;
    }
    out += kCommands;
  }
}

/// Whether the command moves the start of a window past the cycle in which `due` is ready.
bool Readiness::fills_window(Command command, std::uint32_t rank, Cycle at,
                             const DueCommand& due) const {
  for (std::size_t rule = 0; rule < constraints_.windowed.size(); ++rule) {
    const WindowedWaits& windowed = constraints_.windowed[rule];
    const std::int64_t wait = windowed.waits[index(due.command)];
    if (wait == kNoWait || !has(windowed.previous, command)) continue;
    const History& history = histories_[rule][rank];
    const std::size_t second = history.next + 1 == history.times.size() ? 0 : history.next + 1;
    const Cycle start = windowed.window == 1 ? at : history.times[second];
    if (start.value + wait > due.when.value) return true;
  }
  return false;
}

bool Readiness::delays(Command command, BankIndex bank, Cycle at, const DueCommand& due) const {
  const std::size_t c = index(command);
  const std::size_t next = index(due.command);
  const auto wait_at = [&](std::size_t level) { return constraints_.target[level][c][next]; };
  std::int64_t wait = wait_at(kChannelLevel);
  const bool same_number = ((bank ^ due.bank) & (banks_per_group_ - 1)) == 0;
  const bool same_group = bank >> bank_bits_ == due.bank >> bank_bits_;
  const bool same_logical = logical_rank_of(bank) == logical_rank_of(due.bank);
  const bool whole_rank = due.reach == Reach::kRank;
  const bool every_group = due.reach == Reach::kSameBank;
  if (rank_of(bank) != rank_of(due.bank)) {
    wait = std::max(wait, constraints_.other_ranks[c][next]);
  } else {
    wait = std::max(wait, wait_at(kRankLevel));
    if (!whole_rank && (every_group || same_logical)) wait = std::max(wait, wait_at(kLogicalLevel));
    if (!whole_rank && !same_logical) {
      wait = std::max(wait, constraints_.other_logical_ranks[c][next]);
    }
    if (fills_window(command, rank_of(bank), at, due)) return true;
    if (!whole_rank && (every_group || same_group)) wait = std::max(wait, wait_at(kGroupLevel));
    if (!whole_rank && (every_group || same_group) && same_number) {
      wait = std::max(wait, wait_at(kBankLevel));
    }
  }
  // `at` is the largest number if the command never issues.
  return wait > due.when.value - at.value;
}

void Readiness::push_others(Node& node, const Waits& waits, Cycle now) {
  for (std::size_t c = kFewCommands; c < kCommands; ++c) {
    node.ready[c] = std::max(node.ready[c], now.value + waits[c]);
  }
}

void Readiness::push_window(std::size_t rule, std::uint32_t rank, Cycle now) {
  History& history = histories_[rule][rank];
  history.times[history.next] = now;
  history.next = history.next + 1 == history.times.size() ? 0 : history.next + 1;
  push(ranks_[rank], constraints_.windowed[rule].waits, history.times[history.next]);
}

void Readiness::push_ranks(Command command, std::uint32_t rank, Cycle now) {
  const RankWaits& waits = rank_waits_[index(command)];
  push(ranks_[rank], waits.own, now);
  if (waits.any_others) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      if (r != rank) push(ranks_[r], waits.others, now);
    }
  }
  for (std::size_t i = 0; i < constraints_.windowed.size(); ++i) {
    if (has(constraints_.windowed[i].previous, command)) push_window(i, rank, now);
  }
}

void Readiness::push_logical_ranks(Command command, std::uint32_t logical, Cycle now) {
  const std::size_t c = index(command);
  if (constraints_.any[kLogicalLevel][c]) {
    push(logical_ranks_[logical], constraints_.target[kLogicalLevel][c], now);
  }
  if (!constraints_.any_other_logical_ranks[c]) return;
  const std::uint32_t first = logical >> logical_bits_ << logical_bits_;
  for (std::uint32_t r = first; r < first + (1U << logical_bits_); ++r) {
    if (r != logical) push(logical_ranks_[r], constraints_.other_logical_ranks[c], now);
  }
}

void Readiness::issue(Command command, BankIndex bank, Cycle now) {
  const std::size_t c = index(command);
  const std::size_t group = bank >> bank_bits_;
  push_ranks(command, rank_of(bank), now);
  if (!logical_ranks_.empty()) push_logical_ranks(command, logical_rank_of(bank), now);
  if (constraints_.any[kGroupLevel][c]) {
    push(groups_[group], constraints_.target[kGroupLevel][c], now);
  }
  if (constraints_.any[kBankLevel][c]) {
    push(banks_[bank], constraints_.target[kBankLevel][c], now);
  }
}

void Readiness::issue_rank(Command command, std::uint32_t rank, Cycle now) {
  assert(!constraints_.any[kGroupLevel][index(command)]);
  assert(!constraints_.any[kBankLevel][index(command)]);
  push_ranks(command, rank, now);
}

void Readiness::issue_same(Command command, std::uint32_t rank, std::uint32_t bank, Cycle now) {
  const std::size_t c = index(command);
  assert(!constraints_.any[kGroupLevel][c]);
  assert(!constraints_.any[kLogicalLevel][c]);
  push_ranks(command, rank, now);
  for (std::uint32_t g = rank * groups_per_rank_; g < (rank + 1) * groups_per_rank_; ++g) {
    push(banks_[g * banks_per_group_ + bank], constraints_.target[kBankLevel][c], now);
  }
}

void Readiness::block_rank(std::uint32_t rank, const HandedRank& handed) {
  // A refresh need not wait for the window of four ACTs.
  const Cycle first = std::min(handed.activate, handed.refresh);
  Waits waits{};
  waits.fill((handed.activate - first).value);
  for (std::uint8_t c = 0; c < commands_.size(); ++c) {
    if (!commands_.effect({c}).refreshes()) continue;
    waits[c] = (handed.refresh - first).value;
  }
  push(ranks_[rank], waits, first);
}

}  // namespace neardata::dram
