// SPDX-License-Identifier: Apache-2.0
//
// The links of storage devices to their host: lanes of each device and, for a shared link, a switch
// and its link to the root port of the host, in both directions.
#pragma once

#include "core/machine/machine.h"
#include "link/hub.h"
#include "link/link.h"
#include "system/csd/csd_types.h"

namespace neardata::system {

/// The parts of the link that devices share; the machine owns them.
struct SharedLink {
  const link::Hub<link::PacketSequence>* root = nullptr;
  const link::Hub<link::PacketSequence>* fork = nullptr;
  const link::Link<link::PacketSequence>* down = nullptr;
  const link::Link<link::PacketSequence>* up = nullptr;

  [[nodiscard]] SharedLinkCounters counters() const;
};

/// The clock of the lanes.
void add_link_clock(core::Machine& machine, const CsdConfig& config);

[[nodiscard]] SharedLink add_shared_link(core::Machine& machine, const CsdConfig& config);

/// The lanes of a device, likewise.
struct DeviceLanes {
  const link::Link<link::PacketSequence>* down = nullptr;
  const link::Link<link::PacketSequence>* up = nullptr;

  /// Bytes on the wires.
  [[nodiscard]] Traffic wire_bytes() const;
};

/// Minimum time of a packet from host to device on its links.
[[nodiscard]] core::Fs least_path_time(const CsdConfig& config);

/// Lanes of a device, between its host and the device itself, both of which are `host`; connected
/// to the switch if there is one.
DeviceLanes add_lanes(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                      std::size_t device, const core::Part& host, const SharedLink* shared);

}  // namespace neardata::system
