// SPDX-License-Identifier: Apache-2.0
#include "system/page_memory.h"

#include <sys/mman.h>

#include <new>

namespace neardata::system {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20U;  ///< a large page of the host

}  // namespace

std::byte* PageMemory::take() {
  if (!free_.empty()) {
    std::byte* page = free_.back();
    free_.pop_back();
    return page;
  }
  if (pieces_.empty() || used_ + page_bytes_ > kPieceBytes) {
    Piece piece(static_cast<std::byte*>(std::aligned_alloc(kPieceBytes, kPieceBytes)));
    if (piece == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Advice only: without it all is the same but slower.
    static_cast<void>(madvise(piece.get(), kPieceBytes, MADV_HUGEPAGE));
#endif
    pieces_.push_back(std::move(piece));
    used_ = 0;
  }
  std::byte* page = pieces_.back().get() + used_;
  used_ += page_bytes_;
  return page;
}

}  // namespace neardata::system
