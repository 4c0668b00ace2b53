// SPDX-License-Identifier: Apache-2.0
//
// The contents of a memory, separate from its timing: bursts of 64 bytes in pages made on first
// write. Unwritten bytes read as zero. Addresses count bursts. A copy shares its pages with
// the original until either writes to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/burst.h"
#include "core/copy_on_write.h"

namespace neardata::system {

class ByteStore {
 public:
  using Burst = std::span<const std::byte, core::kBurstBytes>;

  /// The 64 bytes of a burst, good until forget_replaced or the end of the store; after a write to
  /// them, perhaps the old.
  [[nodiscard]] const std::byte* burst(std::uint32_t index) const {
    const std::size_t page = index / kPageBursts;
    if (page >= pages_.size() || !pages_[page]) return kZero.data();
    return pages_[page]->data() + offset(index);
  }

  void write_burst(std::uint32_t index, Burst data) {
    std::memcpy(page_of(index).data() + offset(index), data.data(), data.size());
  }

  /// Whole bursts from burst `first` on; sizes are multiples of 64 bytes.
  void write(std::uint32_t first, std::span<const std::byte> data);
  void read(std::uint32_t first, std::span<std::byte> data) const;

  /// Call when no reader uses a burst that was read earlier.
  void forget_replaced() { replaced_.clear(); }

 private:
  static constexpr std::size_t kPageBursts = 1024;
  using BytePage = std::array<std::byte, kPageBursts * core::kBurstBytes>;
  /// Released pages are reused by the next store of the process: the system clears each newly
  /// allocated page, which takes four times as long as filling it.
  class Spares;
  using SharedPage = core::CopyOnWrite<BytePage>;
  static constexpr std::array<std::byte, core::kBurstBytes> kZero{};

  static std::size_t offset(std::uint32_t index) { return index % kPageBursts * core::kBurstBytes; }
  /// The page to write to; `whole`: every byte of it will be.
  BytePage& page_of(std::uint32_t index, bool whole = false);

  std::vector<SharedPage> pages_;
  std::vector<SharedPage> replaced_;  ///< shared ones, of which a reader may use a burst
};

}  // namespace neardata::system
