// SPDX-License-Identifier: Apache-2.0
//
// Requests whose row has been opened for them and whose RD or WR is still to come, in order of
// their ACT. They are served before all else, and no precharge may take their row away.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dram/entry_pool.h"
#include "dram/organization.h"

namespace neardata::dram {

class ActiveQueue {
 public:
  ActiveQueue(const Organization& organization, std::size_t capacity)
      : capacity_(capacity),
        banks_per_rank_(organization.banks_per_rank()),
        in_bank_(organization.banks_per_channel(), 0),
        in_rank_(organization.ranks, 0) {}

  [[nodiscard]] bool full() const { return entries_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::span<const EntryIndex> entries() const { return entries_; }
  [[nodiscard]] bool protects_bank(BankIndex bank) const { return in_bank_[bank] != 0; }
  [[nodiscard]] bool protects_rank(std::uint32_t rank) const { return in_rank_[rank] != 0; }

  void push(EntryIndex entry, BankIndex bank) {
    entries_.push_back(entry);
    ++in_bank_[bank];
    ++in_rank_[bank / banks_per_rank_];
  }
  void remove(EntryIndex entry, BankIndex bank) {
    entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
    --in_bank_[bank];
    --in_rank_[bank / banks_per_rank_];
  }

 private:
  std::size_t capacity_;
  std::uint32_t banks_per_rank_;
  std::vector<EntryIndex> entries_;
  std::vector<std::uint16_t> in_bank_;
  std::vector<std::uint16_t> in_rank_;
};

}  // namespace neardata::dram
