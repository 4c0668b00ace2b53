// SPDX-License-Identifier: Apache-2.0
#include "system/host_room.h"

#include <string>

namespace neardata::system {

using core::port_of;

namespace {

constexpr std::size_t kRankRoom = 4;
constexpr std::size_t kRunRoom = 64;

/// The ranks of a sub-channel change hands with the ports of two DIMMs.
void join_ranks(core::Machine& machine, std::size_t sub_channel, const HostPort& host,
                const std::vector<NdpRoom>& dimms) {
  for (std::size_t rank = 0; rank < std::size_t{2} * kHostRanks; ++rank) {
    const RankPlace place = rank_place(sub_channel, rank);
    const MemoryPort& port = *dimms[place.dimm].ports[place.stream];
    machine.join(host.port(port_of("to_ndp", rank)), port.port("from_host"),
                 {.capacity = kRankRoom});
    machine.join(port.port("to_host"), host.port(port_of("from_ndp", rank)),
                 {.capacity = kRankRoom});
  }
}

}  // namespace

RankPlace rank_place(std::size_t sub_channel, std::size_t rank) {
  return {static_cast<std::uint32_t>(sub_channel / 2 * 2 + rank / kHostRanks),
          static_cast<std::uint32_t>(sub_channel % 2 * kHostRanks + rank % kHostRanks)};
}

HostRoom add_host(core::Machine& machine, const std::vector<HostDeviceWork>& work,
                  const NdpDimmConfig& dimm, const DramConfig& memory,
                  const std::vector<NdpRoom>& dimms, std::size_t kept_commands) {
  const core::Machine::Room room = machine.room("host");
  HostRoom made;
  for (const HostDeviceWork& device : work) {
    made.devices.push_back(&room.add<HostDevice>(device.name, kMemoryClock, device, dimms.size()));
  }
  for (std::size_t k = 0; k < dimms.size(); ++k) {
    std::vector<core::RefreshRate> refreshes;
    for (std::size_t rank = 0; rank < std::size_t{2} * kHostRanks; ++rank) {
      refreshes.push_back(refresh_rate(dimm, rank_place(k, rank).stream));
    }
    const HostPort& port =
        room.add<HostPort>("sub-channel " + std::to_string(k), kMemoryClock, work.size(), refreshes,
                           dimm.limits, memory, kept_commands);
    for (std::size_t d = 0; d < work.size(); ++d) {
      const HostDevice& device = *made.devices[d];
      machine.join(device.port(port_of("runs", k)), port.port(port_of("runs", d)),
                   {.capacity = kRunRoom});
      machine.join(port.port(port_of("done", d)), device.port(port_of("done", k)),
                   {.capacity = kRunRoom});
    }
    join_ranks(machine, k, port, dimms);
    made.ports.push_back(&port);
  }
  return made;
}

}  // namespace neardata::system
