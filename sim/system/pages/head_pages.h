// SPDX-License-Identifier: Apache-2.0
//
// The flash pages of the keys and values of a prompt of one head: pages of token-order K and V, of
// embedding-order K for every number of dimensions per page, and the sums of V. Pages have no
// addresses and no owners, so devices of any shape share the same bytes. The contents never change.
// A page is generated at its first read, because most pages of a head are never read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "flash/translation/kv_translation.h"
#include "system/pages/page_store.h"
#include "unit/sparf/sparf_unit.h"
#include "unit/sparf/values/attention_values.h"

namespace neardata::system {

class HeadPages final : public PageSource {
 public:
  /// Rows of `shape.width` values by token, which are copied; the last pages are filled up with
  /// zeros.
  HeadPages(std::span<const unit::Half> keys, std::span<const unit::Half> values,
            const flash::KvShape& shape);

  /// Whether heads of this shape have such pages, however many heads or dimensions per page.
  [[nodiscard]] bool fits(const flash::KvShape& shape) const;
  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }
  [[nodiscard]] const unit::ValueSums& sums() const { return sums_; }

  /// A page of a head of this shape, which shares the ownership of `head`.
  [[nodiscard]] static PageContents page(const std::shared_ptr<const HeadPages>& head,
                                         const flash::KvShape& shape, unit::PageKind kind,
                                         std::uint32_t index);
  [[nodiscard]] std::span<const unit::Half> key(std::uint32_t token) const;
  [[nodiscard]] std::span<const unit::Half> value(std::uint32_t token) const;

  [[nodiscard]] const std::byte* made(std::uint32_t number) const override;
  [[nodiscard]] const std::byte* make(std::uint32_t number) const override;

 private:
  /// Pages of embedding-order K with 1, 2, 4 and 8 dimensions.
  static constexpr std::uint32_t kDimKinds = 4;
  using Bytes = std::unique_ptr<std::byte[]>;

  struct PageBytes {
    std::atomic<const std::byte*> data = nullptr;
    Bytes own;  ///< of embedding-order K
  };

  [[nodiscard]] flash::KvShape with_dims(std::uint32_t kind) const;
  [[nodiscard]] const unit::Half* row(std::uint32_t first_page, std::uint32_t token) const;
  [[nodiscard]] Bytes dim_page(const flash::KvShape& shape, std::uint32_t index) const;

  flash::KvShape shape_;
  std::uint32_t tokens_;
  std::uint32_t groups_;                              ///< pages of token-order K, and of V
  std::array<std::uint32_t, kDimKinds + 1> first_{};  ///< page of each of these kinds, and the end
  Bytes rows_;                                        ///< pages of token-order K, then of V
  unit::ValueSums sums_;
  mutable std::mutex making_;
  mutable std::vector<PageBytes> pages_;
};

}  // namespace neardata::system
