// SPDX-License-Identifier: Apache-2.0
#include "system/host/host_subsystem.h"

#include <string>
#include <utility>

namespace neardata::system {

using core::port_of;

namespace {

constexpr std::size_t kRankCapacity = 4;
constexpr std::size_t kRunCapacity = 64;
constexpr std::size_t kPcieCapacity = 4;

/// A rank of a sub-channel changes hands with its NDP port.
void join_rank(core::Machine& machine, const HostPort& host, std::size_t rank,
               const MemoryPort& port) {
  machine.join(host.port(port_of("to_ndp", rank)), port.port("from_host"),
               {.capacity = kRankCapacity});
  machine.join(port.port("to_host"), host.port(port_of("from_ndp", rank)),
               {.capacity = kRankCapacity});
}

/// Joins a reader to a sub-channel; `line` is the number among the reader's lines, `as` the number
/// among the port's readers.
void join_reader(core::Machine& machine, const core::Part& reader, std::size_t line,
                 const HostPort& port, std::size_t as) {
  constexpr core::EdgeRules kRuns{.capacity = kRunCapacity,
                                  .flow_control = core::FlowControl::kAlwaysReady};
  machine.join(reader.port(port_of("runs", line)), port.port(port_of("runs", as)), kRuns);
  machine.join(port.port(port_of("done", as)), reader.port(port_of("done", line)), kRuns);
}

/// A device's PCIe, from the host's memory to it.
const link::Link<link::PacketSequence>& add_pcie(core::Machine& machine,
                                                 const core::Machine::Subsystem& subsystem,
                                                 const HostDevice& device,
                                                 const HostDeviceWork& work) {
  const std::string name = work.name + " PCIe";
  machine.add_clock(name, core::Clock(work.pcie->clock()));
  const auto& wires = subsystem.add<link::Link<link::PacketSequence>>(name, name, *work.pcie, 0U);
  machine.join(device.port("pcie"), wires.port("input"), {.capacity = kPcieCapacity});
  machine.join(wires.port("output"), device.port("come"));
  machine.join(device.port("credits"), wires.port("credits"), {.latency = work.pcie->latency});
  return wires;
}

const HostJobs& add_jobs(const core::Machine::Subsystem& subsystem, std::size_t dimm,
                         const DimmJobs& work, const NdpDimmConfig& config,
                         const DramConfig& memory) {
  return subsystem.add<HostJobs>("jobs of DIMM " + std::to_string(dimm), kMemoryClock, *config.host,
                                 memory.controller.timing, work);
}

void join_jobs(core::Machine& machine, const HostJobs& jobs, const NdpSubsystem& subsystem) {
  // Each once in a run.
  machine.join(jobs.port("start"), subsystem.queue->port("start"),
               {.capacity = 1, .flow_control = core::FlowControl::kCredits});
  machine.join(subsystem.queue->port("ended"), jobs.port("ended"),
               {.capacity = 1,
                .latency = jobs.status_latency(),
                .flow_control = core::FlowControl::kCredits});
}

}  // namespace

RankPlace rank_place(std::size_t sub_channel, std::size_t rank) {
  return {static_cast<std::uint32_t>(sub_channel / 2 * 2 + rank / kHostRanks),
          static_cast<std::uint32_t>(sub_channel % 2 * kHostRanks + rank % kHostRanks)};
}

const HostForwarder* add_forwarder(core::Machine& machine, const link::Network& network,
                                   const HostPath& path, std::size_t dimms) {
  const std::vector<std::uint32_t> senders = network.senders();
  const std::vector<std::uint32_t> receivers = network.receivers();
  if (senders.empty()) return nullptr;
  const HostForwarder& made = machine.subsystem("host").add<HostForwarder>(
      "forwarder", kMemoryClock, path,
      HostForwarderPorts{.senders = senders,
                         .receivers = receivers,
                         .sub_channels = dimms,
                         .buffer_rank = 2 * kHostRanks});
  for (const std::uint32_t dimm : senders) {
    network.join_to_host(machine, dimm, made.port(port_of("packets", dimm)),
                         HostForwarder::kBuffers);
  }
  for (const std::uint32_t dimm : receivers) {
    network.join_from_host(machine, dimm, made.port(port_of("arrived", dimm)),
                           HostForwarder::kBuffers);
  }
  return &made;
}

HostSubsystem add_host(core::Machine& machine, const HostWork& work,
                       const std::vector<NdpSubsystem>& dimms, const HostForwarder* forwarder) {
  const NdpDimmConfig& dimm = work.dimm;
  const core::Machine::Subsystem subsystem = machine.subsystem("host");
  HostSubsystem made;
  for (const HostDeviceWork& device : work.devices) {
    made.devices.push_back(
        &subsystem.add<HostDevice>(device.name, kMemoryClock, device, dimms.size()));
    made.pcie.push_back(device.pcie ? &add_pcie(machine, subsystem, *made.devices.back(), device)
                                    : nullptr);
  }
  made.jobs.resize(dimms.size());
  for (std::size_t d = 0; d < dimms.size(); ++d) {
    if (!dimm.host || work.jobs[d].empty()) continue;
    const auto first = static_cast<std::uint32_t>(d % 2 * kHostRanks);
    made.jobs[d] =
        &add_jobs(subsystem, d, {{2, HostHalf{first, kHostRanks}}, work.jobs[d], work.jobs_start},
                  dimm, work.memory);
    join_jobs(machine, *made.jobs[d], dimms[d]);
  }
  for (std::size_t k = 0; k < dimms.size(); ++k) {
    std::vector<core::RefreshRate> refreshes;
    for (std::size_t rank = 0; rank < std::size_t{2} * kHostRanks; ++rank) {
      refreshes.push_back(refresh_rate(dimm, rank_place(k, rank).stream));
    }
    // The pair of DIMMs whose ranks are here has one half of each on either sub-channel.
    std::vector<const HostJobs*> pair;
    for (const std::size_t d : {k / 2 * 2, k / 2 * 2 + 1}) {
      if (made.jobs[d] != nullptr) pair.push_back(made.jobs[d]);
    }
    const std::string name = "sub-channel " + std::to_string(k);
    // With the DIMMs whose ranks it shares, so that ranks change hands within a partition.
    const core::Machine::Subsystem shared =
        machine.subsystem("host", link::dimm_partition(static_cast<std::uint32_t>(k), 2));
    const std::size_t readers = work.devices.size() + pair.size() + (forwarder == nullptr ? 0 : 1);
    const std::size_t buffers = forwarder == nullptr ? 0 : 2;
    const HostPort& port =
        shared.add<HostPort>(name, kMemoryClock,
                             HostPortSetup{.readers = readers,
                                           .refreshes = std::move(refreshes),
                                           .buffers = buffers,
                                           .limits = dimm.limits,
                                           .memory = work.memory,
                                           .recorded_commands = work.recorded_commands});
    for (std::size_t d = 0; d < work.devices.size(); ++d) {
      join_reader(machine, *made.devices[d], k, port, d);
    }
    for (std::size_t j = 0; j < pair.size(); ++j) {
      join_reader(machine, *pair[j], k % 2, port, work.devices.size() + j);
    }
    if (forwarder != nullptr) join_reader(machine, *forwarder, k, port, readers - 1);
    for (std::size_t rank = 0; rank < std::size_t{2} * kHostRanks; ++rank) {
      const RankPlace place = rank_place(k, rank);
      join_rank(machine, port, rank, *dimms[place.dimm].ports[place.stream]);
    }
    made.ports.push_back(&port);
  }
  return made;
}

HostSubsystem add_host(core::Machine& machine, const std::vector<unit::Descriptor>& jobs,
                       const NdpDimmConfig& dimm, const DramConfig& memory,
                       const NdpSubsystem& subsystem) {
  // One DIMM and its host exchange messages all the time: in one partition they run faster than in
  // two.
  const core::Machine::Subsystem host = machine.subsystem("host", "");
  const std::uint32_t streams = dimm.parameters.streams;
  const std::uint32_t ranks = ranks_of_half(streams);
  const std::uint32_t halves = streams / ranks;
  HostSubsystem made;
  made.jobs.push_back(
      &add_jobs(host, 0, {std::vector<HostHalf>(halves, HostHalf{0, ranks}), jobs, core::Fs{0}},
                dimm, memory));
  join_jobs(machine, *made.jobs.front(), subsystem);
  for (std::uint32_t half = 0; half < halves; ++half) {
    std::vector<core::RefreshRate> refreshes;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      refreshes.push_back(refresh_rate(dimm, half * ranks + r));
    }
    const HostPort& port = host.add<HostPort>("sub-channel " + std::to_string(half), kMemoryClock,
                                              HostPortSetup{.readers = 1,
                                                            .refreshes = std::move(refreshes),
                                                            .limits = dimm.limits,
                                                            .memory = memory});
    join_reader(machine, *made.jobs.front(), half, port, 0);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      join_rank(machine, port, r, *subsystem.ports[half * ranks + r]);
    }
    made.ports.push_back(&port);
  }
  return made;
}

}  // namespace neardata::system
