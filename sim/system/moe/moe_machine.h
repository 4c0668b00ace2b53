// SPDX-License-Identifier: Apache-2.0
//
// A MoE machine: subsystems of NDP DIMMs with their units and relayout units, joined by DIMM-Link,
// and the host's CPU and GPU that read the same ranks. Concurrent accesses contend for ranks and
// links. A machine is built for one run; the bytes are in separate stores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/machine_record.h"
#include "link/network.h"
#include "system/host/host_subsystem.h"
#include "system/moe/relayout_director.h"
#include "system/moe/relayout_unit.h"
#include "system/ndp/ndp_subsystem.h"

namespace neardata::system {

struct MoeConfig {
  NdpDimmConfig dimm;
  std::uint32_t dimms = 16;
  link::NetworkConfig network;
  /// If set, the host forwards packets between groups of DIMMs; otherwise there is no path.
  std::optional<HostPath> forwarding = std::nullopt;
  std::set<std::uint32_t> rtl_dimms;  ///< whose units are the plug-in; the others are models
  std::uint32_t threads = 1;          ///< of DIMMs and host ports at most; changes no result
  std::size_t recorded_commands = 0;  ///< of the memories, the first in time
};

struct MoeWork {
  std::vector<std::vector<unit::Descriptor>> jobs;  ///< by DIMM
  core::Fs jobs_start;                              ///< of the host's; before it no job begins
  std::vector<RelayoutMove> moves;
  std::vector<HostDeviceWork> devices;
  /// Jobs whose outputs matter. A model of a unit moves no values, so those are computed at the end
  /// of the run.
  struct Valued {
    std::uint32_t dimm = 0;
    std::uint32_t job = 0;
  };
  std::vector<Valued> valued;
};

/// A DDR5 command of the host or of the rank's NDP side, and its rank.
struct RankCommand {
  RankPlace rank;
  bool host = false;
  dram::IssuedCommand issued;
};

struct MoeResult {
  std::optional<core::SimError> error;
  core::Fs end;
  std::vector<std::vector<JobSpan>> jobs;        ///< by DIMM
  std::vector<std::vector<PortCounters>> ports;  ///< by DIMM; none if a DIMM did not take part
  /// By DIMM, the counters of its unit; empty without a unit.
  std::vector<std::array<std::uint64_t, unit::kNdpCounters>> events;
  std::vector<TimeSpan> moves;
  std::vector<Flow> flows;
  std::vector<TimeSpan> flow_spans;
  std::vector<link::LinkReport> links;
  std::vector<std::vector<TimeSpan>> devices;       ///< by queue of a device and task that ended
  std::vector<link::LinkCounters> pcie;             ///< by device, zeros without PCIe
  std::vector<core::Fs> transferring;               ///< by device, on PCIe
  std::vector<HostCounters> host;                   ///< by sub-channel
  std::vector<std::optional<HostSpans>> host_jobs;  ///< by DIMM; empty without host jobs
  std::vector<RankCommand> commands;                ///< in order of time
  std::vector<core::ComponentTime> times;
  core::MachineRecord machine;  ///< with the traffic of its edges
};

/// Bursts that moves and jobs write.
struct Writes {
  MoveWrites moves;
  JobWrites jobs;
};

/// The parts that others query; the machine owns them.
struct MoeSubsystems {
  Writes writes;
  link::Network network;
  std::vector<NdpSubsystem> dimms;  ///< by DIMM; without a unit if a DIMM does not take part
  const RelayoutDirector* director = nullptr;
  HostSubsystem host;
};

/// Plug-in, work and bytes of a machine, which outlive it.
struct MoeInputs {
  const rtl::NdpPlugin* plugin = nullptr;  ///< null if no unit is RTL
  const MoeWork& work;
  const std::vector<Flow>& flows;  ///< of the moves
  Stores& stores;
};

/// kBadConfig where the work is none that such a machine can do.
[[nodiscard]] core::Expected<MoeSubsystems> add_moe(core::Machine& machine, const MoeConfig& config,
                                                    const MoeInputs& inputs);

/// A move whose bytes are not at its target in the end is an error of the run.
[[nodiscard]] MoeResult run_moe(const MoeConfig& config, const rtl::NdpPlugin* plugin,
                                const MoeWork& work, Stores& stores, core::Observer& observer);

}  // namespace neardata::system
