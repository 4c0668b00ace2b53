// SPDX-License-Identifier: Apache-2.0
//
// The open policy leaves rows open. The closed one counts accesses of each bank since its row was
// closed and asks for a close when there are `cap` of them.
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
        cap_(config.closed_row_cap),
        banks_per_rank_(config.organization.banks_per_rank()),
        accesses_(closed_ ? config.organization.banks_per_channel() : 0, 0) {}

  void precharged(BankIndex bank) {
    if (closed_) accesses_[bank] = 0;
  }
  void rank_precharged(std::uint32_t rank) {
    if (!closed_) return;
    const auto first = accesses_.begin() + std::int64_t{rank} * banks_per_rank_;
    std::fill(first, first + banks_per_rank_, 0U);
  }
  /// Whether to close the bank.
  [[nodiscard]] bool accessed(BankIndex bank) {
    if (!closed_ || ++accesses_[bank] < cap_) return false;
    accesses_[bank] = 0;
    return true;
  }

 private:
  bool closed_;
  std::uint32_t cap_;
  std::uint32_t banks_per_rank_;
  std::vector<std::uint32_t> accesses_;
};

}  // namespace neardata::dram
