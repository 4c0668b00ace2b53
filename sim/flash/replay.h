// SPDX-License-Identifier: Apache-2.0
//
// Open arrivals: requests with fixed submit times run through a device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flash/backend.h"

namespace neardata::flash {

/// Requests with the same submit time and batch, side by side, are queued together.
struct Arrival {
  Tick submit;
  std::uint32_t batch = 0;
  RoutedRequest request;  // its id is its place in the list
};

struct ReplayResult {
  std::vector<Completion> pages;     ///< by arrival
  std::vector<BusUse> bus_use;       ///< by channel
  std::optional<std::string> fault;  ///< of the guard: the times are worth nothing
};

/// Replays arrivals in order of `submit` (never falling). Events of a tick are handled before
/// arrivals of that tick.
ReplayResult replay(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                    std::span<const Arrival> arrivals);

}  // namespace neardata::flash
