// SPDX-License-Identifier: Apache-2.0
//
// Until when the data clock of each rank runs after its last access. Without a data clock in the
// configuration the clock always runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dram/config.h"

namespace neardata::dram {

class DataClocks {
 public:
  explicit DataClocks(const ControllerConfig& config)
      : clock_(config.data_clock.value_or(DataClock{})),
        until_(config.data_clock ? config.organization.ranks : 0) {}

  [[nodiscard]] bool always_run() const { return until_.empty(); }
  [[nodiscard]] bool runs(std::uint32_t rank, Cycle at) const {
    return until_.empty() || at < until_[clock_.shared ? 0 : rank];
  }
  void accessed(std::uint32_t rank, Operation operation, Cycle now) {
    if (until_.empty()) return;
    Cycle& until = until_[clock_.shared ? 0 : rank];
    const bool read = operation == Operation::kRead;
    until = std::max(until, now + (read ? clock_.after_read : clock_.after_write));
  }

 private:
  DataClock clock_;
  std::vector<Cycle> until_;  ///< by rank: the first cycle without the clock
};

}  // namespace neardata::dram
