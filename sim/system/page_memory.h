// SPDX-License-Identifier: Apache-2.0
//
// Memory for the contents of flash pages, all of one size. Pages lie one behind another in large
// pieces, for which the host is asked for large pages: hundreds of heads are read in any order, and
// the host's address translation would cost more than the reading.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace neardata::system {

class PageMemory {
 public:
  explicit PageMemory(std::size_t page_bytes) : page_bytes_(page_bytes) {}

  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }

  /// A page of any contents, in place until it is given back or the memory ends.
  [[nodiscard]] std::byte* take();
  void give_back(std::byte* page) { free_.push_back(page); }

 private:
  struct Free {
    void operator()(std::byte* piece) const { std::free(piece); }
  };
  using Piece = std::unique_ptr<std::byte, Free>;

  std::size_t page_bytes_;
  std::vector<Piece> pieces_;
  std::size_t used_ = 0;  ///< bytes of the last piece
  std::vector<std::byte*> free_;
};

}  // namespace neardata::system
