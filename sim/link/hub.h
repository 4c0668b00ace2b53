// SPDX-License-Identifier: Apache-2.0
//
// Where links meet: a DIMM's place in the network, a switch or root port of PCIe. Takes packets
// from its links and from the DIMM itself, and passes each to the link towards its target or, at
// the target, to the DIMM. The input served longest ago comes first; packets on their way come
// before new ones, and in a ring a new one leaves a place free behind the output it takes, so that
// all buffers of a ring are never full at once (bubble flow control).
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
#include "link/train.h"

namespace neardata::link {

/// What a hub is joined to, and the way on from it.
struct HubWays {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  /// By target: the numbers of the outputs towards it, which are used in turn.
  std::map<std::uint32_t, std::vector<std::size_t>> routes;
};

template <typename P>
class Hub final : public core::Part {
 public:
  /// New packets leave `spare` places free. Where no DIMM is joined, packets only pass.
  Hub(core::Placement place, std::uint32_t dimm, std::size_t spare, const HubWays& ways);

  [[nodiscard]] std::string_view kind() const override { return "hub"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return forwarded_; }
  /// Where its outputs end in its own partition, others see credits alone, of packets that came.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;

 private:
  struct Input {
    core::In<P> packets;
    core::Out<Credit> credits;
    std::string option;  ///< the name of that
  };
  struct Route {
    std::vector<std::size_t> outputs;
    std::size_t turn = 0;
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
extern template class Hub<Train>;

}  // namespace neardata::link
