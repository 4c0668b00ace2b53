// SPDX-License-Identifier: Apache-2.0
#include "system/byte_store.h"

#include <algorithm>

namespace neardata::system {

ByteStore::Page& ByteStore::page_of(std::uint32_t index) {
  const std::size_t page = index / kPageBursts;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique<Page>();
  return *pages_[page];
}

/// A page whose every byte is about to be written.
void ByteStore::make_raw_page(std::uint32_t index) {
  const std::size_t page = index / kPageBursts;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique_for_overwrite<Page>();
}

void ByteStore::write(std::uint32_t first, std::span<const std::byte> data) {
  while (!data.empty()) {
    const std::size_t part = std::min(data.size(), sizeof(Page) - offset(first));
    if (part == sizeof(Page)) make_raw_page(first);
    std::memcpy(page_of(first).data() + offset(first), data.data(), part);
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
