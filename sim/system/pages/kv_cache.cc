// SPDX-License-Identifier: Apache-2.0
#include "system/pages/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "unit/sparf/values/attention_values.h"

namespace neardata::system {

using core::Expected;
using flash::Owner;
using unit::Half;
using unit::PageKind;

namespace {

std::unexpected<core::SimError> refuse(core::Fault fault, std::string message) {
  return std::unexpected(
      core::SimError{fault, "flash translation", std::move(message), core::Fs{}});
}

std::unexpected<core::SimError> full() {
  return refuse(core::Fault::kBadConfig, "the flash is full of valid pages");
}

/// Bytes of any number from the beginning of a line on; the rest of the last line is zero.
void put_bytes(ByteStore& dram, std::uint32_t line, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); ++line) {
    unit::DramLine data{};
    const std::size_t part = std::min(bytes.size(), data.size());
    std::ranges::copy(bytes.first(part), data.begin());
    dram.write_burst(line, data);
    bytes = bytes.subspan(part);
  }
}

void get_bytes(const ByteStore& dram, std::uint32_t line, std::span<std::byte> bytes) {
  for (; !bytes.empty(); ++line) {
    const std::size_t part = std::min(bytes.size(), unit::kLineBytes);
    std::memcpy(bytes.data(), dram.burst(line), part);
    bytes = bytes.subspan(part);
  }
}

}  // namespace

KvCache::KvCache(const KvCacheConfig& config)
    : config_(config),
      translation_(std::make_shared<flash::KvTranslation>(config.device, config.blocks)),
      pages_(config.device, config.blocks.blocks, config.page_bytes),
      hot_pages_(config.hot_pages),
      row_region_(config.max_tokens * unit::row_lines(config.width)),
      sum_lines_(static_cast<std::uint32_t>(
          (config.width * sizeof(std::int64_t) + unit::kLineBytes - 1) / unit::kLineBytes)) {}

Expected<void> KvCache::prefill(KvHeadId id, const std::shared_ptr<const HeadPages>& pages) {
  CachedHead& head = heads_[id];
  head.tokens = pages->tokens();
  auto written = for_pages(head, [&](PageKind kind, std::uint32_t index) {
    return write_at_once(owner(id, kind, index), HeadPages::page(pages, head.shape, kind, index));
  });
  // No reader uses the erased pages of garbage collection at this point.
  pages_.forget_erased();
  if (!written) {
    clear(id);
    return written;
  }

  // Rows of incomplete pages stay in DRAM, including rows whose pages were written with padding.
  const std::uint32_t n = head.shape.tokens_per_page();
  const std::uint32_t block = head.shape.tokens_per_dim_page();
  head.token_flash = head.padded ? head.tokens : head.tokens / n * n;
  head.dim_flash = head.padded ? head.tokens : head.tokens / block * block;
  const std::uint32_t lines = unit::row_lines(config_.width);
  for (std::uint32_t t = head.tokens / block * block; t < head.tokens; ++t) {
    put_row(head.k_line + t * lines, pages->key(t));
  }
  for (std::uint32_t t = head.tokens / n * n; t < head.tokens; ++t) {
    put_row(head.v_line + t * lines, pages->value(t));
  }
  put_sums(head, pages->sums());
  return {};
}

std::vector<flash::KvPage> KvCache::receive(KvHeadId id, std::span<const Half> keys,
                                            std::span<const Half> values) {
  CachedHead& head = heads_[id];
  head.tokens = static_cast<std::uint32_t>(keys.size() / config_.width);
  const std::size_t width = config_.width;
  const std::uint32_t lines = unit::row_lines(config_.width);
  unit::ValueSums sums(width);
  for (std::uint32_t t = 0; t < head.tokens; ++t) {
    const auto value = values.subspan(t * width, width);
    put_row(head.k_line + t * lines, keys.subspan(t * width, width));
    put_row(head.v_line + t * lines, value);
    unit::add_values(value, sums);
  }
  put_sums(head, sums);
  if (head.padded) {
    // The padding of a page is zero, whichever head used these lines before.
    const std::vector<Half> zero(width);
    const std::uint32_t block =
        std::max(head.shape.tokens_per_dim_page(), head.shape.tokens_per_page());
    for (std::uint32_t t = head.tokens; t % block != 0 && t < config_.max_tokens; ++t) {
      put_row(head.k_line + t * lines, zero);
      put_row(head.v_line + t * lines, zero);
    }
  }
  std::vector<flash::KvPage> pages;
  static_cast<void>(for_pages(head, [&](PageKind kind, std::uint32_t index) -> Expected<void> {
    pages.push_back({head.sequence, head.number, kind, index});
    return {};
  }));
  return pages;
}

void KvCache::received(KvHeadId id, bool all) {
  CachedHead& head = heads_[id];
  if (!head.padded) return;
  if (all) {
    finish_prompt(head);
    return;
  }
  // Incomplete pages do not count: they are written again when they are full.
  head.token_pages.erase(head.tokens / head.shape.tokens_per_page());
  head.dim_pages.erase(head.tokens / head.shape.tokens_per_dim_page());
}

