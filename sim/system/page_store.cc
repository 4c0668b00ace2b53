// SPDX-License-Identifier: Apache-2.0
#include "system/page_store.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace neardata::system {

namespace {

constexpr std::size_t kHostLine = 64;  ///< bytes of a line of the host's cache

/// Every step is one-to-one in what it changes, so a change of any one word changes the result.
/// Lanes go on by themselves, in a loop that becomes vector code.
std::uint64_t checksum_of(std::span<const std::byte> bytes, flash::Owner owner) {
  constexpr std::uint32_t kOdd = 0x9E3779B1;
  constexpr std::size_t kLanes = 64;
  constexpr std::uint32_t kShift = 15;
  std::array<std::uint32_t, kLanes> lanes;
  for (std::uint32_t i = 0; i < kLanes; ++i) lanes[i] = i;
  lanes[0] ^= static_cast<std::uint32_t>(owner);
  lanes[1] ^= static_cast<std::uint32_t>(owner >> 32U);
  std::array<std::uint32_t, kLanes> words{};
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof words))) {
    std::memcpy(words.data(), bytes.data(), std::min(bytes.size(), sizeof words));
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint32_t mixed = (lanes[i] ^ words[i]) * kOdd;
      lanes[i] = mixed ^ mixed >> kShift;
    }
  }
  for (std::size_t left = kLanes / 2; left > 1; left /= 2) {
    for (std::size_t i = 0; i < left; ++i) lanes[i] = lanes[i] * kOdd ^ lanes[left + i];
  }
  return std::uint64_t{lanes[0]} << 32U | lanes[1];
}

}  // namespace

bool PageStore::write(const flash::Place& place, flash::Owner owner,
                      std::span<const std::byte> bytes) {
  std::vector<Page>& block = contents_[block_of(place)];
  if (block.size() <= place.address.page) block.resize(place.address.page + std::size_t{1});
  Page& page = block[place.address.page];
  if (page.bytes != nullptr) return false;
  page = {.bytes = memory_.take(), .owner = owner};
  std::ranges::copy(bytes, page.bytes);
  page.checksum = checksum_of(bytes_of(page), owner);
  return true;
}

PageStore::Reading PageStore::read(const flash::Place& place, flash::Owner owner) {
  Page* page = find(place);
  if (page == nullptr) return {};
  return {.data = page->bytes,
          .intact = page->owner == owner && checksum_of(bytes_of(*page), owner) == page->checksum,
          .readings = page->readings++};
}

void PageStore::expect(const flash::Place& place) {
  const Page* page = find(place);
  if (page == nullptr) return;
  for (std::size_t at = 0; at < memory_.page_bytes(); at += kHostLine) {
    __builtin_prefetch(page->bytes + at);
  }
}

void PageStore::erase(const flash::Place& block) {
  auto node = contents_.extract(block_of(block));
  if (!node.empty()) erased_.push_back(std::move(node.mapped()));
}

void PageStore::forget_erased() {
  for (const std::vector<Page>& block : erased_) {
    for (const Page& page : block) {
      if (page.bytes != nullptr) memory_.give_back(page.bytes);
    }
  }
  erased_.clear();
}

bool PageStore::turn_over(const flash::Place& place, std::size_t bit) {
  constexpr std::size_t kBits = 8;
  const Page* page = find(place);
  if (page == nullptr || bit / kBits >= memory_.page_bytes()) return false;
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
  if (block == contents_.end() || place.address.page >= block->second.size()) return nullptr;
  Page& page = block->second[place.address.page];
  return page.bytes == nullptr ? nullptr : &page;
}

}  // namespace neardata::system
