// SPDX-License-Identifier: Apache-2.0
//
// The contents of the sub-channels as a model of values sees them, without times. Addresses
// count 64-byte bursts in a stream's own sub-channel; what was never written reads as zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

class NdpMemory {
 public:
  /// The 64 bytes of a read, valid until the next call: reads of a burst are in the order of the
  /// unit's requests.
  [[nodiscard]] virtual const std::byte* read_burst(std::uint32_t stream, std::uint32_t index) = 0;
  virtual void write_burst(std::uint32_t stream, std::uint32_t index,
                           std::span<const std::byte, kBurstBytes> data) = 0;

 protected:
  ~NdpMemory() = default;
};

}  // namespace neardata::unit
