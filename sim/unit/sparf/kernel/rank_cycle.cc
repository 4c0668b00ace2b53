// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/rank_cycle.h"

#include <algorithm>

namespace neardata::unit {

using Level = SparfKernelCounts::Level;
using namespace latency;

void RankCycle::begin(KernelTime usable, const KernelHead& head,
                      const std::vector<std::uint32_t>& offered) {
  busy_ = true;
  head_ = head;
  const KernelTime found = std::max(usable, topk_.idle());
  KernelTime start = found;
  if (head.group > 1) {
    // Totals, their inverses, scores.
    weigh(found + 1);
    const KernelTime inverted = found + walk() + kWalkEnd + 1 + head.group * kInverse;
    // Scores are walked at half the rate; the walk ends with its last step.
    const std::int64_t scores = 2 * walk() - 1;
    counts_.burst(SparfKernelEvent::kWeigh, inverted + 1, scores);
    start = inverted + scores + kWalkEnd + kScore;
  }
  counts_.edge(Level::kSelect, start + 1);
  const std::uint32_t take = std::min(head.take, head.tokens);
  const std::uint32_t window = std::min(head.window, head.tokens);
  const bool all = window >= take ? window == take : take == head.tokens;
  topk_.emit(topk_emits(start, head.beats(), kRankDigits, all), offered);
  offer();
}

void RankCycle::offer() { offered_ = {head_.slot, topk_.beat(), topk_.last()}; }

KernelTime RankCycle::selection(KernelTime now) {
  topk_.take(now);
  if (!offered_.last) {
    offer();
    return kNever;
  }
  counts_.edge(Level::kSelect, now + 1);
  weigh(now + 1);
  busy_ = false;
  return now + walk() + kWalkEnd + 1 + head_.group * kShares;
}

}  // namespace neardata::unit
