// SPDX-License-Identifier: Apache-2.0
#include "system/pages/page_memory.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace neardata::system {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;

}  // namespace

LargePiece large_piece(std::size_t bytes) {
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  LargePiece piece(static_cast<std::byte*>(std::aligned_alloc(kLargePage, whole)));
  if (piece == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // Advice only: without it all is the same but slower.
  static_cast<void>(madvise(piece.get(), whole, MADV_HUGEPAGE));
#endif
  return piece;
}

std::shared_ptr<std::byte> PageMemory::page(const std::shared_ptr<PageMemory>& memory) {
  return {memory->take(), [memory](std::byte* page) { memory->give_back(page); }};
}

std::byte* PageMemory::take() {
  const std::scoped_lock lock(mutex_);
  if (!free_.empty()) {
    std::byte* page = free_.back();
    free_.pop_back();
    return page;
  }
  if (pieces_.empty() || used_ + page_bytes_ > kLargePage) {
    pieces_.push_back(large_piece(kLargePage));
    used_ = 0;
  }
  std::byte* page = pieces_.back().get() + used_;
  used_ += page_bytes_;
  return page;
}

void PageMemory::give_back(std::byte* page) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(page);
}

}  // namespace neardata::system
