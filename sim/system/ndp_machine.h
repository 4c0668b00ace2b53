// SPDX-License-Identifier: Apache-2.0
//
// One run of an NDP DIMM by itself: its room is the machine.
#pragma once

#include <vector>

#include "system/ndp_dimm.h"

namespace neardata::system {

[[nodiscard]] NdpRunResult run_ndp(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                                   std::vector<ByteStore>& stores,
                                   const std::vector<unit::Descriptor>& jobs,
                                   const NdpRunOptions& options, RunWatcher& watcher);

}  // namespace neardata::system
