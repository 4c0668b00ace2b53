// SPDX-License-Identifier: Apache-2.0
//
// A DIMM in NDP mode: one NDP unit, a private sub-channel behind each of its streams, and the
// contents of those sub-channels. A run starts at time 0 with a unit after reset and idle memories;
// contents stay from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/engine.h"
#include "core/machine_record.h"
#include "rtl/rtl_ndp_unit.h"
#include "system/memory/byte_store.h"
#include "system/memory/dram_port.h"
#include "system/memory/ideal_port.h"
#include "system/memory/memory_port.h"
#include "system/moe/host_jobs.h"
#include "system/ndp/dispatcher.h"
#include "system/run_watcher.h"
#include "system/unit_model.h"
#include "unit/ndp/ndp_events.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

struct NdpDimmConfig {
  UnitModel model = UnitModel::kRtl;
  std::string plugin;  ///< path of the Verilated unit, for kRtl
  unit::NdpParameters parameters;
  core::Hertz unit_clock;
  core::Hertz memory_clock;
  BusLimits limits;
  std::variant<DramConfig, IdealConfig> memory;
  /// The host brings inputs and descriptors and takes the outputs; none: they are there.
  std::optional<HostPath> host;
};

/// Checks the config and loads its plug-in, if it has one; kBadConfig when no such machine can be.
[[nodiscard]] core::Expected<std::optional<rtl::NdpPlugin>> load_unit(const NdpDimmConfig& config);

struct NdpRunOptions {
  PauseConfig pauses;
  core::Cycle max_cycles{};  ///< of the unit; zero for no limit
  std::size_t bins = 512;    ///< of the series over time
  std::size_t kept_commands = 0;
  rtl::RtlOptions rtl;
};

/// A DRAM command and the sub-channel it went to.
struct StreamCommand {
  std::uint32_t stream = 0;
  dram::IssuedCommand command;
};

struct NdpRunResult {
  std::optional<core::SimError> error;  ///< nothing when the run completed
  core::Fs end;                         ///< the last instant
  std::vector<JobSpan> jobs;            ///< the descriptors that were done
  core::Cycle cycles;                   ///< of the unit that passed
  std::int64_t skipped = 0;             ///< of those, not simulated: nothing could change
  unit::NdpEvents events;
  std::vector<PortCounters> ports;
  std::vector<StreamCommand> commands;
  std::vector<core::ComponentTime> times;
  core::MachineRecord machine;  ///< with what went over its edges
  std::optional<HostSpans> host;
};

class NdpDimm {
 public:
  /// kBadConfig when a machine of this kind cannot be built.
  [[nodiscard]] static core::Expected<NdpDimm> make(NdpDimmConfig config);

  /// What a run's machine is made of.
  [[nodiscard]] core::MachineRecord describe();
  [[nodiscard]] std::vector<ByteStore>& stores() { return stores_; }

  /// Faults of the machine are in the result; nothing else can fail.
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
