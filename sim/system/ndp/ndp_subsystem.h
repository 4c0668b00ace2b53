// SPDX-License-Identifier: Apache-2.0
//
// A DIMM in NDP mode as a subsystem of a machine: a queue of descriptors, the unit, the router of
// its outputs and a sub-channel behind each stream.
#pragma once

#include <optional>
#include <vector>

#include "core/machine/machine.h"
#include "system/memory/burst_history.h"
#include "system/ndp/dispatcher.h"
#include "system/ndp/ndp_config.h"

namespace neardata::system {

/// The clock domains of DIMMs: of units and their neighbours, and of memories.
inline constexpr const char* kUnitClock = "unit";
inline constexpr const char* kMemoryClock = "memory";

/// The parts that others query; the machine owns them.
struct NdpSubsystem {
  unit::NdpUnit* unit = nullptr;
  const Dispatcher* queue = nullptr;
  std::vector<MemoryPort*> ports;  ///< by stream
  /// By stream; empty if the unit is RTL, or if no job reads a burst that changes.
  std::vector<BurstHistory> histories;

  struct End {
    core::Cycle cycles;  ///< of the unit
    std::optional<core::SimError> error;
  };
  /// The run ended at `end`: counts and does the postponed work, which may detect an error.
  [[nodiscard]] End finish(core::Fs end) const;
  [[nodiscard]] std::vector<PortCounters> port_counters() const;
};

/// Bursts of each stream that others than the unit write during a run; empty if there are none.
using OtherWrites = std::vector<std::vector<BurstRange>>;

/// Ranks of a sub-channel of a DIMM with so many streams, whose first streams are one sub-channel.
[[nodiscard]] constexpr std::uint32_t ranks_of_half(std::uint32_t streams) {
  return streams % 2 == 0 ? streams / 2 : streams;
}

/// The static bound for the refreshes of a stream's rank.
[[nodiscard]] core::RefreshRate refresh_rate(const NdpDimmConfig& config, std::uint32_t stream);

/// All DIMMs of a machine have the same.
void add_ndp_clocks(core::Machine& machine, const NdpDimmConfig& config);

/// The work of one unit. Plug-in and stores outlive the machine.
struct NdpWork {
  const rtl::NdpPlugin* plugin = nullptr;  ///< null for a model of the unit
  std::vector<ByteStore>& stores;          ///< by stream
  const std::vector<unit::Descriptor>& jobs;
  const OtherWrites& others;
};

/// The returned subsystem outlives the machine.
[[nodiscard]] NdpSubsystem add_ndp(const core::Machine::Subsystem& subsystem,
                                   const NdpDimmConfig& config, const NdpWork& work,
                                   const NdpRunOptions& options);

}  // namespace neardata::system
