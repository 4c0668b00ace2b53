// SPDX-License-Identifier: Apache-2.0
//
// Bursts that a descriptor of the NDP unit reads and writes.
#pragma once

#include <vector>

#include "system/memory/burst_history.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

/// Bursts of any stream that a descriptor reads, gaps between rows included, and that it writes;
/// their gaps only where the rows are thousands.
[[nodiscard]] std::vector<BurstRange> read_by(const unit::Descriptor& job,
                                              const unit::NdpParameters& parameters);
[[nodiscard]] std::vector<BurstRange> written_by(const unit::Descriptor& job,
                                                 const unit::NdpParameters& parameters);

}  // namespace neardata::system
