// SPDX-License-Identifier: Apache-2.0
#include "system/pages/head_pages.h"

#include <algorithm>
#include <bit>

namespace neardata::system {

using flash::KvShape;
using unit::Half;
using unit::PageKind;

namespace {

std::uint32_t pages_for(std::uint32_t tokens, std::uint32_t of_page) {
  return (tokens + of_page - 1) / of_page;
}

}  // namespace

HeadPages::HeadPages(std::span<const Half> keys, std::span<const Half> values, const KvShape& shape)
    : shape_(shape),
      tokens_(static_cast<std::uint32_t>(keys.size() / shape.width)),
      groups_(pages_for(tokens_, shape.tokens_per_page())),
      rows_(
          std::make_unique_for_overwrite<std::byte[]>(std::size_t{2} * groups_ * shape.page_bytes)),
      sums_(shape.width) {
  first_[0] = 2 * groups_;
  for (std::uint32_t kind = 0; kind < kDimKinds; ++kind) {
    const KvShape of = with_dims(kind);
    first_[kind + 1] =
        first_[kind] + pages_for(tokens_, of.tokens_per_dim_page()) * of.dim_groups();
  }
  pages_ = std::vector<PageBytes>(first_.back());

  const std::size_t size = std::size_t{groups_} * shape.page_bytes;
  std::byte* to = rows_.get();
  for (const std::span<const Half> rows : {keys, values}) {
    const auto bytes = std::as_bytes(rows);
    std::ranges::fill(std::ranges::copy(bytes, to).out, to + size, std::byte{0});
    to += size;
  }
  for (std::uint32_t t = 0; t < tokens_; ++t) {
    unit::add_values(values.subspan(std::size_t{t} * shape.width, shape.width), sums_);
  }
}

bool HeadPages::fits(const KvShape& shape) const {
  return shape.width == shape_.width && shape.page_bytes == shape_.page_bytes;
}

PageContents HeadPages::page(const std::shared_ptr<const HeadPages>& head, const KvShape& shape,
                             PageKind kind, std::uint32_t index) {
  const std::array<std::uint32_t, 3> first{
      0, head->groups_, head->first_.at(std::bit_width(shape.dims_per_page) - 1)};
  return {.source = head,
          .number = first.at(static_cast<std::size_t>(kind)) + index,
          .checksum = std::nullopt};
}

std::span<const Half> HeadPages::key(std::uint32_t token) const {
  return {row(0, token), shape_.width};
}

std::span<const Half> HeadPages::value(std::uint32_t token) const {
  return {row(groups_, token), shape_.width};
}

const std::byte* HeadPages::made(std::uint32_t number) const {
  return pages_[number].data.load(std::memory_order_acquire);
}

const std::byte* HeadPages::make(std::uint32_t number) const {
  const std::scoped_lock lock(making_);
  PageBytes& page = pages_[number];
  if (page.data.load(std::memory_order_relaxed) == nullptr) {
    const std::byte* data = rows_.get() + std::size_t{number} * shape_.page_bytes;
    if (number >= first_[0]) {
      std::uint32_t kind = 0;
      while (number >= first_[kind + 1]) ++kind;
      page.own = dim_page(with_dims(kind), number - first_[kind]);
      data = page.own.get();
    }
    page.data.store(data, std::memory_order_release);
  }
  return made(number);
}

KvShape HeadPages::with_dims(std::uint32_t kind) const {
  KvShape shape = shape_;
  shape.dims_per_page = 1U << kind;
  return shape;
}

/// Rows fill their pages.
const Half* HeadPages::row(std::uint32_t first_page, std::uint32_t token) const {
  const auto* rows =
      reinterpret_cast<const Half*>(rows_.get() + std::size_t{first_page} * shape_.page_bytes);
  return rows + std::size_t{token} * shape_.width;
}

/// All its tokens of the first of its dimensions, then of the next.
HeadPages::Bytes HeadPages::dim_page(const KvShape& shape, std::uint32_t index) const {
  auto bytes = std::make_unique<std::byte[]>(shape.page_bytes);
  const std::uint32_t block = shape.tokens_per_dim_page();
  const std::uint32_t from = index / shape.dim_groups() * block;
  const std::uint32_t to = std::min(tokens_, from + block);
  const std::uint32_t first = index % shape.dim_groups() * shape.dims_per_page;
  const std::uint32_t last = std::min(shape.width, first + shape.dims_per_page);
  auto* page = reinterpret_cast<Half*>(bytes.get());
  for (std::uint32_t d = first; d < last; ++d, page += block) {
    const Half* key = row(0, from) + d;
    for (std::uint32_t t = from; t < to; ++t, key += shape.width) page[t - from] = *key;
  }
  return bytes;
}

}  // namespace neardata::system
