// SPDX-License-Identifier: Apache-2.0
//
// The host of a machine with NDP DIMMs: a port for each sub-channel, the devices that read through
// them, and the transfers of inputs, descriptors and outputs of the DIMMs that have jobs.
//
// The host of a MoE machine has pairs of DIMMs.
// Sub-channel k has the ranks of two neighbouring DIMMs, 2 (k / 2) and the next: ranks 0 to 3 of
// the port are streams 4 (k mod 2) to 4 (k mod 2) + 3 of the first, ranks 4 to 7 of the second.
#pragma once

#include <cstdint>
#include <vector>

#include "link/link.h"
#include "link/network.h"
#include "system/host/host_device.h"
#include "system/host/host_forwarder.h"
#include "system/host/host_jobs.h"
#include "system/host/host_port.h"
#include "system/ndp/ndp_subsystem.h"

namespace neardata::system {

/// Ranks of a DIMM in a sub-channel of the host.
inline constexpr std::uint32_t kHostRanks = 4;

/// A rank as NDP names it.
struct RankPlace {
  std::uint32_t dimm = 0;
  std::uint32_t stream = 0;
};
/// The NDP name of a rank of a sub-channel of the host.
[[nodiscard]] RankPlace rank_place(std::size_t sub_channel, std::size_t rank);

/// The machine owns the parts.
struct HostSubsystem {
  std::vector<const HostPort*> ports;                         ///< by sub-channel
  std::vector<const HostDevice*> devices;                     ///< by work
  std::vector<const link::Link<link::PacketSequence>*> pcie;  ///< likewise; null where it has none
  std::vector<const HostJobs*> jobs;                          ///< by DIMM; null where it has none
};

/// The host's forwarding of packets, where the network has paths over the host; null where not.
[[nodiscard]] const HostForwarder* add_forwarder(core::Machine& machine,
                                                 const link::Network& network, const HostPath& path,
                                                 std::size_t dimms);

/// The work of a host and the memory on which it works. If the path of the host is configured, the
/// host enqueues the `jobs` of DIMMs, from `jobs_start` on; otherwise the DIMMs have them from the
/// start.
struct HostWork {
  const std::vector<HostDeviceWork>& devices;
  const std::vector<std::vector<unit::Descriptor>>& jobs;  ///< by DIMM
  core::Fs jobs_start;
  const NdpDimmConfig& dimm;
  const DramConfig& memory;
  std::size_t recorded_commands = 0;
};

/// The devices of `work` outlive the machine; `dimms` are an even number of subsystems, each with
/// eight streams. `forwarder` may be null.
[[nodiscard]] HostSubsystem add_host(core::Machine& machine, const HostWork& work,
                                     const std::vector<NdpSubsystem>& dimms,
                                     const HostForwarder* forwarder);

/// The host of a single DIMM, whose ranks are on two sub-channels, or on one if it has a single
/// rank.
[[nodiscard]] HostSubsystem add_host(core::Machine& machine,
                                     const std::vector<unit::Descriptor>& jobs,
                                     const NdpDimmConfig& dimm, const DramConfig& memory,
                                     const NdpSubsystem& subsystem);

}  // namespace neardata::system
