// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one plane: pages are written in order into open blocks, one for each stream, and become
// invalid; a block is erased as a whole. The free block with the least wear is opened first. When
// only the reserve is left, the full block with the fewest valid pages (of these the least worn) is
// cleaned: its valid pages move to the garbage collector's own open block. Pages of one stream
// never share a block with another's, except after such a move, so data with a common lifetime
// leaves blocks without valid pages. A write for which garbage collection finds no space is refused
// without a change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace neardata::flash {

/// Identifies the contents of a page; chosen by the user of the pool.
using Owner = std::uint64_t;
/// Data that is expected to die together.
using StreamId = std::uint64_t;

struct BlockShape {
  std::uint32_t blocks = 1;  ///< of a plane
  std::uint32_t pages = 1;   ///< of a block

  friend constexpr bool operator==(const BlockShape&, const BlockShape&) = default;
};

struct BlockPage {
  std::uint32_t block = 0;
  std::uint32_t page = 0;

  friend constexpr auto operator<=>(const BlockPage&, const BlockPage&) = default;
};

/// A page that garbage collection moved.
struct Moved {
  Owner owner = 0;
  BlockPage from;
  BlockPage to;
};

/// A block that garbage collection erased, after `after_moves` of its moves.
struct Erased {
  std::uint32_t block = 0;
  std::size_t after_moves = 0;
};

/// The garbage collection that a write caused; both lists in order of execution.
struct Collection {
  std::vector<Moved> moved;
  std::vector<Erased> erased;
};

struct PoolCounters {
  std::uint64_t host_writes = 0;
  std::uint64_t moves = 0;
  std::uint64_t erases = 0;
};

class BlockPool {
 public:
  explicit BlockPool(BlockShape shape);

  /// Writes a page of `stream` for `owner`. Empty, without a change, if no page is free and garbage
  /// collection frees none.
  [[nodiscard]] std::optional<BlockPage> write(StreamId stream, Owner owner,
                                               Collection& collection);

  /// The page's contents, which were valid so far, are no longer needed.
  void invalidate(BlockPage place);

  /// `stream` has no further writes: its open block counts as full.
  void close(StreamId stream);

  [[nodiscard]] const PoolCounters& counters() const { return counters_; }
  /// Erases of each block.
  [[nodiscard]] std::vector<std::uint32_t> wear() const;

 private:
  enum class BlockState : std::uint8_t { kFree, kOpen, kFull };
  struct Block {
    BlockState state = BlockState::kFree;
    std::uint32_t written = 0;
    std::uint32_t valid = 0;
    std::uint32_t erases = 0;
    std::vector<std::optional<Owner>> owners;  ///< of the pages written
  };

  /// Free blocks in reserve. Garbage collection moves the valid pages of a block into them.
  static constexpr std::uint32_t kReserve = 1;

  std::optional<BlockPage> append(StreamId stream, Owner owner, std::uint32_t reserve);
  std::optional<std::uint32_t> open_block(StreamId stream, std::uint32_t reserve);
  [[nodiscard]] std::optional<std::uint32_t> victim() const;
  [[nodiscard]] std::optional<std::uint32_t> open_block_of(StreamId stream) const;
  /// Whether garbage collection will free a block beyond the reserve, computed from counts alone.
  [[nodiscard]] bool collection_frees() const;
  void collect(Collection& collection);
  void erase(std::uint32_t block, Collection& collection);

  BlockShape shape_;
  std::vector<Block> blocks_;
  std::uint32_t free_blocks_;
  std::map<StreamId, std::uint32_t> open_;
  PoolCounters counters_;
};

}  // namespace neardata::flash
