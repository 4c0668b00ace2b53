// SPDX-License-Identifier: Apache-2.0
//
// Pages of keys and values that are written: gathered from rows in DRAM, listed as work of the
// flash, and counted as on flash when all of them are programmed.
#include <algorithm>
#include <string>
#include <utility>

#include "system/pages/kv_cache.h"

namespace neardata::system {

using core::Expected;
using flash::Owner;
using unit::Half;
using unit::PageKind;

namespace {

std::unexpected<core::SimError> refuse_write(core::Fault fault, std::string message) {
  return std::unexpected(
      core::SimError{fault, "flash translation", std::move(message), core::Fs{}});
}

std::unexpected<core::SimError> out_of_order(const flash::Place& place) {
  return refuse_write(core::Fault::kProtocol,
                      "page " + std::to_string(place.address.page) + " of block " +
                          std::to_string(place.address.block) +
                          " was programmed after itself or a later page, without an erase between");
}

std::unexpected<core::SimError> flash_full() {
  return refuse_write(core::Fault::kBadConfig, "the flash is full of valid pages");
}

}  // namespace

Expected<std::vector<std::byte>> KvCache::write(KvHeadId id, PageKind kind, std::uint32_t index,
                                                std::vector<flash::FlashWork>& work) {
  auto bytes = gather(heads_[id], kind, index);
  if (auto listed = list_write(owner(id, kind, index), work); !listed) {
    return std::unexpected(std::move(listed).error());
  }
  return bytes;
}

/// Lists the operations that write a page, and records where its contents can be read until they
/// are done.
Expected<void> KvCache::list_write(Owner owner, std::vector<flash::FlashWork>& work) {
  const auto before = translation_->locate(flash::page_of(owner));
  const std::size_t first = work.size();
  if (!translation_.writable().write(flash::page_of(owner), work)) {
    return flash_full();
  }
  for (std::size_t i = first; i < work.size(); ++i) {
    const flash::FlashWork& item = work[i];
    if (item.operation == flash::Operation::kRead) {
      unfinished_.try_emplace(item.owner, Unfinished{.before = item.place});
    } else if (item.operation == flash::Operation::kProgram) {
      ++unfinished_.try_emplace(item.owner, Unfinished{.before = before}).first->second.programs;
    }
  }
  return {};
}

/// No other operation is in progress, so every operation is done when it is listed.
Expected<void> KvCache::write_at_once(Owner owner, PageContents contents) {
  std::vector<flash::FlashWork> work;
  if (!translation_.writable().write(flash::page_of(owner), work)) return flash_full();
  PageContents moved;
  for (const flash::FlashWork& item : work) {
    switch (item.operation) {
      case flash::Operation::kErase:
        pages_.erase(item.place);
        break;
      case flash::Operation::kRead:
        moved = pages_.contents(item.place);
        break;
      case flash::Operation::kProgram:
        if (!pages_.write(item.place, item.owner, std::move(item.moved ? moved : contents))) {
          return out_of_order(item.place);
        }
        break;
    }
  }
  return {};
}

Expected<void> KvCache::finish(const flash::FlashWork& work, std::span<const std::byte> bytes,
                               bool silent) {
  if (work.operation == flash::Operation::kErase) pages_.erase(work.place);
  if (work.operation != flash::Operation::kProgram) return {};
  const auto found = unfinished_.find(work.owner);
  if (found == unfinished_.end()) {
    return refuse_write(core::Fault::kProtocol, "a page was programmed that nobody wrote");
  }
  Unfinished& page = found->second;
  // A page moves unchanged, with its checksum: a wrong bit in it is detected when it is read.
  PageContents contents;
  if (!work.moved) {
    contents = pages_.contents_of(bytes);
  } else if (page.before) {
    contents = pages_.contents(*page.before);
  }
  if (contents.source == nullptr) {
    return refuse_write(core::Fault::kProtocol, "a page was moved from nowhere");
  }
  if (!pages_.write(work.place, work.owner, std::move(contents))) return out_of_order(work.place);
  page.before = work.place;
  if (--page.programs == 0) unfinished_.erase(found);
  if (work.moved) return {};
  hot_pages_.drop(work.owner);
  if (!silent) advance(flash::page_of(work.owner));
  return {};
}

/// Tokens whose pages are all programmed are on flash; tokens of a block, when its token groups
/// are, too.
void KvCache::advance(const flash::KvPage& page) {
  CachedHead& of = heads_[sequences_.at(page.sequence).at(page.head)];
  const std::uint32_t n = of.shape.tokens_per_page();
  const std::uint32_t block = of.shape.tokens_per_dim_page();
  const std::uint32_t groups = of.shape.dim_groups();
  if (page.kind == PageKind::kDimKeys) {
    ++of.dim_pages[page.index / groups];
  } else {
    ++of.token_pages[page.index];
  }
  const auto pass = [](auto& pages, std::uint32_t size, std::uint32_t whole, std::uint32_t most,
                       std::uint32_t& tokens) {
    while (!pages.empty() && pages.begin()->first <= tokens / size &&
           pages.begin()->second == whole) {
      const std::uint32_t end = (pages.begin()->first + 1) * size;
      if (end > most) break;
      tokens = std::max(tokens, end);
      pages.erase(pages.begin());
    }
  };
  pass(of.token_pages, n, 2, of.tokens + (of.before ? 1 : 0), of.token_flash);
  pass(of.dim_pages, block, groups, of.token_flash, of.dim_flash);
}

/// A page from the rows in DRAM.
std::vector<std::byte> KvCache::gather(const CachedHead& head, PageKind kind,
                                       std::uint32_t index) const {
  const std::size_t width = config_.width;
  const std::uint32_t lines = unit::row_lines(config_.width);
  const std::uint32_t rows = kind == PageKind::kTokenValues ? head.v_line : head.k_line;
  std::vector<Half> row(width);
  std::vector<Half> page(config_.page_bytes / sizeof(Half));
  if (kind == PageKind::kDimKeys) {
    const std::uint32_t tokens = head.shape.tokens_per_dim_page();
    const std::size_t first = index % head.shape.dim_groups() * head.shape.dims_per_page;
    const std::size_t dims = std::min<std::size_t>(head.shape.dims_per_page, width - first);
    for (std::uint32_t t = 0; t < tokens; ++t) {
      get_row(rows + (index / head.shape.dim_groups() * tokens + t) * lines, row);
      for (std::size_t i = 0; i < dims; ++i) page[i * tokens + t] = row[first + i];
    }
  } else {
    const std::uint32_t tokens = head.shape.tokens_per_page();
    for (std::uint32_t t = 0; t < tokens; ++t) {
      get_row(rows + (index * tokens + t) * lines, row);
      std::ranges::copy(row, page.begin() + static_cast<std::ptrdiff_t>(t * width));
    }
  }
  const auto bytes = std::as_bytes(std::span(page));
  return {bytes.begin(), bytes.end()};
}

}  // namespace neardata::system
