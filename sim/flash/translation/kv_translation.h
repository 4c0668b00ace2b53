// SPDX-License-Identifier: Apache-2.0
//
// The flash addresses of keys and values of sequences. K is stored twice, in token order (a page
// has n tokens of a head) and in embedding order (m dimensions of T tokens); V once, in token
// order. Pages of a head are striped over channels, dies and planes; each head has separate blocks.
// Tokens wait in the controller's DRAM until their page is full.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "flash/backend.h"
#include "flash/translation/block_pool.h"
#include "flash/translation/page_kind.h"

namespace neardata::flash {

/// One sequence's shape. `width` dimensions per head, two bytes per value.
struct KvShape {
  std::uint32_t heads = 1;
  std::uint32_t width = 128;
  std::uint32_t page_bytes = 4096;
  std::uint32_t dims_per_page = 2;  ///< m

  [[nodiscard]] std::uint32_t tokens_per_page() const { return page_bytes / (2 * width); }
  [[nodiscard]] std::uint32_t tokens_per_dim_page() const {
    return page_bytes / (2 * dims_per_page);
  }
  [[nodiscard]] std::uint32_t dim_groups() const {
    return (width + dims_per_page - 1) / dims_per_page;
  }
};

/// `index`: the token group, or block * groups + group of an embedding-order page.
struct KvPage {
  std::uint32_t sequence = 0;
  std::uint32_t head = 0;
  PageKind kind = PageKind::kTokenKeys;
  std::uint32_t index = 0;
};

/// Sequences are numbered below this.
inline constexpr std::uint32_t kMostSequences = 1U << 20U;

/// Converts a page to the owner in the block pools, and back. Heads are below 2^12, indices below
/// 2^28.
[[nodiscard]] Owner owner_of(const KvPage& page);
[[nodiscard]] KvPage page_of(Owner owner);

/// One operation for the flash, in order. A program of a moved page writes the data of the
/// preceding read.
struct FlashWork {
  Operation operation = Operation::kProgram;
  Place place;
  Owner owner = 0;  ///< of the page; of an erase without meaning
  bool moved = false;
};

struct KvCounters {
  std::uint64_t host_writes = 0;
  std::uint64_t moves = 0;
  std::uint64_t erases = 0;
  std::uint32_t most_erases = 0;   ///< of any block
  std::uint32_t least_erases = 0;  ///< of any block
};

class KvTranslation {
 public:
  KvTranslation(const DeviceShape& device, BlockShape blocks);

  /// Begins a sequence without tokens; its number must be free and below 2^20.
  void open(std::uint32_t sequence, const KvShape& shape);

  /// Appends tokens to all heads and lists the operations. False: the flash is full; the operations
  /// that were listed before have been done, and are valid.
  [[nodiscard]] bool append(std::uint32_t sequence, std::uint32_t tokens,
                            std::vector<FlashWork>& work);

  /// Writes one page, a new one or again, and lists the work. False: the flash is full, and
  /// nothing has changed.
  [[nodiscard]] bool write(const KvPage& page, std::vector<FlashWork>& work);

  /// Ends a sequence: its pages are garbage.
  void close(std::uint32_t sequence);

  /// The pages of a head are garbage, and it has none.
  void clear(std::uint32_t sequence, std::uint32_t head);

  /// The place of a page; nothing while its tokens are in DRAM.
  [[nodiscard]] std::optional<Place> locate(const KvPage& page) const;

  [[nodiscard]] KvCounters counters() const;

 private:
  struct Location {
    std::uint32_t plane = 0;  ///< of all planes of the device
    BlockPage page;
  };
  /// By kind and index.
  using HeadPlaces = std::array<std::vector<std::optional<Location>>, 3>;
  struct Sequence {
    KvShape shape;
    std::uint32_t tokens = 0;
    std::vector<HeadPlaces> heads;
  };

  /// The entry of a page of an open sequence; the table grows for it.
  [[nodiscard]] std::optional<Location>& location_of(const KvPage& page);
  [[nodiscard]] std::uint32_t plane_of(const KvPage& page) const;
  [[nodiscard]] Place place_of(const Location& location) const;
  /// The flash work of a garbage collection. Updates the map to the new places of moved pages.
  void list_collection(std::uint32_t plane, const Collection& collection,
                       std::vector<FlashWork>& work);

  DeviceShape device_;
  std::vector<BlockPool> planes_;
  std::unordered_map<std::uint32_t, Sequence> sequences_;
};

}  // namespace neardata::flash
