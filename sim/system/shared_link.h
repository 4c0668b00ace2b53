// SPDX-License-Identifier: Apache-2.0
//
// The link that devices share on their way to the host, behind the lanes that each has to itself:
// full duplex, its rate divided fairly (fair_share.h). A transfer arrives the latency of the lanes
// after its last byte. Who waits for it is told within two cycles of its end, so the latency is two
// cycles at least.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/guard.h"
#include "core/part.h"
#include "system/csd_types.h"
#include "system/fair_share.h"

namespace neardata::system {

/// Of a transfer: towards the device, or away from it.
enum class LinkWay : std::uint8_t { kIn, kOut };
inline constexpr std::array kLinkWays{LinkWay::kIn, LinkWay::kOut};

/// Bytes that are ready to cross when it is sent.
struct LinkTransfer {
  static constexpr core::MessageType kMessage{"transfer"};
  LinkWay way = LinkWay::kIn;
  core::Fs ready;
  core::ByteCount bytes;
};

/// The oldest transfer of the way that was not told of has crossed.
struct LinkArrival {
  static constexpr core::MessageType kMessage{"arrival of a transfer"};
  LinkWay way = LinkWay::kIn;
  core::Fs begun;
  core::Fs arrived;  ///< not before it is told
};

class SharedLink final : public core::Part {
 public:
  SharedLink(core::Placement place, const SharedLinkConfig& config, const DeviceLinkConfig& lanes,
             std::size_t devices);

  [[nodiscard]] std::string_view kind() const override { return "shared link"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return arrivals_; }

  [[nodiscard]] SharedLinkCounters counters() const;

 private:
  struct Device {
    core::In<LinkTransfer> transfers;
    core::Out<LinkArrival> arrivals;
  };
  struct Direction {
    FairShare share;
    core::SharedBusGuard guard;
  };

  [[nodiscard]] core::Expected<void> advance(LinkWay way, core::Fs now);
  [[nodiscard]] Direction& direction(LinkWay way) {
    return directions_[static_cast<std::size_t>(way)];
  }

  core::Fs latency_;
  std::vector<Device> devices_;
  std::array<Direction, kLinkWays.size()> directions_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace neardata::system
