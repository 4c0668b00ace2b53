// SPDX-License-Identifier: Apache-2.0
#include "flash/translation/block_pool.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace neardata::flash {

namespace {

/// The stream of garbage collection.
constexpr StreamId kCleaner = std::numeric_limits<StreamId>::max();

}  // namespace

BlockPool::BlockPool(BlockShape shape)
    : shape_(shape), blocks_(shape.blocks), free_blocks_(shape.blocks) {}

std::optional<BlockPage> BlockPool::write(StreamId stream, Owner owner, Collection& collection) {
  std::optional<BlockPage> place = append(stream, owner, kReserve);
  if (!place && !collection_frees()) return std::nullopt;
  while (!place) {
    collect(collection);
    place = append(stream, owner, kReserve);
  }
  ++counters_.host_writes;
  return place;
}

void BlockPool::invalidate(BlockPage place) {
  Block& block = blocks_[place.block];
  block.owners[place.page].reset();
  --block.valid;
}

void BlockPool::close(StreamId stream) {
  const auto found = open_.find(stream);
  if (found == open_.end()) return;
  blocks_[found->second].state = BlockState::kFull;
  open_.erase(found);
}

std::vector<std::uint32_t> BlockPool::wear() const {
  std::vector<std::uint32_t> erases;
  erases.reserve(blocks_.size());
  for (const Block& block : blocks_) erases.push_back(block.erases);
  return erases;
}

std::optional<BlockPage> BlockPool::append(StreamId stream, Owner owner, std::uint32_t reserve) {
  const std::optional<std::uint32_t> index = open_block(stream, reserve);
  if (!index) return std::nullopt;
  Block& block = blocks_[*index];
  const BlockPage place{.block = *index, .page = block.written++};
  block.owners.emplace_back(owner);
  ++block.valid;
  if (block.written == shape_.pages) close(stream);
  return place;
}

std::optional<std::uint32_t> BlockPool::open_block(StreamId stream, std::uint32_t reserve) {
  if (const auto found = open_.find(stream); found != open_.end()) return found->second;
  if (free_blocks_ <= reserve) return std::nullopt;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].state != BlockState::kFree) continue;
    if (!best || blocks_[i].erases < blocks_[*best].erases) best = i;
  }
  blocks_[*best].state = BlockState::kOpen;
  --free_blocks_;
  open_[stream] = *best;
  return best;
}

std::optional<std::uint32_t> BlockPool::open_block_of(StreamId stream) const {
  const auto found = open_.find(stream);
  if (found == open_.end()) return std::nullopt;
  return found->second;
}

/// The block to collect. The block of garbage collection is not full, but where no other has
/// garbage and it has nothing else, it is of no use.
std::optional<std::uint32_t> BlockPool::victim() const {
  std::optional<std::uint32_t> best;
  const auto cost = [this](std::uint32_t b) {
    return std::pair(blocks_[b].valid, blocks_[b].erases);
  };
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.state != BlockState::kFull || block.valid == shape_.pages) continue;
    if (!best || cost(i) < cost(*best)) best = i;
  }
  if (best) return best;
  const std::optional<std::uint32_t> own = open_block_of(kCleaner);
  return own && blocks_[*own].valid == 0 ? own : std::nullopt;
}

/// Simulates the next garbage collections. The choice of blocks and the number of free pages
/// afterwards depend on numbers of valid pages only.
bool BlockPool::collection_frees() const {
  const std::optional<std::uint32_t> first = victim();
  if (!first) return false;
  const std::optional<std::uint32_t> own = open_block_of(kCleaner);
  std::uint32_t room = own ? shape_.pages - blocks_[*own].written : 0;
  if (blocks_[*first].valid <= room) return true;

  std::vector<std::uint32_t> victims;  // valid pages of each; a heap, fewest on top
  for (const Block& block : blocks_) {
    if (block.state == BlockState::kFull && block.valid < shape_.pages) {
      victims.push_back(block.valid);
    }
  }
  std::ranges::make_heap(victims, std::greater{});
  std::uint32_t own_valid = own ? blocks_[*own].valid : 0;
  std::uint32_t free = free_blocks_;
  while (free <= kReserve && !victims.empty()) {
    std::ranges::pop_heap(victims, std::greater{});
    std::uint32_t moving = victims.back();
    victims.pop_back();
    while (moving > 0) {
      if (room == 0) {
        --free;
        room = shape_.pages;
        own_valid = 0;
      }
      const std::uint32_t kept = std::min(moving, room);
      moving -= kept;
      room -= kept;
      own_valid += kept;
      if (room > 0 || own_valid == shape_.pages) continue;
      // The block of garbage collection is full and has garbage: it is collected, too.
      victims.push_back(own_valid);
      std::ranges::push_heap(victims, std::greater{});
    }
    ++free;
  }
  return free > kReserve;
}

/// Precondition: collection_frees. At least the reserve is free, so the valid pages have room.
void BlockPool::collect(Collection& collection) {
  const std::uint32_t from = *victim();
  if (blocks_[from].state == BlockState::kOpen) close(kCleaner);
  for (std::uint32_t page = 0; page < blocks_[from].written; ++page) {
    const std::optional<Owner> owner = blocks_[from].owners[page];
    if (!owner) continue;
    const BlockPage to = *append(kCleaner, *owner, 0);
    const BlockPage place{.block = from, .page = page};
    invalidate(place);
    collection.moved.push_back({.owner = *owner, .from = place, .to = to});
    ++counters_.moves;
  }
  erase(from, collection);
}

void BlockPool::erase(std::uint32_t index, Collection& collection) {
  Block& block = blocks_[index];
  block.state = BlockState::kFree;
  block.written = 0;
  block.owners.clear();
  ++block.erases;
  ++free_blocks_;
  ++counters_.erases;
  collection.erased.push_back({.block = index, .after_moves = collection.moved.size()});
}

}  // namespace neardata::flash
