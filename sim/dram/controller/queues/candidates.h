// SPDX-License-Identifier: Apache-2.0
//
// Requests that could be the next to be served, as flat arrays without holes, so that choosing is
// one pass over a few dozen numbers. A request is in at most one list and stores its index there
// (`Entry::place`).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/controller/queues/entry_pool.h"
#include "dram/types.h"

namespace neardata::dram {

/// Which request is served next, when, and by which command.
struct Choice {
  Cycle when = kNever;
  EntryIndex entry = kNoEntry;
  Command command;
};

/// Ready times of candidates by place; kNever for one that is barred.
using ReadyTimes = std::vector<std::int64_t>;

class Candidates {
 public:
  explicit Candidates(EntryPool& pool) : pool_(&pool) {}

  [[nodiscard]] std::size_t size() const { return local_.size(); }
  [[nodiscard]] bool empty() const { return local_.empty(); }
  /// Smaller is older; no two are of the same age.
  [[nodiscard]] std::int64_t age(std::size_t place) const { return age_[place]; }
  [[nodiscard]] std::int64_t age_of(EntryIndex entry) const { return age_[(*pool_)[entry].place]; }

  /// The command is still to be set.
  void add(EntryIndex entry);
  void remove(EntryIndex entry);

  /// Sets the next command of a candidate and looks up its ready time.
  void set_command(EntryIndex entry, Command command, const Readiness& readiness) {
    const Entry& e = (*pool_)[entry];
    local_[e.place] = readiness.ready_local(command, e.bank).value;
    rank_command_[e.place] =
        static_cast<std::uint32_t>(readiness.logical_rank_of(e.bank) * kCommands + index(command));
  }

  /// The oldest of those that are ready first, at `from` or later.
  [[nodiscard]] Choice oldest_of_first(const RankReady& ranks, Cycle from) const {
    return choose([&](std::size_t i) { return ready(ranks, i); }, from);
  }
  /// The same for the candidates left in `ready`.
  [[nodiscard]] Choice oldest_of_left(const ReadyTimes& ready, Cycle from) const {
    return choose([&](std::size_t i) { return ready[i]; }, from);
  }

  /// Fills `ready` with the ready time of each candidate's command.
  void find_ready(const RankReady& ranks, ReadyTimes& ready) const;

  /// Removes from `ready` the candidates that are younger than `age` and not ready before `when`;
  /// time begins at `from`.
  void bar(std::int64_t age, Cycle when, Cycle from, ReadyTimes& ready) const;

  /// Removes from `ready` the candidates of blocked banks; `held` has a byte per bank.
  void bar_banks(const std::vector<std::uint8_t>& held, ReadyTimes& ready) const;
  /// Removes from `ready` the candidates whose command is not in the set.
  void bar_commands(CommandSet commands, ReadyTimes& ready) const;
  /// Removes from `ready` the candidates for which `barred(command, bank, when)`; time begins at
  /// `from`.
  template <typename Barred>
  void bar_if(Barred barred, Cycle from, ReadyTimes& ready) const {
    for (std::size_t i = 0; i < size(); ++i) {
      const Command command = command_of(rank_command_[i]);
      const BankIndex bank = (*pool_)[entry_of(age_[i])].bank;
      if (barred(command, bank, Cycle{std::max(ready[i], from.value)})) ready[i] = kNever.value;
    }
  }
  /// Whether a candidate's bank is not blocked.
  [[nodiscard]] bool any_outside(const std::vector<std::uint8_t>& held) const;

 private:
  static constexpr unsigned kEntryBits = 16;
  static Command command_of(std::uint32_t rank_command) {
    return {static_cast<std::uint8_t>(rank_command % kCommands)};
  }
  static EntryIndex entry_of(std::int64_t age) { return static_cast<EntryIndex>(age); }

  [[nodiscard]] std::int64_t ready(const RankReady& ranks, std::size_t i) const {
    return std::max(local_[i], ranks[rank_command_[i]]);
  }

  /// Time and age in one number: two would be compared with a branch that is hard to predict.
  template <typename Ready>
  [[nodiscard]] Choice choose(Ready ready, Cycle from) const {
    using Key = unsigned __int128;
    constexpr unsigned kAgeBits = 64;
    Key best = Key{static_cast<std::uint64_t>(kNever.value)} << kAgeBits;
    for (std::size_t i = 0; i < age_.size(); ++i) {
      const std::int64_t when = std::max(ready(i), from.value);
      const Key key =
          Key{static_cast<std::uint64_t>(when)} << kAgeBits | static_cast<std::uint64_t>(age_[i]);
      best = key < best ? key : best;
    }
    const Cycle when{static_cast<std::int64_t>(best >> kAgeBits)};
    if (when == kNever) return {};
    const EntryIndex entry = entry_of(static_cast<std::int64_t>(best));
    return {when, entry, command_of(rank_command_[(*pool_)[entry].place])};
  }

  EntryPool* pool_;
  std::vector<std::int64_t> local_;          ///< when bank and bank group are ready
  std::vector<std::uint32_t> rank_command_;  ///< index into RankReady
  std::vector<std::int64_t> age_;            ///< order of admission << kEntryBits | entry
};

}  // namespace neardata::dram
