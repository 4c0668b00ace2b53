// SPDX-License-Identifier: Apache-2.0
//
// Whether the channel serves reads or writes. It switches to writes when many writes wait or no
// read is ready. It switches back when few or no ready writes wait and a read is ready.
#pragma once

#include <cstddef>

#include "dram/config.h"

namespace neardata::dram {

class WriteMode {
 public:
  explicit WriteMode(const ControllerConfig& config)
      : low_(config.write_low_watermark * static_cast<float>(config.queues.nominal)),
        high_(config.write_high_watermark * static_cast<float>(config.queues.nominal)) {}

  /// The mode for these queue occupancies. The function is idempotent, as low <= high.
  [[nodiscard]] bool next(bool writing, bool read_can_go, std::size_t writes,
                          bool write_can_go) const {
    const auto waiting = static_cast<float>(writes);
    if (writing) return !((waiting < low_ || !write_can_go) && read_can_go);
    return (waiting > high_ && write_can_go) || !read_can_go;
  }

 private:
  float low_;
  float high_;
};

}  // namespace neardata::dram
