// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/rank_cycle.h"

#include <algorithm>

namespace neardata::unit {

using Level = SparfKernelCounts::Level;
using namespace latency;

void RankCycle::begin(KernelTime usable, const KernelHead& head,
                      const std::vector<std::uint32_t>& offered, std::uint32_t digits) {
  busy_ = true;
  head_ = head;
  const KernelTime found = std::max(usable, topk_.idle());
  KernelTime start = found;
  if (head.group > 1) {
    // Totals, their inverses, scores.
    weigh(found + 1);
    const KernelTime inverted = found + weighed() + 1 + head.group * kInverse;
    start = inverted + scored(inverted);
  }
  counts_.edge(Level::kSelect, start + 1);
  topk_.emit(topk_emits(start, head.beats(), digits), offered);
  offer();
}

std::int64_t RankCycle::walk() const {
  if (!rows_) return 8 * head_.beats() * head_.group;
  return (head_.beats() + kBlockRows - 1) / kBlockRows * kBlockRows * head_.group;
}

std::int64_t RankCycle::weighed() const { return walk() + kWalkEnd + (rows_ ? kRowSum : 0); }

std::int64_t RankCycle::scored(KernelTime from) {
  // Of tokens at half the rate; the walk ends with its last step.
  const std::int64_t scores = rows_ ? walk() : 2 * walk() - 1;
  counts_.burst(SparfKernelEvent::kWeigh, from + 1, scores);
  // Of rows the last block is walked over as if it were whole.
  const std::int64_t behind = rows_ ? (kBlockRows - head_.beats() % kBlockRows) % kBlockRows : 0;
  return scores - behind + kWalkEnd + kScore;
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
  return now + weighed() + 1 + head_.group * kShares;
}

}  // namespace neardata::unit
