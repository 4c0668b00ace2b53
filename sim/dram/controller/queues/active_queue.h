// SPDX-License-Identifier: Apache-2.0
//
// Requests with an open row and a pending RD or WR, in the order of their ACT. They have priority
// over all other requests, and no precharge may close their row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/config.h"
#include "dram/controller/queues/entry_pool.h"

namespace neardata::dram {

class ActiveQueue {
 public:
  ActiveQueue(EntryPool& pool, const Readiness& readiness, const Commands& commands,
              const ControllerConfig& config)
      : pool_(&pool),
        readiness_(&readiness),
        commands_(&commands),
        capacity_(config.queues.active),
        in_bank_(config.organization.banks_per_channel(), 0),
        in_rank_(config.organization.ranks, 0) {}

  [[nodiscard]] bool full() const { return entries_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// In order of their ACT.
  [[nodiscard]] const std::vector<EntryIndex>& entries() const { return entries_; }
  [[nodiscard]] bool protects_bank(BankIndex bank) const { return in_bank_[bank] != 0; }
  [[nodiscard]] bool protects_rank(std::uint32_t rank) const { return in_rank_[rank] != 0; }

  /// Whether such an access to this address of the bank is among them.
  [[nodiscard]] bool holds(BankIndex bank, std::uint64_t address, Operation operation) const {
    return protects_bank(bank) && std::ranges::any_of(entries_, [&](EntryIndex i) {
             const Entry& entry = (*pool_)[i];
             return entry.address == address && entry.operation == operation;
           });
  }

  void push(EntryIndex entry) {
    count((*pool_)[entry].bank, 1);
    entries_.push_back(entry);
  }
  void remove(EntryIndex entry) {
    count((*pool_)[entry].bank, -1);
    entries_.erase(std::ranges::find(entries_, entry));
  }

  [[nodiscard]] Command access(const Entry& entry) const {
    return commands_->access(entry.operation);
  }

 private:
  void count(BankIndex bank, int change) {
    in_bank_[bank] += change;
    in_rank_[readiness_->rank_of(bank)] += change;
  }

  EntryPool* pool_;
  const Readiness* readiness_;
  const Commands* commands_;
  std::size_t capacity_;
  std::vector<EntryIndex> entries_;
  std::vector<int> in_bank_;
  std::vector<int> in_rank_;
};

}  // namespace neardata::dram
