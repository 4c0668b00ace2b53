// SPDX-License-Identifier: Apache-2.0
//
// Requests with an open row and a pending RD or WR. They have priority over all other requests, and
// no precharge may close their row. Of the accesses that are ready, the oldest is served first, and
// of those that arrived in one cycle the one whose ACT was first.
//
// An access with auto-precharge of another request can close the row of an active request, which
// then opens it a second time. Only Ramulator 2.1 does so, and it counts this request of the bank
// twice: for the rest of the run no precharge closes the bank while the queue has a request with an
// open row, of whatever bank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "dram/banks/banks.h"
#include "dram/banks/readiness.h"
#include "dram/config.h"
#include "dram/controller/queues/candidates.h"
#include "dram/controller/queues/command_times.h"
#include "dram/controller/queues/entry_pool.h"

namespace neardata::dram {

class ActiveQueue {
 public:
  ActiveQueue(EntryPool& pool, const Banks& banks, const Readiness& readiness,
              const Commands& commands, const ControllerConfig& config)
      : pool_(&pool),
        banks_(&banks),
        readiness_(&readiness),
        commands_(&commands),
        rows_are_open_(!commands.splits_activation() && !config.auto_precharge),
        keeps_hit_rows_(config.keeps_hit_rows),
        read_(index(commands.read)),
        write_(index(commands.write)),
        banks_per_group_(config.organization.banks_per_group),
        capacity_(config.queues.active),
        in_bank_(config.organization.banks_per_channel(), 0),
        logical_ranks_(config.organization.logical_ranks),
        in_rank_(config.organization.ranks, 0),
        ranks_(config.organization.ranks) {}

  [[nodiscard]] bool full() const { return size_ >= capacity_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Whether an entry is of the rank.
  [[nodiscard]] bool holds_rank(std::uint32_t rank) const { return in_rank_[rank] != 0; }
  /// Calls `visit(entry)` for every entry, rank by rank.
  template <typename Visit>
  void each(Visit visit) const {
    for (const OfRank& rank : ranks_) std::ranges::for_each(rank.entries, visit);
  }
  /// Whether `test(entry)` for some entry.
  template <typename Test>
  [[nodiscard]] bool any(Test test) const {
    return std::ranges::any_of(
        ranks_, [&](const OfRank& rank) { return std::ranges::any_of(rank.entries, test); });
  }
  /// Whether an access of `a` in cycle `when` is served before that of the choice.
  [[nodiscard]] bool precedes(EntryIndex a, Cycle when, const Choice& choice) const {
    if (when != choice.when || choice.entry == kNoEntry) return when < choice.when;
    return is_served_before((*pool_)[a], (*pool_)[choice.entry]);
  }
  /// No access is ready before the result. `all` is as RankReady.
  [[nodiscard]] Cycle bound(const std::int64_t* all, Cycle from) const;
  /// The access that is served first, at `from` or later. All rows must be open. `all` is as
  /// RankReady.
  [[nodiscard]] Choice first_access(const std::int64_t* all, Cycle from) const;

  [[nodiscard]] bool protects_bank(BankIndex bank) const {
    return in_bank_[bank] != 0 || (!reopened_.empty() && protects_reopened(bank));
  }
  [[nodiscard]] bool protects_rank(std::uint32_t rank) const {
    return in_rank_[rank] != 0 || (!reopened_.empty() && protects_reopened_of_rank(rank));
  }
  /// Banks whose row was opened a second time, and whether no precharge may close them.
  [[nodiscard]] const std::vector<BankIndex>& reopened_banks() const { return reopened_; }
  [[nodiscard]] bool protects_reopened() const;

  /// Whether the queue contains such an access to this address of the bank.
  [[nodiscard]] bool holds(BankIndex bank, std::uint64_t address, Operation operation) const {
    if (!protects_bank(bank)) return false;
    const OfRank& rank = ranks_[readiness_->rank_of(bank)];
    return std::ranges::any_of(rank.entries, [&](EntryIndex i) {
      const Entry& entry = (*pool_)[i];
      return entry.address == address && entry.operation == operation;
    });
  }

  void push(EntryIndex entry) {
    protect((*pool_)[entry].bank);
    insert(entry);
  }
  /// The row of the entry was closed, and its ACT has issued a second time.
  void reopened(EntryIndex entry);
  void remove(EntryIndex entry) {
    unprotect((*pool_)[entry].bank);
    erase(entry);
  }
  /// Ready times of accesses to the bank have changed, or to all banks of its bank group.
  void times_changed(BankIndex bank, bool whole_group) {
    const std::uint32_t mask = whole_group ? ~(banks_per_group_ - 1) : ~0U;
    const std::uint32_t first = bank & mask;
    const std::uint32_t banks = whole_group ? banks_per_group_ : 1;
    int entries = 0;
    for (std::uint32_t b = first; b < first + banks; ++b) entries += in_bank_[b];
    if (entries == 0) return;
    OfRank& rank = ranks_[readiness_->rank_of(bank)];
    for (std::size_t i = 0; i < rank.entries.size(); ++i) {
      const BankIndex b = rank.banks[i];
      if (((b ^ bank) & mask) == 0) rank.accesses.look_up(i, b, *readiness_);
    }
  }

  /// A bank that no precharge may close for another reason.
  void protect(BankIndex bank) { count(bank, 1); }
  void unprotect(BankIndex bank) { count(bank, -1); }

  [[nodiscard]] Command access(const Entry& entry) const {
    return commands_->access(entry.operation);
  }
  /// Whether the row of every entry is open, so that the next command is its access.
  [[nodiscard]] bool rows_are_open() const { return rows_are_open_; }
  /// The next command of an entry; none while it waits for the second command of its activation,
  /// or for a hit of an older entry in its bank.
  [[nodiscard]] std::optional<Command> next_command(const Entry& entry) const;

 private:
  /// The entries of a rank in the order of service, if all are ready.
  struct OfRank {
    std::vector<EntryIndex> entries;
    std::vector<BankIndex> banks;
    CommandTimes accesses;
  };

  static bool is_served_before(const Entry& a, const Entry& b) {
    return a.arrive != b.arrive ? a.arrive < b.arrive : a.opened < b.opened;
  }
  [[nodiscard]] bool protects_reopened(BankIndex bank) const;
  [[nodiscard]] bool protects_reopened_of_rank(std::uint32_t rank) const;
  [[nodiscard]] Cycle bound_of_rank(const std::int64_t* ready) const;
  void insert(EntryIndex entry);
  void erase(EntryIndex entry);
  void count(BankIndex bank, int change) {
    in_bank_[bank] += change;
    in_rank_[readiness_->rank_of(bank)] += change;
  }

  EntryPool* pool_;
  const Banks* banks_;
  const Readiness* readiness_;
  const Commands* commands_;
  bool rows_are_open_;
  bool keeps_hit_rows_;
  std::size_t read_;  ///< index of the command
  std::size_t write_;
  std::uint32_t banks_per_group_;
  std::size_t capacity_;
  std::vector<BankIndex> reopened_;
  std::vector<int> in_bank_;
  std::uint32_t logical_ranks_;  ///< of a rank
  std::vector<int> in_rank_;
  std::vector<OfRank> ranks_;
  std::size_t size_ = 0;
  std::int64_t activations_ = 0;
};

}  // namespace neardata::dram
