// SPDX-License-Identifier: Apache-2.0
#include "flash/block_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace neardata::flash {

namespace {

/// The cleaner's own stream.
constexpr StreamId kCleaner = std::numeric_limits<StreamId>::max();

}  // namespace

BlockPool::BlockPool(BlockShape shape)
    : shape_(shape), blocks_(shape.blocks), free_blocks_(shape.blocks) {}

std::optional<BlockPage> BlockPool::write(StreamId stream, Owner owner, Cleaning& cleaning) {
  std::optional<BlockPage> place = append(stream, owner, kReserve);
  while (!place && clean(cleaning)) place = append(stream, owner, kReserve);
  if (place) ++counters_.host_writes;
  return place;
}

void BlockPool::invalidate(BlockPage place) {
  Block& block = blocks_[place.block];
  if (!block.owners[place.page]) return;
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

bool BlockPool::clean(Cleaning& cleaning) {
  std::optional<std::uint32_t> victim;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.state != BlockState::kFull || block.valid == shape_.pages) continue;
    const auto cost = [this](std::uint32_t b) {
      return std::pair(blocks_[b].valid, blocks_[b].erases);
    };
    if (!victim || cost(i) < cost(*victim)) victim = i;
  }
  if (!victim) return false;
  for (std::uint32_t page = 0; page < blocks_[*victim].written; ++page) {
    const std::optional<Owner> owner = blocks_[*victim].owners[page];
    if (!owner) continue;
    const std::optional<BlockPage> to = append(kCleaner, *owner, 0);
    if (!to) return false;
    const BlockPage from{.block = *victim, .page = page};
    invalidate(from);
    cleaning.moved.push_back({.owner = *owner, .from = from, .to = *to});
    ++counters_.moves;
  }
  erase(*victim, cleaning);
  return true;
}

void BlockPool::erase(std::uint32_t index, Cleaning& cleaning) {
  Block& block = blocks_[index];
  block.state = BlockState::kFree;
  block.written = 0;
  block.owners.clear();
  ++block.erases;
  ++free_blocks_;
  ++counters_.erases;
  cleaning.erased.push_back({.block = index, .after_moves = cleaning.moved.size()});
}

}  // namespace neardata::flash
