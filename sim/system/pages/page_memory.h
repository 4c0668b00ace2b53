// SPDX-License-Identifier: Apache-2.0
//
// Memory for the contents of flash pages, all of one size. Pages are contiguous in large pieces,
// for which the allocator requests huge pages: hundreds of heads are read in any order, and TLB
// misses would cost more than the reads. Any thread may free a page.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace neardata::system {

struct FreeBytes {
  void operator()(std::byte* piece) const { std::free(piece); }
};
/// Bytes of large pages of the host.
using LargePiece = std::unique_ptr<std::byte, FreeBytes>;

/// So many bytes or more, of any contents.
[[nodiscard]] LargePiece large_piece(std::size_t bytes);

class PageMemory {
 public:
  explicit PageMemory(std::size_t page_bytes) : page_bytes_(page_bytes) {}

  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }

  /// A page of any contents of `memory`, which stays as long as the page does.
  [[nodiscard]] static std::shared_ptr<std::byte> page(const std::shared_ptr<PageMemory>& memory);

 private:
  [[nodiscard]] std::byte* take();
  void give_back(std::byte* page);

  std::size_t page_bytes_;
  std::mutex mutex_;
  std::vector<LargePiece> pieces_;
  std::size_t used_ = 0;  ///< bytes of the last piece
  std::vector<std::byte*> free_;
};

}  // namespace neardata::system
