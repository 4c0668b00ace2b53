// SPDX-License-Identifier: Apache-2.0
#include "system/flash/page_gather.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "unit/sparf/sparf_unit.h"
#include "unit/sparf/values/attention_numbers.h"

namespace neardata::system {

namespace {

constexpr std::size_t kReadings = 2;
constexpr std::uint32_t kLineValues = unit::kLineBytes / sizeof(unit::Half);

std::uint64_t bit_of(const flash::KvPage& first, std::uint32_t index) {
  return std::uint64_t{1} << (index - first.index);
}

}  // namespace

void PageGather::add(Id id, const flash::KvPage& page, const flash::KvShape& shape) {
  asked_.push_back({id, page, shape});
}

void PageGather::sent(Id id) {
  const auto page = set_of_page_.find(id.value);
  if (page == set_of_page_.end()) return;
  const auto set = sets_.find(page->second);
  set_of_page_.erase(page);
  if (--set->second.unsent == 0 && set->second.unasked == 0) drop(set);
}

std::optional<std::uint32_t> PageGather::next_reading(std::vector<Id>& ready) {
  for (; !asked_.empty(); asked_.pop_front()) {
    const GatheredPage& page = asked_.front();
    if (const auto known = find(page.page); known != sets_.end()) {
      join(known, page, ready);
      continue;
    }
    Set set = set_of(page);
    if (readings_.size() == kReadings || !make_room(set)) return std::nullopt;
    used_ += set.room;
    alone_ += set.room == 0 ? 1 : 0;
    const std::uint32_t bytes = set.bytes;
    readings_.push_back(next_);
    join(sets_.emplace(next_++, std::move(set)).first, page, ready);
    asked_.pop_front();
    return bytes;
  }
  return std::nullopt;
}

/// Lines arrive at the rate of the DRAM's bus; a slower buffer stores the remaining lines
/// afterwards.
PageGather::Filling PageGather::read(core::Fs now) {
  const SetNumber number = readings_.front();
  readings_.pop_front();
  const Set& set = sets_.at(number);
  if (set.room == 0) return {.set = number, .rest = {}};
  const auto lines = static_cast<std::int64_t>(set.bytes / unit::kLineBytes);
  const core::Fs begins = std::max(filled_, now - lines * line_time_);
  filled_ = std::max(now, begins + clock_.edge(core::Cycle{lines}));
  return {.set = number, .rest = filled_ - now};
}

void PageGather::filled(SetNumber number, std::vector<Id>& ready) {
  Set& set = sets_.at(number);
  set.filled = true;
  ready.insert(ready.end(), set.waiting.begin(), set.waiting.end());
  set.waiting.clear();
}

PageGather::Set PageGather::set_of(const GatheredPage& page) const {
  Set set{.first = page.page, .bytes = page.shape.page_bytes, .unasked = 1, .waiting = {}};
  if (page.page.kind != flash::PageKind::kDimKeys) return set;
  set.bytes = page.shape.tokens_per_dim_page() * static_cast<std::uint32_t>(unit::kLineBytes);
  const std::uint64_t room = config_.buffer_bytes / page.shape.page_bytes;
  if (room == 0) return set;
  const std::uint32_t groups = page.shape.dim_groups();
  const std::uint32_t in_line = std::min(kLineValues / page.shape.dims_per_page, groups);
  set.pages = static_cast<std::uint32_t>(std::bit_floor(std::min<std::uint64_t>(room, in_line)));
  set.first.index -= page.page.index % groups % set.pages;
  set.room = std::uint64_t{set.pages} * page.shape.page_bytes;
  set.unasked = (std::uint64_t{1} << set.pages) - 1;
  return set;
}

/// The set that contains the page, if the page was not requested from it before.
PageGather::Sets::iterator PageGather::find(const flash::KvPage& page) {
  if (page.kind != flash::PageKind::kDimKeys) return sets_.end();
  return std::ranges::find_if(sets_, [&](const auto& entry) {
    const Set& set = entry.second;
    const flash::KvPage& first = set.first;
    return set.room > 0 && first.sequence == page.sequence && first.head == page.head &&
           page.index >= first.index && page.index - first.index < set.pages &&
           (set.unasked & bit_of(first, page.index)) != 0;
  });
}

/// Sets without waiting pages are dropped for another set, the oldest first.
bool PageGather::make_room(const Set& set) {
  if (set.room == 0) return alone_ < page_buffers_;
  for (auto at = sets_.begin(); at != sets_.end() && used_ + set.room > config_.buffer_bytes;) {
    const Set& old = at->second;
    at = old.room > 0 && old.filled && old.unsent == 0 ? drop(at) : std::next(at);
  }
  return used_ + set.room <= config_.buffer_bytes;
}

void PageGather::join(Sets::iterator at, const GatheredPage& page, std::vector<Id>& ready) {
  Set& set = at->second;
  set.unasked &= ~bit_of(set.first, page.page.index);
  ++set.unsent;
  set_of_page_[page.id.value] = at->first;
  (set.filled ? ready : set.waiting).push_back(page.id);
}

PageGather::Sets::iterator PageGather::drop(Sets::iterator set) {
  used_ -= set->second.room;
  alone_ -= set->second.room == 0 ? 1 : 0;
  return sets_.erase(set);
}

}  // namespace neardata::system
