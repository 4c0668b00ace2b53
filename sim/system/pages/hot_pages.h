// SPDX-License-Identifier: Apache-2.0
//
// Copies of flash pages in controller DRAM: of every head, a few that were read most often. A read
// is counted wherever its bytes come from; a page that comes from flash takes the place of one that
// was read less often. Counts and copies last until the sequence ends.
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
  /// Room for so many pages of a head; none for zero.
  explicit HotPages(std::uint32_t pages_of_head) : room_(pages_of_head) {}

  /// Counts a read of the page. Its bytes, good until forget_dropped; nothing when it is not held.
  [[nodiscard]] std::span<const std::byte> read(flash::Owner page);
  /// The page has come from flash. True if a copy is held from now on.
  [[nodiscard]] bool offer(flash::Owner page, std::span<const std::byte> bytes);
  /// The page has other contents from now on.
  void drop(flash::Owner page);
  void close(std::uint32_t sequence);
  /// Frees copies that nobody reads any more.
  void forget_dropped() { dropped_.clear(); }

 private:
  struct HotPage {
    std::uint64_t reads = 0;
    std::vector<std::byte> bytes;  ///< empty when it is not held
  };
  struct HotHead {
    std::map<flash::Owner, HotPage> pages;
    std::uint32_t held = 0;
  };

  [[nodiscard]] HotHead& head_of(flash::Owner page);
  /// The copy may be on its way to the engine: it is freed later.
  void drop(HotHead& head, HotPage& page);

  std::uint32_t room_;
  std::map<std::uint32_t, std::map<std::uint32_t, HotHead>> sequences_;  ///< heads by their number
  std::vector<std::vector<std::byte>> dropped_;
};

}  // namespace neardata::system
