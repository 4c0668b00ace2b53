// SPDX-License-Identifier: Apache-2.0
//
// One run of a computational storage device: its room is the machine.
#pragma once

#include <vector>

#include "core/machine_record.h"
#include "rtl/rtl_sparf_unit.h"
#include "system/csd_types.h"
#include "system/prompt_host.h"
#include "system/run_watcher.h"

namespace neardata::system {

/// `plugin` is the RTL of the engine; null for its cycle model.
[[nodiscard]] CsdRunResult run_csd(const CsdConfig& config, const rtl::SparfPlugin* plugin,
                                   KvCache& cache, const std::vector<CsdJob>& jobs,
                                   const CsdRunOptions& options, RunWatcher& watcher);

/// The machine of a run, without any work.
[[nodiscard]] core::MachineRecord describe_csd(const CsdConfig& config,
                                               const rtl::SparfPlugin* plugin, KvCache& cache);

/// The device takes prompts, and its engine rests. Jobs of the result are prompts: prompt_host.h.
/// Cycles are of the controller's clock.
[[nodiscard]] CsdRunResult run_prompts(const CsdConfig& config, KvCache& cache,
                                       const std::vector<Prompt>& prompts,
                                       const CsdRunOptions& options, RunWatcher& watcher);

}  // namespace neardata::system
