// SPDX-License-Identifier: Apache-2.0
//
// One run of an NDP DIMM by itself: its subsystem is the machine.
#pragma once

#include <vector>

#include "core/machine_record.h"
#include "system/dimm/ndp_dimm.h"
#include "system/ndp/ndp_subsystem.h"

namespace neardata::system {

[[nodiscard]] NdpRunResult run_ndp(const NdpDimmConfig& config, const NdpWork& work,
                                   const NdpRunOptions& options, RunWatcher& watcher);

/// The machine of a run, without any work.
[[nodiscard]] core::MachineRecord describe_ndp(const NdpDimmConfig& config,
                                               const rtl::NdpPlugin* plugin,
                                               std::vector<ByteStore>& stores);

}  // namespace neardata::system
