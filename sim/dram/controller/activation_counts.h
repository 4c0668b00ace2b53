// SPDX-License-Identifier: Apache-2.0
//
// Refresh management: activations of each bank (RAA in JEDEC's documents) minus those that
// refreshes and RFMs have covered. At the initial threshold (RAAIMT) the banks need an RFM.
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
        counts_(config.refresh_management ? config.organization.banks_per_channel() : 0, 0) {}

  /// Counts an activation. Returns whether the bank has reached the initial threshold.
  [[nodiscard]] bool activated(BankIndex bank) {
    return !counts_.empty() && ++counts_[bank] == rule_.initial;
  }
  /// With refresh management: the bank was refreshed, by an RFM if it was `managed`.
  void refreshed(BankIndex bank, bool managed) {
    const std::uint32_t covered = managed ? rule_.initial : rule_.per_refresh;
    counts_[bank] -= std::min(counts_[bank], covered);
  }

 private:
  RefreshManagement rule_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace neardata::dram
