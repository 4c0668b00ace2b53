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
#include "dram/controller/queues/command_times.h"
#include "dram/controller/queues/entry_pool.h"
#include "dram/types.h"

namespace neardata::dram {

/// Which request is served next, when, and by which command.
struct Choice {
  Cycle when = kNever;
  EntryIndex entry = kNoEntry;
  Command command;
};

class Candidates {
 public:
  explicit Candidates(EntryPool& pool) : pool_(&pool) {}

  [[nodiscard]] std::size_t size() const { return age_.size(); }
  [[nodiscard]] bool empty() const { return age_.empty(); }
  /// Smaller is older; no two are of the same age.
  [[nodiscard]] std::int64_t age(std::size_t place) const { return age_[place]; }
  [[nodiscard]] std::int64_t age_of(EntryIndex entry) const { return age_[(*pool_)[entry].place]; }

  /// The command is still to be set.
  void add(EntryIndex entry);
  void remove(EntryIndex entry);

  /// Sets the next command of a candidate and looks up its ready time.
  void set_command(EntryIndex entry, Command command, const Readiness& readiness) {
    const Entry& e = (*pool_)[entry];
    times_.set(e.place, command, e.bank, readiness);
  }
  /// The ready times of the bank of a candidate or of its bank group have changed.
  void look_up(EntryIndex entry, const Readiness& readiness) {
    const Entry& e = (*pool_)[entry];
    times_.look_up(e.place, e.bank, readiness);
  }

  /// Fills `ready` with the ready time of each candidate's command and returns the least of them.
  std::int64_t find_ready(const std::int64_t* ranks, ReadyTimes& ready) const {
    return times_.find_ready(ranks, ready);
  }
  /// The oldest of those that are ready first, at `from` or later. `least` is the least time in
  /// `ready`.
  [[nodiscard]] Choice oldest(const ReadyTimes& ready, std::int64_t least, Cycle from) const {
    if (least == kNever.value) return {};
    const Cycle when{std::max(least, from.value)};
    const EntryIndex entry = entry_of(oldest_by(ready, when));
    return {when, entry, times_.command((*pool_)[entry].place)};
  }
  [[nodiscard]] Choice oldest(const ReadyTimes& ready, Cycle from) const {
    std::int64_t least = kNever.value;
    for (std::size_t i = 0; i < size(); ++i) least = std::min(least, ready[i]);
    return oldest(ready, least, from);
  }

  /// Removes from `ready` the candidates that are younger than `age` and not ready before `when`;
  /// time begins at `from`.
  void bar(std::int64_t age, Cycle when, Cycle from, ReadyTimes& ready) const;

  /// Removes from `ready` the candidates whose command is not in the set.
  void bar_commands(CommandSet commands, ReadyTimes& ready) const;
  /// Removes from `ready` the candidates for which `barred(command, bank, when)`; time begins at
  /// `from`.
  template <typename Barred>
  void bar_if(Barred barred, Cycle from, ReadyTimes& ready) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (ready[i] == kNever.value) continue;
      const Cycle when{std::max(ready[i], from.value)};
      const BankIndex bank = (*pool_)[entry_of(age_[i])].bank;
      if (barred(times_.command(i), bank, when)) ready[i] = kNever.value;
    }
  }

 private:
  static constexpr unsigned kEntryBits = 16;
  static EntryIndex entry_of(std::int64_t age) { return static_cast<EntryIndex>(age); }

  /// kNever if `condition`, else 0. Loops with this mask have no branch, so compilers vectorize
  /// them.
  static std::int64_t never_if(bool condition) { return -std::int64_t{condition} & kNever.value; }

  /// The least age of the candidates that are ready by `when`.
  [[nodiscard]] std::int64_t oldest_by(const ReadyTimes& ready, Cycle when) const {
    std::int64_t oldest = kNever.value;
    for (std::size_t i = 0; i < age_.size(); ++i) {
      oldest = std::min(oldest, age_[i] | never_if(ready[i] > when.value));
    }
    return oldest;
  }

  EntryPool* pool_;
  CommandTimes times_;
  std::vector<std::int64_t> age_;  ///< order of admission << kEntryBits | entry
};

}  // namespace neardata::dram
