// SPDX-License-Identifier: Apache-2.0
//
// A stream of lines from a memory behind a link, with a fixed number of outstanding requests. It
// measures bandwidth and latency of the link.
#pragma once

#include <cstdint>

#include "core/error.h"
#include "core/time.h"
#include "link/link_config.h"

namespace neardata::link {

struct StreamConfig {
  LinkConfig requests;
  LinkConfig lines;
  std::uint64_t count = 1;   ///< lines
  std::uint32_t window = 1;  ///< of them, requested and not arrived
  core::Fs latency;          ///< of the memory
  core::Fs line_time;        ///< its bus carries a line in
};

struct StreamTimes {
  core::Fs first;  ///< arrival of a line
  core::Fs last;

  /// Bytes per second between the two, of so many lines.
  [[nodiscard]] double rate(std::uint64_t count) const;
};

[[nodiscard]] core::Expected<StreamTimes> stream(const StreamConfig& config);

}  // namespace neardata::link
