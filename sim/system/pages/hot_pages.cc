// SPDX-License-Identifier: Apache-2.0
#include "system/pages/hot_pages.h"

#include <utility>

namespace neardata::system {

using flash::Owner;

std::span<const std::byte> HotPages::read(Owner page) {
  if (room_ == 0) return {};
  HotPage& of = head_of(page).pages[page];
  ++of.reads;
  return of.bytes;
}

bool HotPages::offer(Owner page, std::span<const std::byte> bytes) {
  if (room_ == 0) return false;
  HotHead& head = head_of(page);
  HotPage& of = head.pages[page];
  if (!of.bytes.empty()) return false;
  if (head.held == room_) {
    HotPage* least = nullptr;
    for (auto& [_, held] : head.pages) {
      if (held.bytes.empty()) continue;
      if (least == nullptr || held.reads < least->reads) least = &held;
    }
    if (least->reads >= of.reads) return false;
    drop(head, *least);
  }
  of.bytes.assign(bytes.begin(), bytes.end());
  ++head.held;
  return true;
}

void HotPages::drop(Owner page) {
  if (room_ == 0) return;
  HotHead& head = head_of(page);
  const auto found = head.pages.find(page);
  if (found != head.pages.end()) drop(head, found->second);
}

void HotPages::drop(HotHead& head, HotPage& page) {
  if (page.bytes.empty()) return;
  dropped_.push_back(std::exchange(page.bytes, {}));
  --head.held;
}

void HotPages::close(std::uint32_t sequence) {
  const auto found = sequences_.find(sequence);
  if (found == sequences_.end()) return;
  for (auto& [_, head] : found->second) {
    for (auto& [owner, page] : head.pages) drop(head, page);
  }
  sequences_.erase(found);
}

HotPages::HotHead& HotPages::head_of(Owner page) {
  const flash::KvPage of = flash::page_of(page);
  return sequences_[of.sequence][of.head];
}

}  // namespace neardata::system
