// SPDX-License-Identifier: Apache-2.0
//
// Requests with an open row and a pending RD or WR, in the order of their ACT. They have priority
// over all other requests, and no precharge may close their row.
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
        capacity_(config.queues.active),
        in_bank_(config.organization.banks_per_channel(), 0),
        in_rank_(config.organization.ranks, 0) {}

  [[nodiscard]] bool full() const { return entries_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// In order of their ACT.
  [[nodiscard]] const std::vector<EntryIndex>& entries() const { return entries_; }
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
    entries_.push_back(entry);
  }
  /// The row of the entry was closed, and its ACT has issued a second time.
  void reopened(EntryIndex entry);
  void remove(EntryIndex entry) {
    unprotect((*pool_)[entry].bank);
    entries_.erase(std::ranges::find(entries_, entry));
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
  std::size_t capacity_;
  std::vector<EntryIndex> entries_;
  std::vector<BankIndex> reopened_;
  std::vector<int> in_bank_;
  std::vector<int> in_rank_;
};

}  // namespace neardata::dram
