// SPDX-License-Identifier: Apache-2.0
//
// The keys and values of a device, without times: the flash addresses of tokens, and the bytes of
// pages and of controller DRAM. It persists between runs.
//
// In DRAM every head has a line per possible token, for keys and values, and its sums of V; only
// written lines need memory. A page is read at the address of its last finished program. Tokens
// count as stored on flash when all their pages are programmed. A copy of a cache shares unchanged
// data with the original.
//
// All or nothing: keys and values that do not fit in flash leave their head without tokens; an
// append that did not complete leaves its head unchanged; all other data stay readable. The memory
// of a closed sequence is reused, its id never.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/copy_on_write.h"
#include "core/error.h"
#include "flash/translation/kv_translation.h"
#include "system/memory/byte_store.h"
#include "system/pages/head_pages.h"
#include "system/pages/hot_pages.h"
#include "system/pages/page_store.h"
#include "unit/sparf/sparf_task.h"
#include "unit/sparf/values/attention_numbers.h"

namespace neardata::system {

struct KvCacheConfig {
  flash::DeviceShape device;
  flash::BlockShape blocks;
  std::uint32_t page_bytes = 4096;
  std::uint32_t width = 128;
  std::uint32_t max_tokens = 32768;
  std::uint32_t hot_pages = 0;  ///< copies in DRAM, of each head

  friend constexpr bool operator==(const KvCacheConfig&, const KvCacheConfig&) = default;
};

/// Number of a head of keys and values on the device, until its sequence is closed.
using KvHeadId = std::uint32_t;

class KvCache {
 public:
  explicit KvCache(const KvCacheConfig& config);

  struct Sequence {
    std::uint32_t heads = 1;
    std::uint32_t dims_per_page = 2;
    bool padded = false;  ///< a prompt's incomplete pages are written
  };
  /// An id that named no sequence before. kBadConfig if its rows do not fit in DRAM, or all numbers
  /// are used.
  [[nodiscard]] core::Expected<std::uint32_t> open(const Sequence& sequence);
  void close(std::uint32_t id);
  [[nodiscard]] std::optional<KvHeadId> head(std::uint32_t id, std::uint32_t head) const;
  /// Sequences that are opened later have ids different from those of `other`.
  void avoid_ids_of(const KvCache& other);

  /// How pages of a head are filled.
  [[nodiscard]] const flash::KvShape& shape(const flash::KvPage& page) const {
    return heads_[sequences_.at(page.sequence).at(page.head)].shape;
  }
  [[nodiscard]] const flash::KvShape& shape(KvHeadId head) const { return heads_[head].shape; }
  /// Keys and values of a head that has none, in pages of its shape. kBadConfig when the flash is
  /// full; the head has none then.
  [[nodiscard]] core::Expected<void> prefill(KvHeadId head,
                                             const std::shared_ptr<const HeadPages>& pages);

  /// Stores keys and values of a head without tokens in DRAM. @returns the pages to write: complete
  /// pages, and incomplete ones if the sequence pads them
  [[nodiscard]] std::vector<flash::KvPage> receive(KvHeadId head, std::span<const unit::Half> keys,
                                                   std::span<const unit::Half> values);
  /// The last of these pages was written; `all`: every one of them.
  void received(KvHeadId head, bool all);
  /// Removes all tokens of the head, written or not. Precondition: no operation is in flight.
  void clear(KvHeadId head);

  /// The present state of the head for a descriptor: tokens, pages, lines.
  [[nodiscard]] unit::SparfTask describe(KvHeadId head) const;
  /// Begins an append: the engine then writes a token's rows into DRAM, and the pages that it
  /// fills.
  void begin_append(KvHeadId head);
  /// Ends the append; `refused`: the engine wrote nothing.
  void end_append(KvHeadId head, bool refused);
  /// The append has not ended, and no operation is in progress: restores the state of the head.
  void undo_append(KvHeadId head);

  /// Gathers a page of tokens in DRAM and lists the operations that write it.
  [[nodiscard]] core::Expected<std::vector<std::byte>> write(KvHeadId head, unit::PageKind kind,
                                                             std::uint32_t index,
                                                             std::vector<flash::FlashWork>& work);
  /// An operation has ended. `bytes` are those of the program of a page that was not moved.
  /// `silent`: the end is not reported, so the tokens do not count as on flash.
  [[nodiscard]] core::Expected<void> finish(const flash::FlashWork& work,
                                            std::span<const std::byte> bytes, bool silent);

  [[nodiscard]] flash::Owner owner(KvHeadId head, unit::PageKind kind, std::uint32_t index) const;
  /// Whether the tokens of a head, including the token of an append in progress, fill such a page.
  [[nodiscard]] bool has_page(KvHeadId head, unit::PageKind kind, std::uint32_t index) const;
  /// The present location of a page.
  [[nodiscard]] std::optional<flash::Place> readable(flash::Owner owner) const;

