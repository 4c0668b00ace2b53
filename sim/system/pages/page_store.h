// SPDX-License-Identifier: Apache-2.0
//
// The contents of flash pages by physical place, each with its owner. A page is written once after
// an erase of its block, and the pages of a block in order. A read checks that the bytes were
// written for that owner. Stored bytes never change, so the checksum is computed only after a bit
// was flipped. Bytes are referenced, not copied, and a copy of a store references the same bytes;
// some are generated at their first read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/copy_on_write.h"
#include "flash/translation/kv_translation.h"
#include "system/pages/page_memory.h"

namespace neardata::system {

/// Pages by number. Their bytes never change and live as long as the source; any thread may call
/// it.
class PageSource {
 public:
  PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;
  PageSource(PageSource&&) = delete;
  PageSource& operator=(PageSource&&) = delete;
  virtual ~PageSource() = default;

  /// The bytes of a page; null before the first `make`.
  [[nodiscard]] virtual const std::byte* made(std::uint32_t number) const = 0;
  /// Makes the page if it is not made.
  [[nodiscard]] virtual const std::byte* make(std::uint32_t number) const = 0;
};

/// The contents of a page.
struct PageContents {
  std::shared_ptr<const PageSource> source;  ///< null if the page was not written
  std::uint32_t number = 0;
  std::optional<std::uint64_t> checksum;  ///< of the bytes as written, where a bit was turned over
};

class PageStore {
 public:
  PageStore(const flash::DeviceShape& device, std::uint32_t blocks_per_plane,
            std::uint32_t page_bytes)
      : device_(device),
        blocks_(blocks_per_plane),
        memory_(std::make_shared<PageMemory>(page_bytes)),
        contents_(std::make_shared<Blocks>()) {}

  /// Contents of these bytes, which are copied.
  [[nodiscard]] PageContents contents_of(std::span<const std::byte> bytes) const;

  /// Writes a page's contents. False, without an effect, if it or a later page of its block has
  /// been written since the last erase: NAND programs the pages of a block in order.
  [[nodiscard]] bool write(const flash::Place& place, flash::Owner owner, PageContents contents);

  struct StoredPage {
    const std::byte* data = nullptr;  ///< good until forget_erased
    bool intact = false;              ///< there, of this owner, with its checksum
    std::uint32_t readings = 0;       ///< of this page before this one
  };
  [[nodiscard]] StoredPage read(const flash::Place& place, flash::Owner owner);
  /// The contents of the page, read or not.
  [[nodiscard]] PageContents contents(const flash::Place& place) const;
  /// Number of read counters, used or free.
  [[nodiscard]] std::size_t numbers() const { return readings_.size(); }
  /// Wall-clock seconds in which pages were made that had been written unmade.
  [[nodiscard]] double making_seconds() const { return making_seconds_; }

  void erase(const flash::Place& block);
  /// Frees erased pages. Precondition: no reader uses their bytes.
  void forget_erased() { erased_.clear(); }

  /// Flips a bit without an update of the checksum. False if there is no such bit.
  [[nodiscard]] bool flip_bit(const flash::Place& place, std::size_t bit);

 private:
  struct PageSlot {
    PageContents contents;
    flash::Owner owner = 0;
    std::size_t number = 0;  ///< of its count of readings
  };
  using Blocks = std::unordered_map<std::uint64_t, std::vector<PageSlot>>;

  [[nodiscard]] std::uint64_t block_of(const flash::Place& place) const;
  [[nodiscard]] const PageSlot* find(const flash::Place& place) const;
  [[nodiscard]] const std::byte* bytes_of(const PageSlot& page);

  flash::DeviceShape device_;
  std::uint32_t blocks_;
  std::shared_ptr<PageMemory> memory_;
  core::CopyOnWrite<Blocks> contents_;   ///< written ones only
  std::vector<std::uint32_t> readings_;  ///< by number
  std::vector<std::size_t> free_numbers_;
  std::vector<std::vector<PageSlot>> erased_;
  double making_seconds_ = 0;
};

}  // namespace neardata::system
