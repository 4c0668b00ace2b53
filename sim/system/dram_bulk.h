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
};

}  // namespace neardata::system