  /// A row of `width` values in DRAM, from the beginning of a line.
  void put_row(std::uint32_t line, std::span<const unit::Half> row);
  void get_row(std::uint32_t line, std::span<unit::Half> row) const;

  [[nodiscard]] PageStore& pages() { return pages_; }
  [[nodiscard]] HotPages& hot_pages() { return hot_pages_; }
  [[nodiscard]] ByteStore& dram() { return dram_; }
  [[nodiscard]] const KvCacheConfig& config() const { return config_; }
  [[nodiscard]] flash::KvCounters counters() const { return translation_->counters(); }
  /// Lines of DRAM with contents.
  [[nodiscard]] std::uint32_t lines() const { return next_line_; }
  /// A run begins: no reader uses bytes of the previous run.
  void forget_replaced();

  /// Entries of the tables that could grow with every sequence or page there ever was.
  struct Held {
    std::size_t heads = 0;
    std::size_t sequences = 0;
    std::size_t unfinished = 0;
    std::size_t page_numbers = 0;
    friend constexpr bool operator==(const Held&, const Held&) = default;
  };
  [[nodiscard]] Held held() const;

  /// First line of the buffers of a job: queries in, then outputs.
  [[nodiscard]] static std::uint32_t job_line(std::uint32_t job) {
    return job % kJobBuffers * kJobLines;
  }
  static constexpr std::uint32_t kJobBuffers = 4096;
  static constexpr std::uint32_t kJobLines = 256;

 private:
  /// The state that an append may change before it is done.
  struct Before {
    std::uint32_t dim_flash = 0;
    std::uint32_t token_flash = 0;
    std::vector<std::byte> sums;
  };
  struct CachedHead {
    std::uint32_t sequence = 0;  ///< its number in the translation
    std::uint32_t number = 0;    ///< in its sequence
    flash::KvShape shape;
    bool padded = false;
    std::uint32_t tokens = 0;
    std::uint32_t dim_flash = 0;
    std::uint32_t token_flash = 0;
    std::uint32_t sum_line = 0;
    std::uint32_t k_line = 0;  ///< of token 0
    std::uint32_t v_line = 0;
    std::map<std::uint32_t, std::uint32_t>
        token_pages;                                   ///< programmed beyond token_flash, by group
    std::map<std::uint32_t, std::uint32_t> dim_pages;  ///< likewise, by block of tokens
    std::optional<Before> before;                      ///< the append in progress
  };
  /// A page whose newest program is not finished.
  struct Unfinished {
    std::uint32_t programs = 0;
    std::optional<flash::Place> before;  ///< where it can be read meanwhile
  };

  [[nodiscard]] std::vector<std::byte> gather(const CachedHead& head, unit::PageKind kind,
                                              std::uint32_t index) const;
  [[nodiscard]] core::Expected<void> list_write(flash::Owner owner,
                                                std::vector<flash::FlashWork>& work);
  [[nodiscard]] core::Expected<void> write_at_once(flash::Owner owner, PageContents contents);
  /// Calls `write` for each page that a prompt's tokens fill, group after group.
  template <typename Write>
  [[nodiscard]] core::Expected<void> for_pages(const CachedHead& head, Write write) const;
  void put_sums(const CachedHead& head, const unit::ValueSums& sums);
  void finish_prompt(CachedHead& head);
  void advance(const flash::KvPage& page);
  [[nodiscard]] std::optional<std::uint32_t> take_region();
  [[nodiscard]] KvHeadId new_head(CachedHead head);
  [[nodiscard]] std::size_t sum_bytes() const { return sum_lines_ * unit::kLineBytes; }

  KvCacheConfig config_;
  core::CopyOnWrite<flash::KvTranslation> translation_;
  PageStore pages_;
  HotPages hot_pages_;
  ByteStore dram_;
  std::uint32_t row_region_;  ///< lines of all keys or values of a head
  std::uint32_t sum_lines_;
  std::vector<CachedHead> heads_;
  std::vector<KvHeadId> free_heads_;
  std::unordered_map<std::uint32_t, std::vector<KvHeadId>> sequences_;  ///< by number
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;            ///< by id
  std::uint64_t next_id_ = 0;
  std::uint32_t next_number_ = 0;
  std::map<flash::Owner, Unfinished> unfinished_;
  std::uint32_t next_line_ = kJobBuffers * kJobLines;
  std::vector<std::uint32_t> free_regions_;  ///< first lines; all regions are equal
};

}  // namespace neardata::system
