// SPDX-License-Identifier: Apache-2.0
//
// Time in `sparf_gemv_sequencer` and `sparf_gemv_lanes`: jobs of keys become logits. A tile of n
// beats and m logits that begins in cycle s is followed by one of n' beats no earlier than
//   s + n,  s + 2 n - n',  s + 2 n + m - 2 n'
// and within a job n' = n.
#pragma once

#include <deque>

#include "unit/sparf/kernel/sparf_kernel_counts.h"
#include "unit/sparf/kernel/sparf_kernel_time.h"

namespace neardata::unit {

class GemvCycle {
 public:
  GemvCycle(std::uint32_t lanes, std::uint32_t width, SparfKernelCounts& counts);

  [[nodiscard]] KernelTime ready() const { return ready_; }
  void take(KernelTime now, const KernelKeyJob& job);

  /// A job was accepted and has not begun: the first job of a step waits for free space.
  [[nodiscard]] bool waits() const { return waits_; }
  [[nodiscard]] bool needs_room() const { return first_[job_.second]; }
  [[nodiscard]] const KernelKeyJob& job() const { return job_; }

  /// The time of its free space is unknown.
  void block();
  /// The job begins, with free space from cycle `room` on, in a head of `rounds` of queries and
  /// `dims` selected dimensions. Returns the time of its last logit.
  KernelTime begin(KernelTime room, std::uint32_t rounds, std::uint32_t dims);

  [[nodiscard]] std::deque<KernelTime>& done() { return done_; }

 private:
  std::int64_t lanes_, words_, latency_;
  SparfKernelCounts& counts_;
  KernelKeyJob job_;
  KernelTime taken_ = 0;
  bool waits_ = false;
  bool blocked_ = false;  ///< reported to the counters
  bool first_[2] = {true, true};
  KernelTime ready_ = 0;
  KernelTime tile_ = -1;  ///< the last tile's begin, and its beats and logits
  std::int64_t beats_ = 0, logits_ = 0;
  std::deque<KernelTime> done_;
};

}  // namespace neardata::unit
