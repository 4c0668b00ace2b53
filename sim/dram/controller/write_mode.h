// SPDX-License-Identifier: Apache-2.0
//
// Whether the channel serves reads or writes: it turns to writes when many wait or no read does,
// and back when few wait and there is a read.
#pragma once

#include <cstddef>

#include "dram/config.h"

namespace neardata::dram {

class WriteMode {
 public:
  explicit WriteMode(const ControllerConfig& config)
      : low_(config.write_low_watermark * static_cast<float>(config.queues.nominal)),
        high_(config.write_high_watermark * static_cast<float>(config.queues.nominal)) {}

  /// The mode after a look at the queues. Looking twice changes nothing, as low <= high.
  [[nodiscard]] bool next(bool writing, std::size_t reads, std::size_t writes) const {
    const auto waiting = static_cast<float>(writes);
    return writing ? !(waiting < low_ && reads != 0) : waiting > high_ || reads == 0;
  }

 private:
  float low_;
  float high_;
};

}  // namespace neardata::dram
