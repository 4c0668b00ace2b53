// SPDX-License-Identifier: Apache-2.0
//
// The lifetime of sequences: ids, numbers, and the reuse of a closed sequence's memory.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "system/pages/kv_cache.h"

namespace neardata::system {

using core::Expected;

namespace {

constexpr std::uint32_t kNumbers = flash::kMostSequences;

std::unexpected<core::SimError> refuse(std::string message) {
  return std::unexpected(
      core::SimError{core::Fault::kBadConfig, "flash translation", std::move(message), core::Fs{}});
}

}  // namespace

/// The id of a sequence is unique; numbers, which determine the placement of its pages, are reused.
Expected<std::uint32_t> KvCache::open(const Sequence& sequence) {
  if (next_id_ > std::numeric_limits<std::uint32_t>::max() ||
      sequences_.size() == flash::kMostSequences) {
    return refuse("a device numbers 2^32 sequences, 2^20 of them open at a time");
  }
  while (sequences_.contains(next_number_)) next_number_ = (next_number_ + 1) % kNumbers;
  const std::uint32_t number = next_number_;
  const auto id = static_cast<std::uint32_t>(next_id_);
  const flash::KvShape shape{.heads = sequence.heads,
                             .width = config_.width,
                             .page_bytes = config_.page_bytes,
                             .dims_per_page = sequence.dims_per_page};
  translation_.writable().open(number, shape);
  std::vector<KvHeadId>& heads = sequences_[number];
  numbers_[id] = number;
  for (std::uint32_t h = 0; h < sequence.heads; ++h) {
    const auto region = take_region();
    if (!region) {
      close(id);
      return refuse("32 bits do not number the DRAM lines of all heads");
    }
    dram_.write(*region, std::vector<std::byte>(sum_bytes()));
    heads.push_back(new_head({.sequence = number,
                              .number = h,
                              .shape = shape,
                              .padded = sequence.padded,
                              .sum_line = *region,
                              .k_line = *region + sum_lines_,
                              .v_line = *region + sum_lines_ + row_region_,
                              .token_pages = {},
                              .dim_pages = {},
                              .before = {}}));
  }
  ++next_id_;
  next_number_ = (number + 1) % kNumbers;
  return id;
}

KvHeadId KvCache::new_head(CachedHead head) {
  if (free_heads_.empty()) {
    heads_.push_back(std::move(head));
    return static_cast<KvHeadId>(heads_.size() - 1);
  }
  const KvHeadId id = free_heads_.back();
  free_heads_.pop_back();
  heads_[id] = std::move(head);
  return id;
}

std::optional<std::uint32_t> KvCache::take_region() {
  if (!free_regions_.empty()) {
    const std::uint32_t region = free_regions_.back();
    free_regions_.pop_back();
    return region;
  }
  const std::uint64_t end = next_line_ + 2 * std::uint64_t{row_region_} + sum_lines_;
  if (end > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return std::exchange(next_line_, static_cast<std::uint32_t>(end));
}

void KvCache::close(std::uint32_t id) {
  const auto named = numbers_.find(id);
  const std::uint32_t number = named->second;
  translation_.writable().close(number);
  hot_pages_.close(number);
  for (const KvHeadId head : sequences_[number]) {
    free_regions_.push_back(heads_[head].sum_line);
    free_heads_.push_back(head);
    heads_[head] = {};
  }
  unfinished_.erase(unfinished_.lower_bound(flash::owner_of({.sequence = number})),
                    unfinished_.lower_bound(flash::owner_of({.sequence = number + 1})));
  sequences_.erase(number);
  numbers_.erase(named);
}

std::optional<KvHeadId> KvCache::head(std::uint32_t id, std::uint32_t head) const {
  const auto named = numbers_.find(id);
  if (named == numbers_.end()) return std::nullopt;
  const std::vector<KvHeadId>& heads = sequences_.at(named->second);
  return head < heads.size() ? std::optional(heads[head]) : std::nullopt;
}

void KvCache::avoid_ids_of(const KvCache& other) { next_id_ = std::max(next_id_, other.next_id_); }

void KvCache::forget_replaced() {
  pages_.forget_erased();
  hot_pages_.forget_dropped();
  dram_.forget_replaced();
}

KvCache::Held KvCache::held() const {
  return {.heads = heads_.size(),
          .sequences = sequences_.size(),
          .unfinished = unfinished_.size(),
          .page_numbers = pages_.numbers()};
}

}  // namespace neardata::system
