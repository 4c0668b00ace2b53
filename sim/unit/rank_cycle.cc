// SPDX-License-Identifier: Apache-2.0
#include "unit/rank_cycle.h"

#include <algorithm>

namespace neardata::unit {

using Level = SparfKernelCounts::Level;
using namespace latency;

void RankCycle::begin(KernelTime usable, const KernelHead& head,
                      const std::vector<std::uint32_t>& beats) {
  busy_ = true;
  head_ = head;
  beats_ = beats;
  next_ = 0;
  const KernelTime found = std::max(usable, idle_);
  KernelTime loaded = 0;
  if (head.group == 1) {
    counts_.edge(Level::kSelect, found + 1);
    loaded = found + head.beats() + 1;
  } else {
    // Totals, their inverses, scores.
    weigh(found + 1);
    const KernelTime inverted = found + walk() + kWalkEnd + 1 + head.group * kInverse;
    weigh(inverted + 1);
    counts_.edge(Level::kSelect, inverted + walk() + kWalkEnd + 1);
    loaded = inverted + walk() + kWalkEnd + kScore;
  }
  const std::uint32_t take = std::min(head.take, head.tokens);
  const std::uint32_t window = std::min(head.window, head.tokens);
  const bool all = window >= take ? window == take : take == head.tokens;
  valid_ = topk_offers(loaded, head.beats(), kRankDigits, all) + beats_[0];
  offered_ = {head.slot, beats_[0], beats_.size() == 1};
}

KernelTime RankCycle::selection(KernelTime now) {
  if (!offered_.last) {
    ++next_;
    valid_ = now + beats_[next_] - beats_[next_ - 1];
    offered_ = {head_.slot, beats_[next_], next_ + 1 == beats_.size()};
    return kNever;
  }
  counts_.edge(Level::kSelect, now + 1);
  weigh(now + 1);
  valid_ = kNever;
  idle_ = now + 1;
  busy_ = false;
  return now + walk() + kWalkEnd + 1 + head_.group * kShares;
}

}  // namespace neardata::unit
