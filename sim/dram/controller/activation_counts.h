// SPDX-License-Identifier: Apache-2.0
//
// Refresh management: activations of each bank (RAA in JEDEC's documents) minus those that
// refreshes and RFMs have covered. At the initial threshold (RAAIMT) the banks need an RFM. The
// counts of a rank are transferred with the rank, so that activations by all of its owners count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/config.h"

namespace neardata::dram {

class ActivationCounts {
 public:
  explicit ActivationCounts(const ControllerConfig& config)
      : rule_(config.refresh_management.value_or(RefreshManagement{})),
        banks_per_rank_(config.organization.banks_per_rank()) {
    if (!config.refresh_management) return;
    ranks_.assign(config.organization.ranks, std::vector<std::uint32_t>(banks_per_rank_, 0));
  }

  /// Counts an activation. Returns whether the bank has reached the initial threshold.
  [[nodiscard]] bool activated(BankIndex bank) {
    if (ranks_.empty()) return false;
    std::vector<std::uint32_t>& counts = ranks_[bank / banks_per_rank_];
    return !counts.empty() && ++counts[bank % banks_per_rank_] == rule_.initial;
  }
  /// With refresh management: the bank was refreshed, by an RFM if it was `managed`.
  void refreshed(BankIndex bank, bool managed) {
    std::vector<std::uint32_t>& counts = ranks_[bank / banks_per_rank_];
    if (counts.empty()) return;
    std::uint32_t& count = counts[bank % banks_per_rank_];
    count -= std::min(count, managed ? rule_.initial : rule_.per_refresh);
  }

  /// For the rank's next controller; empty without refresh management.
  [[nodiscard]] std::vector<std::uint32_t> of_rank(std::uint32_t rank) const {
    return ranks_.empty() ? std::vector<std::uint32_t>{} : ranks_[rank];
  }
  /// Continues with the counts of another controller. A rank without counts, such as a buffer chip,
  /// needs no RFMs.
  void resume(std::uint32_t rank, const std::vector<std::uint32_t>& counts) {
    if (!ranks_.empty()) ranks_[rank] = counts;
  }

 private:
  RefreshManagement rule_;
  std::uint32_t banks_per_rank_;
  std::vector<std::vector<std::uint32_t>> ranks_;  ///< by rank and bank; none without a rule
};

}  // namespace neardata::dram
