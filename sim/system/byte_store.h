// SPDX-License-Identifier: Apache-2.0
//
// The contents of a memory, apart from its timing: bursts of 64 bytes in pages made on first write.
// What was never written reads as zero. Addresses count bursts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "unit/ndp_unit.h"

namespace neardata::system {

class ByteStore {
 public:
  using Burst = std::span<const std::byte, unit::kBurstBytes>;

  /// The 64 bytes of a burst; they stay where they are until the store ends.
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

 private:
  static constexpr std::size_t kPageBursts = 1024;
  using Page = std::array<std::byte, kPageBursts * unit::kBurstBytes>;
  /// Pages go to the next store of the process: the system clears each that it hands out anew,
  /// which takes four times as long as filling it.
  class Spares;
  struct GiveBack {
    void operator()(Page* page) const noexcept;
  };
  using OwnedPage = std::unique_ptr<Page, GiveBack>;
  static constexpr std::array<std::byte, unit::kBurstBytes> kZero{};

  static std::size_t offset(std::uint32_t index) { return index % kPageBursts * unit::kBurstBytes; }
  /// `whole`: every byte of it is about to be written, so that a new one need not be cleared.
  Page& page_of(std::uint32_t index, bool whole = false);

  std::vector<OwnedPage> pages_;
};

}  // namespace neardata::system
