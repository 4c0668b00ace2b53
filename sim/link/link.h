// SPDX-License-Identifier: Apache-2.0
//
// One direction of a link: between two DIMMs, of PCIe, of CXL. A packet leaves when the lanes are
// free and the receiver has a buffer for it (a credit). It arrives after its wire time and the
// latency, and in order: the receiver drops a packet with a wrong CRC and all packets behind it,
// and the sender repeats from there (go-back-N). Acknowledgements, refusals and credits return
// after the latency. They need no bandwidth, because they travel between the packets of the other
// direction, and are assumed to be free of errors.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "core/guard.h"
#include "link/bit_errors.h"
#include "link/link_part.h"
#include "link/packet.h"
#include "link/packet_sequence.h"

namespace neardata::link {

template <typename P>
class Link final : public LinkPart<P> {
 public:
  /// `number` distinguishes the links of a network.
  Link(core::Placement place, const LinkConfig& config, std::uint64_t number);

  [[nodiscard]] std::string_view kind() const override { return "link"; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  /// The next packet that arrives is on the wires, or has to be sent first.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;
  [[nodiscard]] core::Fs reaction() const override { return this->clock().edge(config_.latency); }

 private:
  struct OnWire {
    core::Cycle arrival;
    core::Fs sent;
    std::unique_ptr<P> packet;
  };
  /// The receiver's answer for packet `sequence`.
  struct Answer {
    core::Cycle arrival;
    bool intact;
    std::uint16_t sequence;
  };

  void receive(core::Cycle now);
  void hear(core::Cycle now);
  void send(core::Cycle now);
  void transmit(const P& packet, core::Cycle now);
  [[nodiscard]] core::Fs next_work() const;
  void keep(std::optional<core::SimError> error) {
    if (error && !error_) error_ = std::move(error);
  }

  using LinkPart<P>::input_;
  using LinkPart<P>::output_;
  using LinkPart<P>::credits_in_;
  using LinkPart<P>::config_;
  using LinkPart<P>::counters_;

  BitErrors errors_;
  core::BusGuard bus_;
  core::LatencyGuard latency_;
  std::uint32_t credits_;
  std::uint32_t waiting_ = 0;  ///< credits that the oldest packet waits for
  core::Cycle lanes_free_;
  std::deque<P> unanswered_;  ///< sent and not acknowledged, oldest first
  std::size_t resend_ = 0;    ///< of those, the next to send; their number when none is
  std::uint16_t next_sequence_ = 0;
  std::uint16_t expected_ = 0;  ///< by the receiver
  std::deque<OnWire> wire_;
  std::deque<Answer> answers_;
  std::optional<core::SimError> error_;
};

extern template class Link<Packet>;
extern template class Link<PacketSequence>;

}  // namespace neardata::link
