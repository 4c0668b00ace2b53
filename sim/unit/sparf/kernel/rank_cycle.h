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
  explicit RankCycle(SparfKernelCounts& counts) : counts_(counts) {}

  [[nodiscard]] bool busy() const { return busy_; }
  /// Begins with a head whose logits can be used from `usable` on; `offered` are the beats of its
  /// selection.
  void begin(KernelTime usable, const KernelHead& head, const std::vector<std::uint32_t>& offered);

  [[nodiscard]] KernelTime selection_valid() const { return topk_.valid(); }
  [[nodiscard]] const KernelSelection& offered() const { return offered_; }
  /// A beat is taken. Returns, with the last one, when the head's memory is released and its last
  /// share is told.
  KernelTime selection(KernelTime now);

 private:
  /// Cycles of a walk over the logits.
  [[nodiscard]] std::int64_t walk() const { return 8 * head_.beats() * head_.group; }
  void offer();
  void weigh(KernelTime from) { counts_.burst(SparfKernelEvent::kWeigh, from, walk()); }

  SparfKernelCounts& counts_;
  bool busy_ = false;
  KernelHead head_;
  TopkCycle topk_;
  KernelSelection offered_;
};

}  // namespace neardata::unit
