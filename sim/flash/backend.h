// SPDX-License-Identifier: Apache-2.0
//
// The channels of one device. They share nothing, so the order in which they are visited within a
// tick cannot change a result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flash/channel.h"

namespace neardata::flash {

/// A device: equal channels.
struct DeviceShape {
  std::uint32_t channels = 1;
  ChannelShape channel;
};

/// A page request and the channel it goes to.
struct RoutedRequest {
  std::uint32_t channel = 0;
  PageRequest page;
};

class Backend {
 public:
  Backend(const Timing& timing, const DeviceShape& shape, Arbitration arbitration);

  /// Requests that arrive together at `now`: all are queued before any bus is given away. Events
  /// of `now` must have been handled (`step`) before.
  void submit(Tick now, std::span<const RoutedRequest> batch);

  /// The earliest event of any channel; kNever when the device is idle.
  [[nodiscard]] Tick next_event() const;

  /// Handles all events of tick `now` and appends what finished.
  void step(Tick now, std::vector<Completion>& finished);

  [[nodiscard]] std::vector<BusUse> bus_use() const;

 private:
  std::vector<Channel> channels_;
  std::vector<Tick> next_;  // next event of each channel
};

}  // namespace neardata::flash
