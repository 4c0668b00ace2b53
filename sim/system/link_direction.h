// SPDX-License-Identifier: Apache-2.0
//
// One direction of the link between host and device: transfers follow one another at its rate and
// arrive a latency later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "system/csd_types.h"

namespace neardata::system {

class LinkDirection {
 public:
  explicit LinkDirection(const LinkConfig& link) : link_(link) {}

  /// When a transfer that is ready at `now` begins.
  [[nodiscard]] core::Fs begin(core::Fs now) const { return std::max(free_, now); }

  /// Bytes cross: when the last has arrived.
  [[nodiscard]] core::Fs cross(core::Fs now, std::size_t bytes) {
    constexpr std::int64_t kFsPerSecond = 1'000'000'000'000'000;
    const __int128 span = __int128{static_cast<std::int64_t>(bytes)} * kFsPerSecond;
    free_ = begin(now) + core::Fs{static_cast<std::int64_t>(span / link_.bytes_per_second)};
    return free_ + link_.latency;
  }

 private:
  LinkConfig link_;
  core::Fs free_;
};

}  // namespace neardata::system
