// SPDX-License-Identifier: Apache-2.0
//
// Time in `sparf_rank_unit`: the logits of step 1 of a head become a selection, and then its
// shares.
#pragma once

#include <vector>

#include "unit/sparf/kernel/sparf_kernel_counts.h"
#include "unit/sparf/kernel/sparf_kernel_latency.h"
#include "unit/sparf/kernel/sparf_kernel_time.h"
#include "unit/sparf/kernel/topk_cycle.h"

namespace neardata::unit {

class RankCycle {
 public:
  /// `rows`: a walk processes a row of eight tokens per cycle (sparf_rank_rows), not one token.
  RankCycle(bool rows, SparfKernelCounts& counts) : rows_(rows), counts_(counts) {}

  [[nodiscard]] bool busy() const { return busy_; }
  /// Begins with a head whose logits can be used from `usable` on; `offered` are the beats of its
  /// selection, which looks at so many `digits`.
  void begin(KernelTime usable, const KernelHead& head, const std::vector<std::uint32_t>& offered,
             std::uint32_t digits);

  [[nodiscard]] KernelTime selection_valid() const { return topk_.valid(); }
  [[nodiscard]] const KernelSelection& offered() const { return offered_; }
  /// A beat is consumed. For the last beat, returns the cycle in which the head's memory is
  /// released and its last share is output.
  KernelTime selection(KernelTime now);

 private:
  /// Cycles of a walk over the logits.
  [[nodiscard]] std::int64_t walk() const;
  /// From the cycle before a walk to that of its last weight's sum.
  [[nodiscard]] std::int64_t weighed() const;
  /// From the cycle before the walk for the scores, which is counted, to the last score.
  std::int64_t scored(KernelTime from);
  void offer();
  void weigh(KernelTime from) { counts_.burst(SparfKernelEvent::kWeigh, from, walk()); }

  bool rows_;
  SparfKernelCounts& counts_;
  bool busy_ = false;
  KernelHead head_;
  TopkCycle topk_;
  KernelSelection offered_;
};

}  // namespace neardata::unit
