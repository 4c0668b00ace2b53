// SPDX-License-Identifier: Apache-2.0
//
// The open policy leaves rows open. The closed policy counts the accesses of each bank since its
// row was closed and requests a close after `cap` accesses.
//
// With auto-precharge, the access after these `cap` ones closes the row itself. Until it issues,
// the policy requests one PRE of the bank, in the first cycle in which the PRE is ready.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/config.h"

namespace neardata::dram {

class RowPolicy {
 public:
  explicit RowPolicy(const ControllerConfig& config)
      : closed_(config.row_policy == RowPolicyKind::kClosed),
        auto_precharge_(closed_ && config.auto_precharge),
        cap_(config.closed_row_cap),
        banks_per_rank_(config.organization.banks_per_rank()),
        accesses_(closed_ ? config.organization.banks_per_channel() : 0, 0) {}

  void precharged(BankIndex bank) {
    if (!closed_) return;
    accesses_[bank] = 0;
    if (auto_precharge_) asked(bank);
  }
  void rank_precharged(std::uint32_t rank) {
    if (!closed_) return;
    const std::uint32_t first = rank * banks_per_rank_;
    for (std::uint32_t b = first; b < first + banks_per_rank_; ++b) {
      precharged(static_cast<BankIndex>(b));
    }
  }
  /// Whether to close the bank.
  [[nodiscard]] bool accessed(BankIndex bank) {
    if (!closed_ || ++accesses_[bank] < cap_) return false;
    if (auto_precharge_) {
      if (accesses_[bank] == cap_) due_.insert(std::ranges::lower_bound(due_, bank), bank);
      return false;
    }
    accesses_[bank] = 0;
    return true;
  }

  /// Whether the next access of the bank closes its row.
  [[nodiscard]] bool closes_with_access(BankIndex bank) const {
    return auto_precharge_ && accesses_[bank] >= cap_;
  }
  /// Banks that need a PRE, in ascending order, until `asked` is called for them.
  [[nodiscard]] const std::vector<BankIndex>& due() const { return due_; }
  void asked(BankIndex bank) {
    const auto found = std::ranges::lower_bound(due_, bank);
    if (found != due_.end() && *found == bank) due_.erase(found);
  }

 private:
  bool closed_;
  bool auto_precharge_;
  std::uint32_t cap_;
  std::uint32_t banks_per_rank_;
  std::vector<std::uint32_t> accesses_;
  std::vector<BankIndex> due_;
};

}  // namespace neardata::dram
