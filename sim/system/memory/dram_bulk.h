// SPDX-License-Identifier: Apache-2.0
//
// A transfer between controller DRAM and flash or link: only its time on the bus matters here, the
// bytes move separately.
#pragma once

#include <cstdint>

#include "core/port.h"

namespace neardata::system {

/// When a DramBulkEnd is sent for a read: with its first line, which the others follow at the rate
/// of the bus, or with its last line.
enum class DramAnswer : std::uint8_t { kNone, kFirstLine, kLastLine };

struct DramBulk {
  static constexpr core::MessageType kMessage{"bulk transfer"};
  std::uint32_t bytes = 0;
  bool write = false;
  DramAnswer answer = DramAnswer::kNone;  ///< of a write always
};

/// The oldest of the transfers that are answered has been read so far.
struct DramBulkEnd {
  static constexpr core::MessageType kMessage{"end of a bulk transfer"};
};

}  // namespace neardata::system
