// SPDX-License-Identifier: Apache-2.0
//
// The contents of flash pages by physical place, each with its owner and a checksum. A page is
// written once after an erase of its block. A read finds out whether the bytes are those that were
// written for that owner; what was turned over unseen does not get past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "flash/kv_translation.h"

namespace neardata::system {

class PageStore {
 public:
  PageStore(const flash::DeviceShape& device, std::uint32_t blocks_per_plane,
            std::uint32_t pages_per_block)
      : device_(device), blocks_(blocks_per_plane), pages_(pages_per_block) {}

  /// False, and nothing happens, when the page has been written since the last erase.
  [[nodiscard]] bool write(const flash::Place& place, flash::Owner owner,
                           std::vector<std::byte> bytes);

  struct Reading {
    const std::byte* data = nullptr;  ///< good until forget_erased
    bool intact = false;              ///< there, of this owner, and with the right checksum
    std::uint32_t readings = 0;       ///< of this page before this one
  };
  [[nodiscard]] Reading read(const flash::Place& place, flash::Owner owner);

  void erase(const flash::Place& block);
  /// Frees what was erased; nobody holds its bytes any more.
  void forget_erased() { erased_.clear(); }

  /// Turns a bit over behind the checksum's back. False when there is no such bit.
  [[nodiscard]] bool turn_over(const flash::Place& place, std::size_t bit);

 private:
  struct Page {
    std::vector<std::byte> bytes;
    flash::Owner owner = 0;
    std::uint64_t checksum = 0;
    std::uint32_t readings = 0;
  };

  [[nodiscard]] std::uint64_t block_of(const flash::Place& place) const;
  [[nodiscard]] Page* find(const flash::Place& place);

  flash::DeviceShape device_;
  std::uint32_t blocks_;
  std::uint32_t pages_;
  std::unordered_map<std::uint64_t, std::vector<Page>> contents_;  ///< by block, written ones only
  std::vector<std::vector<Page>> erased_;
};

}  // namespace neardata::system
