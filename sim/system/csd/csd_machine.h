// SPDX-License-Identifier: Apache-2.0
//
// Computational storage devices, each an attention engine before flash channels, controller DRAM
// and a link to the host, in one simulated time. A run starts at time 0 with engines after reset
// and idle flash; keys, values and wear stay from run to run.
#pragma once

#include <vector>

#include "core/machine_record.h"
#include "rtl/rtl_sparf_unit.h"
#include "system/csd/csd_types.h"
#include "system/csd/prompt_host.h"
#include "system/run_watcher.h"

namespace neardata::system {

class CsdMachine {
 public:
  /// kBadConfig when a machine of this kind cannot be built. `plugin` is the RTL of its engines,
  /// for kRtl.
  [[nodiscard]] static core::Expected<void> check(const CsdConfig& config,
                                                  const rtl::SparfPlugin* plugin);

  /// Precondition: the configuration has been checked. The plug-in outlives the machine.
  CsdMachine(const CsdConfig& config, const rtl::SparfPlugin* plugin)
      : config_(config), plugin_(plugin), caches_(config.devices, KvCache(config.cache)) {}

  /// By device: everything that stays from run to run.
  [[nodiscard]] std::vector<KvCache>& caches() { return caches_; }
  /// Restores the contents of a copy of a machine's caches. False, without an effect, for caches of
  /// other devices.
  [[nodiscard]] bool restore(const std::vector<KvCache>& kept);

  /// The reason why the engine of a device cannot run these jobs in sequence; empty if it can.
  [[nodiscard]] std::optional<std::string> refuses(std::size_t device,
                                                   const std::vector<CsdJob>& jobs) const;

  /// The parts and edges of a run's machine.
  [[nodiscard]] core::MachineRecord describe();

  /// `jobs` by device. Faults of the machine are in the result; the function has no other errors.
  [[nodiscard]] CsdMachineResult run(const std::vector<std::vector<CsdJob>>& jobs,
                                     const CsdRunOptions& options, RunWatcher& watcher);

  /// By device: transfers prompts of heads without tokens over the link and writes them while the
  /// engines rest; faults as for `run`. Jobs of the result are prompts: prompt_host.h.
  [[nodiscard]] CsdMachineResult write(const std::vector<std::vector<Prompt>>& prompts,
                                       const CsdRunOptions& options, RunWatcher& watcher);

 private:
  CsdConfig config_;
  const rtl::SparfPlugin* plugin_;
  std::vector<KvCache> caches_;  ///< by device
};

}  // namespace neardata::system
