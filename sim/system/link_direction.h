// SPDX-License-Identifier: Apache-2.0
//
// One direction of the link between host and device: transfers follow one another at its rate and
// arrive a latency later. One that would take beyond the end of time takes until then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "system/csd_types.h"

namespace neardata::system {

class LinkDirection {
 public:
  explicit LinkDirection(const HostLinkConfig& link) : link_(link) {}

  /// When a transfer that is ready at `now` begins.
  [[nodiscard]] core::Fs begin(core::Fs now) const { return std::max(free_, now); }

  /// Bytes cross: when the last has arrived.
  [[nodiscard]] core::Fs cross(core::Fs now, std::size_t bytes) {
    constexpr std::int64_t kFsPerSecond = 1'000'000'000'000'000;
    const __int128 span = __int128{static_cast<std::int64_t>(bytes)} * kFsPerSecond;
    const __int128 end = begin(now).value + span / link_.bytes_per_second;
    free_ = {static_cast<std::int64_t>(std::min(end, __int128{kEndOfTime.value}))};
    return free_ + link_.latency;
  }

 private:
  HostLinkConfig link_;
  core::Fs free_;
};

}  // namespace neardata::system
