// SPDX-License-Identifier: Apache-2.0
//
// A link without packets' troubles: the payload alone takes wire time, nothing is lost, and there
// is always room. Beside the real one it shows what header, CRC, credits and errors cost.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "core/component.h"
#include "link/link.h"

namespace neardata::link {

class IdealLink final : public core::Component {
 public:
  IdealLink(std::string name, const LinkConfig& config, const LinkEnds& ends)
      : name_(std::move(name)), config_(config), ends_(ends), clock_(config.clock()) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (wire_.empty() && ends_.input->empty()) return std::nullopt;
    return "packets on their way";
  }
  [[nodiscard]] std::uint64_t progress() const override { return counters_.packets; }
  [[nodiscard]] const LinkCounters& counters() const { return counters_; }

 private:
  struct OnWire {
    core::Fs arrival;
    Packet packet;
  };

  std::string name_;
  LinkConfig config_;
  LinkEnds ends_;
  core::Clock clock_;
  core::Fs lanes_free_;
  std::deque<OnWire> wire_;
  LinkCounters counters_;
};

}  // namespace neardata::link
