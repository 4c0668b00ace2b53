// SPDX-License-Identifier: Apache-2.0
//
// Bursts of 64 bytes between a unit and a memory: the messages of their ports. A burst address
// counts bursts in a sub-channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/port.h"

namespace neardata::core {

inline constexpr std::size_t kBurstBytes = 64;

struct ReadRequest {
  static constexpr MessageType kMessage{"read request"};
  std::uint32_t tag = 0;
  std::uint32_t burst = 0;
};

struct ReadResponse {
  static constexpr MessageType kMessage{"read response", kBurstBytes};
  std::uint32_t tag = 0;
  std::uint32_t burst = 0;
  /// The address of the pointer to its 64 bytes, valid from the response's pop until the tag is
  /// reused; null in a model without values.
  const std::byte* const* data = nullptr;
};

struct WriteBurst {
  static constexpr MessageType kMessage{"write burst", kBurstBytes};
  std::uint32_t stream = 0;
  std::uint32_t burst = 0;
  bool has_data = true;  ///< false from a model that moves no values
  std::array<std::byte, kBurstBytes> data{};
};

}  // namespace neardata::core
