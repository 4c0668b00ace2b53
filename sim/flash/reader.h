// SPDX-License-Identifier: Apache-2.0
//
// Page reads that always end in an answer: corrected at once, right after
// retries, uncorrectable, or on a channel that does not answer. A retry is a whole new read of the
// page after the controller has set other thresholds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flash/backend.h"
#include "flash/bit_errors.h"

namespace neardata::flash {

enum class ReadStatus : std::uint8_t { kClean, kRetried, kUncorrectable, kChannelDead };

struct ReadPolicy {
  BitErrorModel errors;
  Tick retry_setup;   ///< from the failed read to the next attempt's submission
  Tick dead_timeout;  ///< from submission to giving a silent channel up
  std::vector<std::uint32_t> dead_channels;
};

struct ReadAnswer {
  ReadStatus status = ReadStatus::kClean;
  std::uint32_t attempts = 0;  ///< reads of the page; none on a dead channel
  std::uint32_t corrected_bits = 0;
  Tick done;
};

struct ReadRun {
  std::vector<ReadAnswer> answers;  ///< by request
  std::vector<BusUse> bus_use;      ///< by channel
};

/// Reads all pages, submitted together at tick 0. Requests are reads; ids are not used.
ReadRun read_pages(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                   const ReadPolicy& policy, std::span<const RoutedRequest> requests);

}  // namespace neardata::flash
