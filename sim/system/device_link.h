// SPDX-License-Identifier: Apache-2.0
//
// A device's link to the host, as the host's side uses it: lanes of its own, each direction by
// itself, and behind them the link that it shares with other devices, where that is joined.
// Transfers of a direction follow one another and arrive a latency later. One that would take
// beyond the end of time takes until then.
#pragma once

#include <array>
#include <cstddef>
#include <deque>

#include "core/port.h"
#include "system/csd_types.h"
#include "system/shared_link.h"

namespace neardata::system {

class DeviceLink {
 public:
  /// A transfer of which is known when it arrives.
  struct Crossing {
    core::Fs begun;
    core::Fs arrived;
  };

  explicit DeviceLink(const DeviceLinkConfig& config) : config_(config) {}

  void declare(core::PortList& ports);

  /// When a transfer that is ready at `now` can be sent.
  [[nodiscard]] core::Fs sendable(LinkWay way, core::Fs now) const;
  /// An error when the shared link takes no more.
  [[nodiscard]] core::Expected<void> send(LinkWay way, std::size_t bytes, core::Fs now);
  /// Takes word from the shared link.
  void listen(core::Fs now);
  /// When there is word again.
  [[nodiscard]] core::Fs next_word() const;

  /// Transfers that were sent and not taken from here, as far as their arrival is known.
  [[nodiscard]] std::deque<Crossing>& crossings(LinkWay way) { return of(way).crossings; }
  [[nodiscard]] core::Fs latency() const { return config_.latency; }
  /// Sent so far.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  struct Direction {
    core::Fs free;  ///< the lanes are, from then on
    std::deque<Crossing> crossings;
  };

  [[nodiscard]] Direction& of(LinkWay way) { return directions_[static_cast<std::size_t>(way)]; }

  DeviceLinkConfig config_;
  core::Out<LinkTransfer> transfers_;
  core::In<LinkArrival> arrivals_;
  std::array<Direction, kLinkWays.size()> directions_;
  Traffic traffic_;
};

}  // namespace neardata::system
