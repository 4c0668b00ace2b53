// SPDX-License-Identifier: Apache-2.0
//
// The common part of real and ideal links: packets enter at one end and leave at the other. A
// receiver that removes a packet from the buffer of the link returns a credit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/part.h"
#include "link/link_config.h"

namespace neardata::link {

/// The receiver has removed packets from its buffer.
struct Credit {
  static constexpr core::MessageType kMessage{"credit"};
  std::uint32_t packets = 1;
};

/// Of packets P: Packet, or PacketSequence.
template <typename P>
class LinkPart : public core::Part {
 public:
  LinkPart(core::Placement place, const LinkConfig& config)
      : Part(std::move(place)), config_(config) {}

  void declare(core::PortList& ports) override {
    ports.in("input", input_);
    ports.out("output", output_, {.least_capacity = config_.credits});
    ports.in("credits", credits_in_, {.least_capacity = config_.credits});
  }
  [[nodiscard]] std::uint64_t progress() const override { return counters_.packets; }
  [[nodiscard]] const LinkCounters& counters() const { return counters_; }

 protected:
  core::In<P> input_;
  core::Out<P> output_;
  core::In<Credit> credits_in_;  ///< from the receiver of `output_`
  LinkConfig config_;
  LinkCounters counters_;
};

}  // namespace neardata::link
