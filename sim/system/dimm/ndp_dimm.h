// SPDX-License-Identifier: Apache-2.0
//
// A DIMM in NDP mode: one NDP unit, a private sub-channel behind each of its streams, and the
// contents of those sub-channels. A run starts at time 0 with a unit after reset and idle memories;
// contents stay from run to run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engine/engine.h"
#include "core/machine_record.h"
#include "system/ndp/dispatcher.h"
#include "system/ndp/ndp_config.h"
#include "system/run_watcher.h"
#include "unit/ndp/ndp_events.h"

namespace neardata::system {

struct NdpRunResult {
  std::optional<core::SimError> error;  ///< empty if the run completed
  core::Fs end;                         ///< the last instant
  std::vector<JobSpan> jobs;            ///< the descriptors that were done
  core::Cycle cycles;                   ///< of the unit that passed
  std::int64_t skipped = 0;             ///< of those, not simulated: no register could change
  unit::NdpEvents events;
  std::vector<PortCounters> ports;
  std::vector<StreamCommand> commands;
  std::vector<core::ComponentTime> times;
  core::MachineRecord machine;  ///< with the traffic of its edges
  std::optional<HostSpans> host;
};

class NdpDimm {
 public:
  /// kBadConfig when a machine of this kind cannot be built.
  [[nodiscard]] static core::Expected<NdpDimm> make(NdpDimmConfig config);

  /// The parts and edges of a run's machine.
  [[nodiscard]] core::MachineRecord describe();
  [[nodiscard]] std::vector<ByteStore>& stores() { return stores_; }

  /// Faults of the machine are in the result; the function has no other errors.
  [[nodiscard]] NdpRunResult run(const std::vector<unit::Descriptor>& jobs,
                                 const NdpRunOptions& options, RunWatcher& watcher);

 private:
  NdpDimm(NdpDimmConfig config, std::optional<rtl::NdpPlugin> plugin)
      : config_(std::move(config)),
        plugin_(std::move(plugin)),
        stores_(config_.parameters.streams) {}

  NdpDimmConfig config_;
  std::optional<rtl::NdpPlugin> plugin_;
  std::vector<ByteStore> stores_;
};

}  // namespace neardata::system
