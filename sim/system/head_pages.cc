// SPDX-License-Identifier: Apache-2.0
#include "system/head_pages.h"

#include <algorithm>
#include <cstring>

namespace neardata::system {

using unit::Half;
using unit::PageKind;

namespace {

/// Bytes from which on large pages of the host are worth having.
constexpr std::size_t kLarge = std::size_t{1} << 20U;

std::uint32_t pages_for(std::uint32_t tokens, std::uint32_t of_page) {
  return (tokens + of_page - 1) / of_page;
}

}  // namespace

HeadPages::HeadPages(std::span<const Half> keys, std::span<const Half> values,
                     const flash::KvShape& shape)
    : shape_(shape),
      tokens_(static_cast<std::uint32_t>(keys.size() / shape.width)),
      sums_(shape.width) {
  const std::size_t groups = pages_for(tokens_, shape.tokens_per_page());
  const std::size_t blocks = pages_for(tokens_, shape.tokens_per_dim_page());
  const std::array<std::size_t, 3> pages{groups, groups, blocks * shape.dim_groups()};
  for (std::size_t kind = 0; kind < pages.size(); ++kind) {
    first_[kind + 1] = first_[kind] + pages[kind];
  }
  const std::size_t count = first_.back();
  const std::size_t size = count * shape.page_bytes;
  if (size < kLarge) {
    small_.resize(size);
    begin_ = small_.data();
  } else {
    large_ = large_piece(size);
    begin_ = large_.get();
    // Only pages that are not full, or rows that do not fill theirs, have bytes that nobody writes.
    const bool whole =
        tokens_ % shape.tokens_per_dim_page() == 0 && tokens_ % shape.tokens_per_page() == 0 &&
        shape.page_bytes % (2 * shape.width) == 0 && shape.width % shape.dims_per_page == 0;
    if (!whole) std::memset(begin_, 0, size);
  }
  const std::size_t row = shape.width * sizeof(Half);
  for (std::uint32_t t = 0; t < tokens_; ++t) {
    // Rows of a page need not fill it.
    const std::uint32_t page = t / shape.tokens_per_page();
    const std::size_t at = t % shape.tokens_per_page() * shape.width;
    std::memcpy(halves(PageKind::kTokenKeys, page) + at, &keys[t * shape.width], row);
    std::memcpy(halves(PageKind::kTokenValues, page) + at, &values[t * shape.width], row);
    unit::add_values(values.subspan(t * shape.width, shape.width), sums_);
  }
  transpose(keys);
  checksums_.reserve(count);
  for (std::size_t page = 0; page < count; ++page) {
    checksums_.push_back(checksum_of({bytes(page), shape.page_bytes}));
  }
}

bool HeadPages::fits(const flash::KvShape& shape) const {
  return shape.width == shape_.width && shape.page_bytes == shape_.page_bytes &&
         shape.dims_per_page == shape_.dims_per_page;
}

/// A page of embedding-order K has the first of its dimensions of all its tokens, then the next.
void HeadPages::transpose(std::span<const Half> keys) {
  const std::uint32_t block_tokens = shape_.tokens_per_dim_page();
  const std::uint32_t groups = shape_.dim_groups();
  constexpr std::uint32_t kTile = 32;  // tokens whose rows stay in the host's cache
  for (std::uint32_t from = 0, end = 0; from < tokens_; from = end) {
    end = std::min({tokens_, from + kTile, (from / block_tokens + 1) * block_tokens});
    for (std::uint32_t d = 0; d < shape_.width; ++d) {
      const std::uint32_t page = from / block_tokens * groups + d / shape_.dims_per_page;
      const std::uint32_t row = d % shape_.dims_per_page * block_tokens;
      Half* to = halves(PageKind::kDimKeys, page) + row + from % block_tokens;
      const Half* key = &keys[std::size_t{from} * shape_.width + d];
      for (std::uint32_t t = from; t < end; ++t, key += shape_.width) *to++ = *key;
    }
  }
}

PageContents HeadPages::page(const std::shared_ptr<const HeadPages>& head, PageKind kind,
                             std::uint32_t index) {
  const std::size_t number = head->number_of(kind, index);
  return {.bytes = {head, head->bytes(number)}, .checksum = head->checksums_[number]};
}

std::span<const Half> HeadPages::key(std::uint32_t token) const {
  const std::size_t page = number_of(PageKind::kTokenKeys, token / shape_.tokens_per_page());
  const auto* rows = reinterpret_cast<const Half*>(bytes(page));
  return {rows + token % shape_.tokens_per_page() * shape_.width, shape_.width};
}

std::span<const Half> HeadPages::value(std::uint32_t token) const {
  const std::size_t page = number_of(PageKind::kTokenValues, token / shape_.tokens_per_page());
  const auto* rows = reinterpret_cast<const Half*>(bytes(page));
  return {rows + token % shape_.tokens_per_page() * shape_.width, shape_.width};
}

std::size_t HeadPages::number_of(PageKind kind, std::uint32_t index) const {
  return first_[static_cast<std::size_t>(kind)] + index;
}

Half* HeadPages::halves(PageKind kind, std::uint32_t page) {
  return reinterpret_cast<Half*>(begin_ + number_of(kind, page) * shape_.page_bytes);
}

const std::byte* HeadPages::bytes(std::size_t page) const {
  return begin_ + page * shape_.page_bytes;
}

}  // namespace neardata::system
