// SPDX-License-Identifier: Apache-2.0
//
// Reads of the engine and operations of the writer have ids of one type; only `request_purpose`
// distinguishes them.
#pragma once

#include <cstdint>
#include <variant>

#include "flash/types.h"
#include "system/flash/flash_writer.h"

namespace neardata::system {

/// Identifies a page read of the engine until it ends.
struct ReadId {
  std::uint32_t value = 0;
};
using RequestPurpose = std::variant<ReadId, FlashWriter::Id>;

inline constexpr std::uint32_t kWriteBit = 0x80000000U;

[[nodiscard]] inline flash::RequestId request_id(ReadId id) { return {id.value}; }
[[nodiscard]] inline flash::RequestId request_id(FlashWriter::Id id) {
  return {id.value | kWriteBit};
}
[[nodiscard]] inline RequestPurpose request_purpose(flash::RequestId id) {
  if ((id.value & kWriteBit) == 0) return ReadId{id.value};
  return FlashWriter::Id{id.value & ~kWriteBit};
}

}  // namespace neardata::system
