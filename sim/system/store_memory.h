// SPDX-License-Identifier: Apache-2.0
//
// The stores of a DIMM's streams as the value model of its unit sees them.
#pragma once

#include <vector>

#include "system/byte_store.h"
#include "unit/ndp_memory.h"

namespace neardata::system {

class StoreMemory final : public unit::NdpMemory {
 public:
  explicit StoreMemory(std::vector<ByteStore>& stores) : stores_(stores) {}
  const std::byte* burst(std::uint32_t stream, std::uint32_t index) const override {
    return stores_[stream].burst(index);
  }
  void write_burst(std::uint32_t stream, std::uint32_t index,
                   std::span<const std::byte, unit::kBurstBytes> data) override {
    stores_[stream].write_burst(index, data);
  }

 private:
  std::vector<ByteStore>& stores_;
};

}  // namespace neardata::system
