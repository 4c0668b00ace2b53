// SPDX-License-Identifier: Apache-2.0
#include "system/byte_store.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace neardata::system {

/// What stores have given back, of any thread.
class ByteStore::Spares {
 public:
  static Spares& get() {
    static auto* const spares = new Spares;  // outlives every store
    return *spares;
  }

  /// A page with anything in it.
  OwnedPage take() {
    const std::scoped_lock lock(mutex_);
    if (pages_.empty()) return OwnedPage(std::make_unique_for_overwrite<Page>().release());
    OwnedPage page(pages_.back().release());
    pages_.pop_back();
    return page;
  }

  void give(std::unique_ptr<Page> page) {
    const std::scoped_lock lock(mutex_);
    if (pages_.size() < kMost) pages_.push_back(std::move(page));
  }

 private:
  static constexpr std::size_t kMost = 1024;  // 64 MB, an expert and what lies beside it

  Spares() { pages_.reserve(kMost); }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Page>> pages_;
};

void ByteStore::GiveBack::operator()(Page* page) const noexcept {
  Spares::get().give(std::unique_ptr<Page>(page));
}

ByteStore::Page& ByteStore::page_of(std::uint32_t index, bool whole) {
  const std::size_t page = index / kPageBursts;
  if (page >= pages_.size()) pages_.resize(page + 1);
  OwnedPage& slot = pages_[page];
  if (!slot) {
    slot = Spares::get().take();
    if (!whole) slot->fill(std::byte{0});
  }
  return *slot;
}

void ByteStore::write(std::uint32_t first, std::span<const std::byte> data) {
  while (!data.empty()) {
    const std::size_t part = std::min(data.size(), sizeof(Page) - offset(first));
    std::memcpy(page_of(first, part == sizeof(Page)).data() + offset(first), data.data(), part);
    data = data.subspan(part);
    first += static_cast<std::uint32_t>(part / unit::kBurstBytes);
  }
}

void ByteStore::read(std::uint32_t first, std::span<std::byte> data) const {
  for (; !data.empty(); data = data.subspan(unit::kBurstBytes), ++first) {
    std::memcpy(data.data(), burst(first), unit::kBurstBytes);
  }
}

}  // namespace neardata::system
