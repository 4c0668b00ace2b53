// SPDX-License-Identifier: Apache-2.0
#include "system/memory/burst_history.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

BurstSet::BurstSet(std::vector<BurstRange> ranges) {
  std::ranges::sort(ranges, {}, &BurstRange::first);
  for (const BurstRange& range : ranges) {
    if (range.first >= range.end) continue;
    if (!ranges_.empty() && range.first <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    } else {
      ranges_.push_back(range);
    }
  }
}

bool BurstSet::overlaps(BurstRange range) const {
  const auto after = std::ranges::upper_bound(ranges_, range.first, {}, &BurstRange::end);
  return after != ranges_.end() && after->first < range.end;
}

BurstSet BurstSet::common(const BurstSet& other) const {
  std::vector<BurstRange> both;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const BurstRange range{std::max(a->first, b->first), std::min(a->end, b->end)};
    if (range.first < range.end) both.push_back(range);
    (a->end < b->end ? a : b) += 1;
  }
  return BurstSet(std::move(both));
}

BurstHistory::Changes& BurstHistory::changes_of(std::uint32_t burst) {
  const auto [place, fresh] = changes_.try_emplace(burst);
  Changes& changes = place->second;
  if (fresh) {
    Version& before = changes.versions.emplace_back();
    std::memcpy(before.bytes.data(), store_->burst(burst), before.bytes.size());
    before.known = true;
  }
  return changes;
}

void BurstHistory::read(std::uint32_t burst) {
  if (!watches(burst)) return;
  Changes& changes = changes_of(burst);
  changes.reads.push_back(changes.versions.size() - 1);
}

void BurstHistory::write(std::uint32_t burst, std::optional<ByteStore::Burst> data) {
  if (!watches(burst)) return;
  Version& version = changes_of(burst).versions.emplace_back();
  if (!data) return;
  std::ranges::copy(*data, version.bytes.begin());
  version.known = true;
}

const std::byte* BurstHistory::next_read(std::uint32_t burst) {
  const auto found = changes_.find(burst);
  if (found == changes_.end()) return store_->burst(burst);
  Changes& changes = found->second;
  if (changes.asked == changes.reads.size()) return store_->burst(burst);
  return changes.versions[changes.reads[changes.asked++]].bytes.data();
}

bool BurstHistory::resolve(std::uint32_t burst, ByteStore::Burst data) {
  std::deque<Version>& versions = changes_of(burst).versions;
  const auto open = std::ranges::find(versions, false, &Version::known);
  if (open == versions.end()) return false;
  std::ranges::copy(data, open->bytes.begin());
  open->known = true;
  return std::next(open) == versions.end();
}

}  // namespace neardata::system
