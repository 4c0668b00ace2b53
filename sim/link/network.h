// SPDX-License-Identifier: Apache-2.0
//
// The links between DIMMs that have traffic: a hub per participating DIMM, and a link per hop of
// each requested path. First request the paths, then make the parts, then join each part behind a
// hub. If the host forwards packets, a path between two groups leads from the first DIMM to the
// host, and from the host to the last DIMM.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/machine.h"
#include "link/hub.h"
#include "link/link_part.h"
#include "link/topology.h"

namespace neardata::link {

struct NetworkConfig {
  LinkConfig link;
  Topology topology;
  std::uint32_t parallel = 1;  ///< links side by side between two neighbours
  bool ideal = false;
};

/// One direction of a link and its counters.
struct LinkReport {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LinkCounters counters;
};

class Network {
 public:
  explicit Network(const NetworkConfig& config, bool host_forwards = false)
      : config_(config), host_forwards_(host_forwards) {}

  /// Ensures that packets can be routed from one DIMM to another; false if there is no path.
  [[nodiscard]] bool connect(std::uint32_t from, std::uint32_t to);
  /// Of two DIMMs that were connected: by which input of its hub the packets reach the second.
  [[nodiscard]] std::size_t entry(std::uint32_t from, std::uint32_t to) const;

  /// Creates hubs and links, in a separate clock domain. The hub of a DIMM is in the subsystem of
  /// the DIMM; `together` DIMMs share one partition of the engine.
  void add_to(core::Machine& machine, std::uint32_t together = 1);
  /// Joins a DIMM to its hub. The DIMM must be on a requested path.
  void join(core::Machine& machine, std::uint32_t dimm, core::PortName inject,
            core::PortName eject) const;

  /// The DIMMs that send packets to the host, and those that receive packets from it.
  [[nodiscard]] std::vector<std::uint32_t> senders() const;
  [[nodiscard]] std::vector<std::uint32_t> receivers() const;
  /// Joins such a DIMM to the host, with `buffers` packets of buffer.
  void join_to_host(core::Machine& machine, std::uint32_t dimm, core::PortName packets,
                    std::size_t buffers) const;
  void join_from_host(core::Machine& machine, std::uint32_t dimm, core::PortName packets,
                      std::size_t buffers) const;

  [[nodiscard]] std::vector<LinkReport> report() const;

 private:
  /// A link between two hubs: an output of the one and an input of the other, by number.
  struct Wire {
    std::uint32_t number = 0;  ///< among those side by side
    std::size_t output = 0;
    std::size_t input = 0;
    const LinkPart<Packet>* link = nullptr;
  };
  struct Node {
    HubPorts ports;
    std::optional<std::size_t> to_host;    ///< an output
    std::optional<std::size_t> from_host;  ///< an input
    const Hub<Packet>* hub = nullptr;
  };
  using Hop = std::pair<std::uint32_t, std::uint32_t>;

  std::vector<Wire>& wires(std::uint32_t from, std::uint32_t to);
  void add_link(core::Machine& machine, const std::string& partition, const Hop& hop, Wire& wire);

  NetworkConfig config_;
  bool host_forwards_;
  std::map<std::uint32_t, Node> nodes_;  ///< by DIMM
  std::map<Hop, std::vector<Wire>> wires_;
};

/// The subsystem of a DIMM.
[[nodiscard]] inline std::string dimm_subsystem(std::uint32_t dimm) {
  return "DIMM " + std::to_string(dimm);
}
/// The partition of a DIMM, which `together` neighbours share.
[[nodiscard]] inline std::string dimm_partition(std::uint32_t dimm, std::uint32_t together) {
  return dimm_subsystem(dimm / together * together);
}

}  // namespace neardata::link
