// SPDX-License-Identifier: Apache-2.0
//
// The links of all DIMMs, as far as anything will cross them: a hub in each DIMM that takes part
// and a link for each hop of each path that is asked for. Paths are asked for first, then the parts
// are made, and each part behind a hub is joined to it. Where the host forwards packets, a path
// from one group to another goes to the host from the first DIMM and from the host to the last.
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

/// One direction of a link and what it did.
struct LinkReport {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LinkCounters counters;
};

class Network {
 public:
  explicit Network(const NetworkConfig& config, bool host_forwards = false)
      : config_(config), host_forwards_(host_forwards) {}

  /// Makes sure that packets can go from one DIMM to another; false when there is no path.
  [[nodiscard]] bool connect(std::uint32_t from, std::uint32_t to);
  /// Of two DIMMs that were connected: by which input of its hub the packets reach the second.
  [[nodiscard]] std::size_t entry(std::uint32_t from, std::uint32_t to) const;

  /// Makes hubs and links, on a clock of their own. The hub of a DIMM stands in its room; so many
  /// DIMMs, `together`, are in one partition of the engine.
  void add_to(core::Machine& machine, std::uint32_t together = 1);
  /// Joins a DIMM to its hub, which takes part in a way that was asked for.
  void join(core::Machine& machine, std::uint32_t dimm, core::PortName inject,
            core::PortName eject) const;

  /// The DIMMs that send packets to the host, and those that get packets from it.
  [[nodiscard]] std::vector<std::uint32_t> senders() const;
  [[nodiscard]] std::vector<std::uint32_t> receivers() const;
  /// Joins such a DIMM to the host; its buffers have room for so many packets.
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
    HubWays ways;
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

/// The room of a DIMM.
[[nodiscard]] inline std::string dimm_room(std::uint32_t dimm) {
  return "DIMM " + std::to_string(dimm);
}
/// The partition of a DIMM, of which `together` neighbours are in one.
[[nodiscard]] inline std::string dimm_partition(std::uint32_t dimm, std::uint32_t together) {
  return dimm_room(dimm / together * together);
}

}  // namespace neardata::link
