// SPDX-License-Identifier: Apache-2.0
#include "system/memory/byte_store.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace neardata::system {

/// Pages that stores of any thread have released.
class ByteStore::Spares {
 public:
  static Spares& get() {
    static auto* const spares = new Spares;  // outlives every store
    return *spares;
  }

  /// A page with contents that no other store shares.
  SharedPage take() {
    return SharedPage(std::shared_ptr<BytePage>(any().release(), [](BytePage* page) {
      Spares::get().give(std::unique_ptr<BytePage>(page));
    }));
  }

 private:
  static constexpr std::size_t kMost = 1024;  // 64 MB, an expert with its surroundings

  Spares() { pages_.reserve(kMost); }

  std::unique_ptr<BytePage> any() {
    const std::scoped_lock lock(mutex_);
    if (pages_.empty()) return std::make_unique_for_overwrite<BytePage>();
    std::unique_ptr<BytePage> page = std::move(pages_.back());
    pages_.pop_back();
    return page;
  }

  void give(std::unique_ptr<BytePage> page) {
    const std::scoped_lock lock(mutex_);
    if (pages_.size() < kMost) pages_.push_back(std::move(page));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<BytePage>> pages_;
};

ByteStore::BytePage& ByteStore::page_of(std::uint32_t index, bool whole) {
  const std::size_t number = index / kPageBursts;
  if (number >= pages_.size()) pages_.resize(number + 1);
  SharedPage& page = pages_[number];
  if (BytePage* own = page.own(); own != nullptr) return *own;
  SharedPage fresh = Spares::get().take();
  if (!whole && page) *fresh.own() = *page;
  if (!whole && !page) fresh.own()->fill(std::byte{0});
  if (page) replaced_.push_back(std::move(page));
  page = std::move(fresh);
  return *page.own();
}

void ByteStore::write(std::uint32_t first, std::span<const std::byte> data) {
  while (!data.empty()) {
    const std::size_t part = std::min(data.size(), sizeof(BytePage) - offset(first));
    std::memcpy(page_of(first, part == sizeof(BytePage)).data() + offset(first), data.data(), part);
    data = data.subspan(part);
    first += static_cast<std::uint32_t>(part / core::kBurstBytes);
  }
}

void ByteStore::read(std::uint32_t first, std::span<std::byte> data) const {
  for (; !data.empty(); data = data.subspan(core::kBurstBytes), ++first) {
    std::memcpy(data.data(), burst(first), core::kBurstBytes);
  }
}

}  // namespace neardata::system
