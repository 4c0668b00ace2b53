// SPDX-License-Identifier: Apache-2.0
//
// A node of the network: the hub of a DIMM, or a switch or root port of PCIe. It receives packets
// from its links and from its own DIMM, and forwards each to the link towards its target or, at the
// target, to the DIMM. Arbitration is least recently served first. Packets in flight have priority
// over new packets. In a ring, a new packet leaves one slot of its output free, so that the buffers
// of a ring are never all full (bubble flow control).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "link/link_part.h"
#include "link/packet.h"
#include "link/packet_sequence.h"

namespace neardata::link {

/// The ports of a hub and its routes.
struct HubPorts {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  /// By target: the numbers of the outputs towards it, which are used round-robin.
  std::map<std::uint32_t, std::vector<std::size_t>> routes;
};

template <typename P>
class Hub final : public core::Part {
 public:
  /// New packets leave `spare` slots free. A hub without a DIMM only forwards.
  Hub(core::Placement place, std::uint32_t dimm, std::size_t spare, const HubPorts& ports);

  [[nodiscard]] std::string_view kind() const override { return "hub"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return forwarded_; }
  /// If the outputs end in this partition, other partitions see only credits of arrived packets.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;

 private:
  struct Input {
    core::In<P> packets;
    core::Out<Credit> credits;
    std::string option;  ///< the name of that
  };
  struct Route {
    std::vector<std::size_t> outputs;
    std::size_t next_output = 0;
  };

  [[nodiscard]] bool forward(const P& packet, core::Fs now, std::size_t spare);

  core::In<P> inject_;  ///< from the DIMM
  core::Out<P> eject_;  ///< to it
  std::vector<Input> inputs_;
  std::vector<core::Out<P>> outputs_;

  std::vector<std::size_t> order_;  ///< of inputs, the one served longest ago first
  std::uint32_t dimm_;
  std::size_t spare_;
  std::vector<Route> routes_;  ///< by target
  std::uint64_t forwarded_ = 0;
  std::optional<core::SimError> error_;
};

extern template class Hub<Packet>;
extern template class Hub<PacketSequence>;

}  // namespace neardata::link
