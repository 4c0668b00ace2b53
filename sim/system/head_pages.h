// SPDX-License-Identifier: Apache-2.0
//
// Keys and values of a prompt of one head as they lie on flash: pages of token-order K and V and of
// embedding-order K with their checksums, and the sums of V. It says nothing of places or owners,
// so devices of any shape hold the same bytes. Never changes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flash/kv_translation.h"
#include "system/page_memory.h"
#include "system/page_store.h"
#include "unit/attention_values.h"
#include "unit/sparf_unit.h"

namespace neardata::system {

class HeadPages {
 public:
  /// Rows of `shape.width` values by token; the last pages are filled up with zeros.
  HeadPages(std::span<const unit::Half> keys, std::span<const unit::Half> values,
            const flash::KvShape& shape);

  /// Whether heads of this shape have such pages, however many heads there are.
  [[nodiscard]] bool fits(const flash::KvShape& shape) const;
  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }
  [[nodiscard]] const unit::ValueSums& sums() const { return sums_; }

  /// Holds all of `head` as long as it is held.
  [[nodiscard]] static PageContents page(const std::shared_ptr<const HeadPages>& head,
                                         unit::PageKind kind, std::uint32_t index);
  [[nodiscard]] std::span<const unit::Half> key(std::uint32_t token) const;
  [[nodiscard]] std::span<const unit::Half> value(std::uint32_t token) const;

 private:
  [[nodiscard]] std::size_t number_of(unit::PageKind kind, std::uint32_t index) const;
  [[nodiscard]] unit::Half* halves(unit::PageKind kind, std::uint32_t page = 0);
  [[nodiscard]] const std::byte* bytes(std::size_t page) const;
  void transpose(std::span<const unit::Half> keys);

  flash::KvShape shape_;
  std::uint32_t tokens_;
  std::array<std::size_t, 4> first_{};  ///< page of each kind, and the end
  std::vector<std::byte> small_;        ///< all pages, where they are few
  LargePiece large_;                    ///< and where they are not
  std::byte* begin_ = nullptr;
  std::vector<std::uint64_t> checksums_;
  unit::ValueSums sums_;
};

}  // namespace neardata::system
