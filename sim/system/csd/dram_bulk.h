// SPDX-License-Identifier: Apache-2.0
//
// A transfer between controller DRAM and flash or link: only its time on the bus matters here, the
// bytes move apart from it.
#pragma once

#include <cstdint>

#include "core/port.h"

namespace neardata::system {

struct DramBulk {
  static constexpr core::MessageType kMessage{"bulk transfer"};
  std::uint32_t bytes = 0;
  bool write = false;
  bool awaited = false;  ///< a DramBulkEnd comes when it is read
};

/// The oldest of the awaited transfers has been read.
struct DramBulkEnd {
  static constexpr core::MessageType kMessage{"end of a bulk transfer"};
};

}  // namespace neardata::system
