// SPDX-License-Identifier: Apache-2.0
//
// The stores of a DIMM's streams for the value model of its unit, after the run: bursts that
// changed during the run read as at the time of the access.
#pragma once

#include <vector>

#include "system/memory/burst_history.h"
#include "system/memory/byte_store.h"
#include "unit/ndp/ndp_memory.h"

namespace neardata::system {

class StoreMemory final : public unit::NdpMemory {
 public:
  /// A history for each store, or none at all.
  StoreMemory(std::vector<ByteStore>& stores, std::vector<BurstHistory>& histories)
      : stores_(stores), histories_(histories) {}

  const std::byte* read_burst(std::uint32_t stream, std::uint32_t index) override {
    BurstHistory* history = watching(stream, index);
    return history != nullptr ? history->next_read(index) : stores_[stream].burst(index);
  }

  void write_burst(std::uint32_t stream, std::uint32_t index,
                   std::span<const std::byte, core::kBurstBytes> data) override {
    BurstHistory* history = watching(stream, index);
    if (history == nullptr || history->resolve(index, data)) {
      stores_[stream].write_burst(index, data);
    }
  }

 private:
  [[nodiscard]] BurstHistory* watching(std::uint32_t stream, std::uint32_t index) {
    if (histories_.empty() || !histories_[stream].watches(index)) return nullptr;
    return &histories_[stream];
  }

  std::vector<ByteStore>& stores_;
  std::vector<BurstHistory>& histories_;
};

}  // namespace neardata::system
