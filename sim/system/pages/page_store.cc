// SPDX-License-Identifier: Apache-2.0
#include "system/pages/page_store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

namespace neardata::system {

namespace {

/// One page that was written as it is.
class WrittenPage final : public PageSource {
 public:
  explicit WrittenPage(std::shared_ptr<const std::byte> bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] const std::byte* made(std::uint32_t /*number*/) const override {
    return bytes_.get();
  }
  [[nodiscard]] const std::byte* make(std::uint32_t number) const override { return made(number); }

 private:
  std::shared_ptr<const std::byte> bytes_;
};

/// Every step is a bijection of the word that it changes, so a change of any single word changes
/// the result. Lanes are independent, so that the compiler vectorises the loop.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  constexpr std::uint32_t kOdd = 0x9E3779B1;
  constexpr std::size_t kLanes = 64;
  constexpr std::uint32_t kShift = 15;
  std::array<std::uint32_t, kLanes> lanes;
  for (std::uint32_t i = 0; i < kLanes; ++i) lanes[i] = i;
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

PageContents PageStore::contents_of(std::span<const std::byte> bytes) const {
  const std::shared_ptr<std::byte> page = PageMemory::page(memory_);
  std::ranges::copy(bytes, page.get());
  return {.source = std::make_shared<const WrittenPage>(page), .checksum = std::nullopt};
}

bool PageStore::write(const flash::Place& place, flash::Owner owner, PageContents contents) {
  std::vector<PageSlot>& block = contents_.writable()[block_of(place)];
  // It ends with the page that was programmed last.
  if (place.address.page < block.size()) return false;
  block.resize(place.address.page + std::size_t{1});
  std::size_t number = readings_.size();
  if (free_numbers_.empty()) {
    readings_.push_back(0);
  } else {
    number = free_numbers_.back();
    free_numbers_.pop_back();
    readings_[number] = 0;
  }
  block.back() = {.contents = std::move(contents), .owner = owner, .number = number};
  return true;
}

PageStore::StoredPage PageStore::read(const flash::Place& place, flash::Owner owner) {
  const PageSlot* page = find(place);
  if (page == nullptr) return {};
  const std::byte* data = bytes_of(*page);
  const auto& checksum = page->contents.checksum;
  const bool same = !checksum || checksum_of({data, memory_->page_bytes()}) == *checksum;
  return {
      .data = data, .intact = page->owner == owner && same, .readings = readings_[page->number]++};
}

PageContents PageStore::contents(const flash::Place& place) const {
  const PageSlot* page = find(place);
  return page == nullptr ? PageContents{} : page->contents;
}

const std::byte* PageStore::bytes_of(const PageSlot& page) {
  const PageSource& source = *page.contents.source;
  const std::uint32_t number = page.contents.number;
  if (const std::byte* made = source.made(number); made != nullptr) return made;
  const auto start = std::chrono::steady_clock::now();
  const std::byte* fresh = source.make(number);
  making_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fresh;
}

void PageStore::erase(const flash::Place& block) {
  auto node = contents_.writable().extract(block_of(block));
  if (node.empty()) return;
  for (const PageSlot& page : node.mapped()) {
    if (page.contents.source != nullptr) free_numbers_.push_back(page.number);
  }
  erased_.push_back(std::move(node.mapped()));
}

bool PageStore::flip_bit(const flash::Place& place, std::size_t bit) {
  constexpr std::size_t kBits = 8;
  const PageSlot* found = find(place);
  if (found == nullptr || bit / kBits >= memory_->page_bytes()) return false;
  // Other pages may share these bytes.
  const std::shared_ptr<std::byte> bytes = PageMemory::page(memory_);
  const std::span data(bytes_of(*found), memory_->page_bytes());
  const auto& written = found->contents.checksum;
  const std::uint64_t checksum = written ? *written : checksum_of(data);
  std::ranges::copy(data, bytes.get());
  bytes.get()[bit / kBits] ^= std::byte{1} << bit % kBits;
  contents_.writable()[block_of(place)][place.address.page].contents = {
      .source = std::make_shared<const WrittenPage>(bytes), .checksum = checksum};
  return true;
}

std::uint64_t PageStore::block_of(const flash::Place& place) const {
  const flash::PageAddress& at = place.address;
  const std::uint64_t die = std::uint64_t{place.channel} * device_.channel.dies + at.die;
  return (die * device_.channel.planes + at.plane) * blocks_ + at.block;
}

const PageStore::PageSlot* PageStore::find(const flash::Place& place) const {
  const auto block = contents_->find(block_of(place));
  if (block == contents_->end() || place.address.page >= block->second.size()) return nullptr;
  const PageSlot& page = block->second[place.address.page];
  return page.contents.source == nullptr ? nullptr : &page;
}

}  // namespace neardata::system
