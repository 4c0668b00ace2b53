// SPDX-License-Identifier: Apache-2.0
#include "system/page_store.h"

#include <array>
#include <cstring>
#include <utility>

namespace neardata::system {

namespace {

/// Every step is one-to-one in the state, so a change of any one word changes the result.
std::uint64_t checksum_of(std::span<const std::byte> bytes, flash::Owner owner) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  constexpr std::size_t kLanes = 4;
  std::array<std::uint64_t, kLanes> lanes{1, 2, 3, owner};
  std::size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    std::array<std::uint64_t, kLanes> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = ((lanes[i] ^ words[i]) + i) * kOdd;
  }
  for (; at < bytes.size(); ++at) {
    lanes[0] = (lanes[0] ^ std::to_integer<std::uint64_t>(bytes[at])) * kOdd;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum = (sum ^ lane ^ lane >> 29U) * kOdd;
  return sum;
}

}  // namespace

bool PageStore::write(const flash::Place& place, flash::Owner owner, std::vector<std::byte> bytes) {
  std::vector<Page>& block = contents_[block_of(place)];
  block.resize(pages_);
  Page& page = block[place.address.page];
  if (!page.bytes.empty()) return false;
  page = {.bytes = std::move(bytes), .owner = owner};
  page.checksum = checksum_of(page.bytes, owner);
  return true;
}

PageStore::Reading PageStore::read(const flash::Place& place, flash::Owner owner) {
  Page* page = find(place);
  if (page == nullptr) return {};
  return {.data = page->bytes.data(),
          .intact = page->owner == owner && checksum_of(page->bytes, owner) == page->checksum,
          .readings = page->readings++};
}

void PageStore::erase(const flash::Place& block) {
  auto node = contents_.extract(block_of(block));
  if (!node.empty()) erased_.push_back(std::move(node.mapped()));
}

bool PageStore::turn_over(const flash::Place& place, std::size_t bit) {
  constexpr std::size_t kBits = 8;
  Page* page = find(place);
  if (page == nullptr || bit / kBits >= page->bytes.size()) return false;
  page->bytes[bit / kBits] ^= std::byte{1} << bit % kBits;
  return true;
}

std::uint64_t PageStore::block_of(const flash::Place& place) const {
  const flash::PageAddress& at = place.address;
  const std::uint64_t die = std::uint64_t{place.channel} * device_.channel.dies + at.die;
  return (die * device_.channel.planes + at.plane) * blocks_ + at.block;
}

PageStore::Page* PageStore::find(const flash::Place& place) {
  const auto block = contents_.find(block_of(place));
  if (block == contents_.end()) return nullptr;
  Page& page = block->second[place.address.page];
  return page.bytes.empty() ? nullptr : &page;
}

}  // namespace neardata::system
