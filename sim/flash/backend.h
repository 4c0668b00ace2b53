// SPDX-License-Identifier: Apache-2.0
//
// The channels of one device. Events of a tick are handled in the order in which they were
// scheduled, so that dependent requests (chains.h) see one order of completions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flash/channel.h"

namespace neardata::flash {

/// A device: equal channels.
struct DeviceShape {
  std::uint32_t channels = 1;
  ChannelShape channel;

  friend constexpr bool operator==(const DeviceShape&, const DeviceShape&) = default;
};

/// A page request and its channel.
struct RoutedRequest {
  std::uint32_t channel = 0;
  PageRequest page;
};

class Backend {
 public:
  Backend(const Timing& timing, const DeviceShape& shape, Arbitration arbitration);
  Backend(const Backend&) = delete;  // channels count events in this object
  Backend& operator=(const Backend&) = delete;

  /// Requests that arrive together at `now`: all are queued before any bus is given away. Events
  /// of `now` must have been handled (`step`) before.
  void submit(Tick now, std::span<const RoutedRequest> batch);

  /// The earliest event of any channel; kNever when the device is idle.
  [[nodiscard]] Tick next_event() const { return earliest_; }

  /// Handles all events of tick `now` and appends the completions.
  void step(Tick now, std::vector<Completion>& finished);

  /// Pages that began to leave in the last step, by channel. A page begins to leave only in a step.
  [[nodiscard]] std::span<const DataOut> started() const { return started_; }

  /// Pages to program whose bytes had all crossed their bus in the last step, those of a channel
  /// one behind another.
  [[nodiscard]] std::span<const RequestId> loaded() const { return loaded_; }

  [[nodiscard]] std::vector<BusUse> bus_use() const;

  /// False if a guard has detected a page that was programmed out of order: the run is then
  /// invalid.
  [[nodiscard]] bool in_order() const {
    return std::ranges::none_of(channels_, [](const Channel& c) { return !!c.out_of_order(); });
  }
  /// Its finding, in one sentence; nothing while all is in order.
  [[nodiscard]] std::optional<std::string> fault() const;

 private:
  struct Due {
    EventKey key;
    std::size_t channel;
  };

  void find_earliest();

  std::uint64_t scheduled_ = 0;
  std::vector<Channel> channels_;
  std::vector<EventKey> next_;  // next event of each channel
  Tick earliest_ = kNever;      // of them
  std::vector<Due> due_;        // channels with events in the tick being handled
  std::vector<DataOut> started_;
  std::vector<RequestId> loaded_;
};

}  // namespace neardata::flash
