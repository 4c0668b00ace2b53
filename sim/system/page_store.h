// SPDX-License-Identifier: Apache-2.0
//
// The contents of flash pages by physical place, each with its owner and a checksum. A page is
// written once after an erase of its block, and the pages of a block in order. A read finds out
// whether the bytes are those that were written for that owner; what was turned over unseen does
// not get past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "flash/kv_translation.h"
#include "system/page_memory.h"

namespace neardata::system {

class PageStore {
 public:
  PageStore(const flash::DeviceShape& device, std::uint32_t blocks_per_plane,
            std::uint32_t page_bytes)
      : device_(device), blocks_(blocks_per_plane), memory_(page_bytes) {}

  /// A page's bytes. False, and nothing happens, when it has been written since the last erase.
  [[nodiscard]] bool write(const flash::Place& place, flash::Owner owner,
                           std::span<const std::byte> bytes);

  struct Reading {
    const std::byte* data = nullptr;  ///< good until forget_erased
    bool intact = false;              ///< there, of this owner, and with the right checksum
    std::uint32_t readings = 0;       ///< of this page before this one
  };
  [[nodiscard]] Reading read(const flash::Place& place, flash::Owner owner);
  /// The page will be read soon: the host may fetch its bytes. Nothing else comes of it.
  void expect(const flash::Place& place);

  void erase(const flash::Place& block);
  /// Frees what was erased; nobody holds its bytes any more.
  void forget_erased();

  /// Turns a bit over behind the checksum's back. False when there is no such bit.
  [[nodiscard]] bool turn_over(const flash::Place& place, std::size_t bit);

 private:
  struct Page {
    std::byte* bytes = nullptr;  ///< none until it is written
    flash::Owner owner = 0;
    std::uint64_t checksum = 0;
    std::uint32_t readings = 0;
  };

  [[nodiscard]] std::uint64_t block_of(const flash::Place& place) const;
  [[nodiscard]] Page* find(const flash::Place& place);
  [[nodiscard]] std::span<const std::byte> bytes_of(const Page& page) const {
    return {page.bytes, memory_.page_bytes()};
  }

  flash::DeviceShape device_;
  std::uint32_t blocks_;
  PageMemory memory_;
  std::unordered_map<std::uint64_t, std::vector<Page>> contents_;  ///< by block, written ones only
  std::vector<std::vector<Page>> erased_;
};

}  // namespace neardata::system
