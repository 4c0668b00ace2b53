// SPDX-License-Identifier: Apache-2.0
//
// An ideal link: only the payload needs wire time, no packet is lost, and buffers are unlimited. A
// comparison with the real link shows the cost of headers, CRC, credits and errors.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "link/link_part.h"
#include "link/packet.h"

namespace neardata::link {

class IdealLink final : public LinkPart<Packet> {
 public:
  using LinkPart::LinkPart;

  [[nodiscard]] std::string_view kind() const override { return "ideal link"; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (wire_.empty() && input_->empty()) return std::nullopt;
    return "packets on their way";
  }

 private:
  struct OnWire {
    core::Fs arrival;
    Packet packet;
  };

  core::Fs lanes_free_;
  std::deque<OnWire> wire_;
};

}  // namespace neardata::link
