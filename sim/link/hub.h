// SPDX-License-Identifier: Apache-2.0
//
// A DIMM's place in the network: takes packets from its links and from the DIMM itself, and passes
// each to the link towards its target or, at the target, to the DIMM. Inputs take turns; packets on
// their way come before new ones, and in a ring a new one leaves a place free behind the output it
// takes, so that all buffers of a ring are never full at once (bubble flow control).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/component.h"
#include "link/link.h"
#include "link/packet.h"

namespace neardata::link {

class Hub final : public core::Component {
 public:
  struct Input {
    core::Channel<Packet>* packets = nullptr;
    core::Channel<Credit>* credits = nullptr;
  };

  /// `inject` from the DIMM and `eject` to it; new packets leave `spare` places free.
  Hub(std::string name, std::uint32_t dimm, const core::Clock& clock, std::size_t spare,
      core::Channel<Packet>& inject, core::Channel<Packet>& eject)
      : name_(std::move(name)),
        dimm_(dimm),
        clock_(clock),
        spare_(spare),
        inject_(inject),
        eject_(eject) {}

  void add_input(const Input& input) { inputs_.push_back(input); }
  /// The outputs towards `target`, which are used in turn.
  void route(std::uint32_t target, std::vector<core::Channel<Packet>*> outputs);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return forwarded_; }

 private:
  struct Route {
    std::vector<core::Channel<Packet>*> outputs;
    std::size_t turn = 0;
  };

  [[nodiscard]] bool forward(const Packet& packet, core::Fs now, std::size_t spare);

  std::string name_;
  std::uint32_t dimm_;
  core::Clock clock_;
  std::size_t spare_;
  core::Channel<Packet>& inject_;
  core::Channel<Packet>& eject_;
  std::vector<Input> inputs_;
  std::vector<Route> routes_;  ///< by target
  std::size_t turn_ = 0;
  std::uint64_t forwarded_ = 0;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::link
