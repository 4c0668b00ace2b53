// SPDX-License-Identifier: Apache-2.0
//
// Requests that could be the next to be served, as flat arrays without holes, so that choosing is a
// few passes over a few dozen numbers without a branch in them. A request is in one list at most
// and knows its place there (`Entry::place`).
#pragma once

#include <cstdint>
#include <vector>

#include "dram/controller/entry_pool.h"
#include "dram/controller/readiness.h"
#include "dram/types.h"

namespace neardata::dram {

struct Choice {
  Cycle when = kNever;
  EntryIndex entry = kNoEntry;
};

class Candidates {
 public:
  explicit Candidates(EntryPool& pool) : pool_(&pool) {}

  [[nodiscard]] std::size_t size() const { return local_.size(); }
  [[nodiscard]] bool empty() const { return local_.empty(); }
  [[nodiscard]] std::int64_t age(std::size_t i) const { return age_[i]; }
  [[nodiscard]] std::int64_t age_of(EntryIndex entry) const { return age_[(*pool_)[entry].place]; }

  /// `age` orders the candidates, smaller ones first, and `turn` those of the same age. The
  /// command is still to be set.
  void add(EntryIndex entry, std::int64_t age, std::int64_t turn = 0);
  void remove(EntryIndex entry);

  /// Sets the next command of a candidate, or looks up its ready time again.
  void set_command(EntryIndex entry, Command command, const Readiness& readiness) {
    const Entry& e = (*pool_)[entry];
    local_[e.place] = readiness.ready_local(command, e.bank).value;
    rank_command_[e.place] =
        static_cast<std::uint32_t>(readiness.rank_of(e.bank) * kCommands + index(command));
  }

  /// Fills `ready` with the ready time of each candidate's command.
  void find_ready(const RankReady& ranks, std::vector<std::int64_t>& ready) const;

  /// Takes those out of `ready` that are younger than `age` and not ready before `when`, when time
  /// begins at `from`.
  void bar(std::int64_t age, Cycle when, Cycle from, std::vector<std::int64_t>& ready) const;

  /// Takes those out of `ready` whose bank is held: `held` has a byte for each bank.
  void bar_banks(const std::vector<std::uint8_t>& held, std::vector<std::int64_t>& ready) const;

  /// The oldest of those that are ready first, at `from` or later; `ready` as from find_ready.
  [[nodiscard]] Choice oldest_of_first(const std::vector<std::int64_t>& ready, Cycle from) const;

 private:
  static constexpr unsigned kEntryBits = 16;
  static EntryIndex entry_of(std::int64_t turn) { return static_cast<EntryIndex>(turn); }

  EntryPool* pool_;
  std::vector<std::int64_t> local_;          ///< when bank and bank group are ready
  std::vector<std::uint32_t> rank_command_;  ///< where the rest of the ready time stands
  std::vector<std::int64_t> age_;
  std::vector<std::int64_t> turn_;  ///< turn << kEntryBits | entry
};

}  // namespace neardata::dram
