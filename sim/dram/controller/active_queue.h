// SPDX-License-Identifier: Apache-2.0
//
// Requests whose row has been opened for them and whose RD or WR is still to come, in order of
// their ACT. They are served before all else, and no precharge may take their row away.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/controller/candidates.h"
#include "dram/controller/entry_pool.h"
#include "dram/controller/readiness.h"
#include "dram/organization.h"

namespace neardata::dram {

class ActiveQueue {
 public:
  ActiveQueue(EntryPool& pool, const Readiness& readiness, const Organization& organization,
              std::size_t capacity)
      : pool_(&pool),
        readiness_(&readiness),
        capacity_(capacity),
        candidates_(pool),
        in_bank_(organization.banks_per_channel()),
        in_rank_(organization.ranks, 0) {}

  [[nodiscard]] bool full() const { return candidates_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return candidates_.size(); }
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] bool protects_bank(BankIndex bank) const { return !in_bank_[bank].empty(); }
  [[nodiscard]] bool protects_rank(std::uint32_t rank) const { return in_rank_[rank] != 0; }

  void push(EntryIndex entry) {
    const Entry& e = (*pool_)[entry];
    in_bank_[e.bank].push_back(entry);
    ++in_rank_[readiness_->rank_of(e.bank)];
    candidates_.add(entry, e.arrive.value, activations_++);
    candidates_.set_command(entry, access(e), *readiness_);
  }
  void remove(EntryIndex entry) {
    const Entry& e = (*pool_)[entry];
    std::erase(in_bank_[e.bank], entry);
    --in_rank_[readiness_->rank_of(e.bank)];
    candidates_.remove(entry);
  }
  /// Ready times of `bank` or its bank group have changed.
  void reassess(BankIndex bank) {
    for (const EntryIndex entry : in_bank_[bank]) {
      candidates_.set_command(entry, access((*pool_)[entry]), *readiness_);
    }
  }

  static Command access(const Entry& entry) {
    return entry.operation == Operation::kRead ? Command::kRead : Command::kWrite;
  }

 private:
  EntryPool* pool_;
  const Readiness* readiness_;
  std::size_t capacity_;
  std::int64_t activations_ = 0;
  Candidates candidates_;
  std::vector<std::vector<EntryIndex>> in_bank_;
  std::vector<std::uint32_t> in_rank_;
};

}  // namespace neardata::dram
