// SPDX-License-Identifier: Apache-2.0
//
// Copies of flash pages in controller DRAM: the most frequently read pages of every head. Reads
// from flash and from DRAM are counted; a page from flash replaces a page with fewer reads. Counts
// and copies last until the sequence ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "flash/translation/kv_translation.h"

namespace neardata::system {

class HotPages {
 public:
  /// Capacity in pages of a head; zero disables the buffer.
  explicit HotPages(std::uint32_t pages_of_head) : room_(pages_of_head) {}

  /// Counts a read of the page. @returns its bytes, valid until forget_dropped; empty without a
  /// copy
  [[nodiscard]] std::span<const std::byte> read(flash::Owner page);
  /// The page has arrived from flash. True if the buffer stores a copy.
  [[nodiscard]] bool offer(flash::Owner page, std::span<const std::byte> bytes);
  /// The contents of the page change: drops the copy.
  void drop(flash::Owner page);
  void close(std::uint32_t sequence);
  /// Frees copies without readers.
  void forget_dropped() { dropped_.clear(); }

 private:
  struct HotPage {
    std::uint64_t reads = 0;
    std::vector<std::byte> bytes;  ///< empty without a copy
  };
  struct HotHead {
    std::map<flash::Owner, HotPage> pages;
    std::uint32_t held = 0;
  };

  [[nodiscard]] HotHead& head_of(flash::Owner page);
  /// The copy may be in flight to the engine: it is freed later.
  void drop(HotHead& head, HotPage& page);

  std::uint32_t room_;
  std::map<std::uint32_t, std::map<std::uint32_t, HotHead>> sequences_;  ///< heads by their number
  std::vector<std::vector<std::byte>> dropped_;
};

}  // namespace neardata::system
