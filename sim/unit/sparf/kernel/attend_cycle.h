// SPDX-License-Identifier: Apache-2.0
//
// Time in `sparf_attend_unit` and `sparf_attend_finish`: jobs of values become sums, and then lines
// of output.
#pragma once

#include <deque>

#include "unit/sparf/kernel/sparf_kernel_counts.h"
#include "unit/sparf/kernel/sparf_kernel_time.h"

namespace neardata::unit {

class AttendCycle {
 public:
  AttendCycle(std::uint32_t lanes, std::uint32_t width, SparfKernelCounts& counts);

  [[nodiscard]] KernelTime ready() const { return ready_; }
  void take(KernelTime now, const KernelValueJob& job);

  /// A job was accepted and has not begun.
  [[nodiscard]] bool waits() const { return waits_; }
  /// It is not known when its head's logits can be used.
  void block();
  /// They can from `usable` on, by `group` queries in `rounds`. True if this is the head's last
  /// job.
  bool begin(KernelTime usable, std::uint32_t group, std::uint32_t rounds);

  /// A head's last job has begun, and its lines have not.
  [[nodiscard]] bool finishes() const { return finishes_; }
  /// Its shares are known from `shared` on.
  void finish(KernelTime shared);

  [[nodiscard]] KernelTime line_valid() const { return line_valid_; }
  [[nodiscard]] const KernelLine& offered() const { return offered_; }
  /// True with the last one: the head is through.
  bool line(KernelTime now);

  [[nodiscard]] std::deque<KernelTime>& done() { return done_; }

 private:
  void offer(std::uint32_t query, std::uint32_t line, KernelTime from);

  std::int64_t lanes_, words_, lines_, line_cycles_;
  SparfKernelCounts& counts_;
  KernelValueJob job_;
  KernelTime taken_ = 0;
  KernelTime last_beat_ = -1;
  bool waits_ = false;
  bool blocked_ = false;  ///< reported to the counters
  bool finishes_ = false;
  std::uint32_t group_ = 1;
  KernelTime finish_ = 0;
  KernelTime ready_ = 0;
  KernelTime line_valid_ = kNever;
  KernelLine offered_;
  std::deque<KernelTime> done_;
};

}  // namespace neardata::unit