/// All of a padded prompt's pages are written.
void KvCache::finish_prompt(CachedHead& head) {
  head.token_flash = head.dim_flash = head.tokens;
  head.token_pages.clear();
  head.dim_pages.clear();
}

template <typename Write>
Expected<void> KvCache::for_pages(const CachedHead& head, Write write) const {
  const auto pages = [&](std::uint32_t size) {
    return (head.tokens + (head.padded ? size - 1 : 0)) / size;
  };
  for (std::uint32_t g = 0; g < pages(head.shape.tokens_per_page()); ++g) {
    for (const PageKind kind : {PageKind::kTokenKeys, PageKind::kTokenValues}) {
      if (auto done = write(kind, g); !done) return done;
    }
  }
  const std::uint32_t dim_pages = pages(head.shape.tokens_per_dim_page()) * head.shape.dim_groups();
  for (std::uint32_t i = 0; i < dim_pages; ++i) {
    if (auto done = write(PageKind::kDimKeys, i); !done) return done;
  }
  return {};
}

void KvCache::put_sums(const CachedHead& head, const unit::ValueSums& sums) {
  put_bytes(dram_, head.sum_line, std::as_bytes(std::span(sums)));
}

void KvCache::clear(KvHeadId id) {
  CachedHead& head = heads_[id];
  translation_.writable().clear(head.sequence, head.number);
  head.tokens = head.token_flash = head.dim_flash = 0;
  head.token_pages.clear();
  head.dim_pages.clear();
  put_bytes(dram_, head.sum_line, std::vector<std::byte>(sum_bytes()));
}

unit::SparfTask KvCache::describe(KvHeadId id) const {
  const CachedHead& head = heads_[id];
  const std::uint32_t lines = unit::row_lines(config_.width);
  return {.dims_per_page = head.shape.dims_per_page,
          .tokens = head.tokens,
          .dim_flash = head.dim_flash,
          .token_flash = head.token_flash,
          .sum_line = head.sum_line,
          .k_line = head.k_line + head.dim_flash * lines,
          .v_line = head.v_line + head.token_flash * lines,
          .scale = unit::logit_scale(config_.width),
          .reciprocal = 1.0F / static_cast<float>(head.tokens),
          .page_bytes = config_.page_bytes};
}

void KvCache::begin_append(KvHeadId id) {
  CachedHead& head = heads_[id];
  head.before = Before{.dim_flash = head.dim_flash,
                       .token_flash = head.token_flash,
                       .sums = std::vector<std::byte>(sum_bytes())};
  get_bytes(dram_, head.sum_line, head.before->sums);
}

void KvCache::end_append(KvHeadId id, bool refused) {
  CachedHead& head = heads_[id];
  head.before.reset();
  if (!refused) ++head.tokens;
}

/// A page that was filled with the token may be on flash; it is written once more when the next
/// token fills it.
void KvCache::undo_append(KvHeadId id) {
  CachedHead& head = heads_[id];
  const auto undo = [&](std::uint32_t size, std::uint32_t before, std::uint32_t& flash,
                        std::map<std::uint32_t, std::uint32_t>& pages) {
    const std::uint32_t last = head.tokens / size;
    pages.erase(last);
    if (flash > head.tokens) flash = std::max(last * size, before);
  };
  undo(head.shape.tokens_per_page(), head.before->token_flash, head.token_flash, head.token_pages);
  undo(head.shape.tokens_per_dim_page(), head.before->dim_flash, head.dim_flash, head.dim_pages);
  put_bytes(dram_, head.sum_line, head.before->sums);
  head.before.reset();
}

Owner KvCache::owner(KvHeadId id, PageKind kind, std::uint32_t index) const {
  const CachedHead& head = heads_[id];
  return flash::owner_of({head.sequence, head.number, kind, index});
}

bool KvCache::has_page(KvHeadId id, PageKind kind, std::uint32_t index) const {
  const CachedHead& head = heads_[id];
  const std::uint32_t tokens = head.tokens + (head.before ? 1 : 0);
  const auto pages = [&](std::uint32_t size) { return (tokens + size - 1) / size; };
  if (kind != PageKind::kDimKeys) return index < pages(head.shape.tokens_per_page());
  return index < pages(head.shape.tokens_per_dim_page()) * head.shape.dim_groups();
}

std::optional<flash::Place> KvCache::readable(Owner owner) const {
  const auto found = unfinished_.find(owner);
  if (found != unfinished_.end()) return found->second.before;
  return translation_->locate(flash::page_of(owner));
}

void KvCache::put_row(std::uint32_t line, std::span<const Half> row) {
  put_bytes(dram_, line, std::as_bytes(row));
}

void KvCache::get_row(std::uint32_t line, std::span<Half> row) const {
  get_bytes(dram_, line, std::as_writable_bytes(row));
}

}  // namespace neardata::system
