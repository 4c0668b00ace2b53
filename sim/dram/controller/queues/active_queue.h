// SPDX-License-Identifier: Apache-2.0
//
// Requests with an open row and a pending RD or WR, in the order of their arrival, and those of one
// cycle in the order of their ACT. They have priority over all other requests, and no precharge may
// close their row.
//
// An access with auto-precharge of another request can close the row of an active request, which
// then opens it a second time. Only Ramulator 2.1 does so, and it counts this request of the bank
// twice: for the rest of the run no precharge closes the bank while the queue has a request with an
// open row, of whatever bank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
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
        banks_per_group_(config.organization.banks_per_group),
        capacity_(config.queues.active),
        in_bank_(config.organization.banks_per_channel(), 0),
        in_rank_(config.organization.ranks, 0) {}

  [[nodiscard]] bool full() const { return entries_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Whether an entry is of the rank.
  [[nodiscard]] bool holds_rank(std::uint32_t rank) const { return in_rank_[rank] != 0; }
  /// In the order of the queue.
  [[nodiscard]] const std::vector<EntryIndex>& entries() const { return entries_; }
  /// The first of the accesses that are ready earliest, at `from` or later. The rows must be open.
  [[nodiscard]] Choice earliest(std::span<const std::int64_t> rank_ready, Cycle from) const {
    if (entries_.empty()) return {};
    // No access is ready before its rank.
    std::int64_t bound = kNever.value;
    for (std::size_t rank = 0; rank < rank_ready.size(); rank += kCommands) {
      bound = std::min({bound, rank_ready[rank + index(commands_->read)],
                        rank_ready[rank + index(commands_->write)]});
    }
    const auto [place, when] =
        accesses_.first_of_earliest(rank_ready.data(), std::max(bound, from.value));
    return {std::max(when, from), entries_[place], accesses_.command(place)};
  }
  /// The accesses of the entries.
  [[nodiscard]] const CommandTimes& accesses() const { return accesses_; }
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
    return protects_bank(bank) && std::ranges::any_of(entries_, [&](EntryIndex i) {
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
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (((bank_[i] ^ bank) & mask) == 0) accesses_.look_up(i, bank_[i], *readiness_);
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
  [[nodiscard]] bool protects_reopened(BankIndex bank) const;
  [[nodiscard]] bool protects_reopened_of_rank(std::uint32_t rank) const;
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
  std::uint32_t banks_per_group_;
  std::size_t capacity_;
  std::vector<EntryIndex> entries_;
  std::vector<BankIndex> bank_;  ///< of each entry
  CommandTimes accesses_;        ///< of each entry
  std::vector<BankIndex> reopened_;
  std::vector<int> in_bank_;
  std::vector<int> in_rank_;
};

}  // namespace neardata::dram
