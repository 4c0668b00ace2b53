// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/attend_cycle.h"

#include <algorithm>

#include "unit/sparf/kernel/sparf_kernel_latency.h"

namespace neardata::unit {

using Level = SparfKernelCounts::Level;
using namespace latency;

AttendCycle::AttendCycle(std::uint32_t lanes, std::uint32_t width, SparfKernelCounts& counts)
    : lanes_(lanes), words_(width / lanes), counts_(counts) {
  const std::int64_t per_line = std::min<std::int64_t>(width, kHalvesPerLine);
  lines_ = width / per_line;
  line_cycles_ = per_line / lanes * (kFold + lanes + kBlend);
  counts_.edge(Level::kValuesIdle, ready_);
}

void AttendCycle::take(KernelTime now, const KernelValueJob& job) {
  job_ = job;
  taken_ = now;
  waits_ = true;
  ready_ = kNever;
  counts_.edge(Level::kValuesIdle, now);
}

void AttendCycle::block() {
  if (!blocked_) counts_.edge(Level::kValuesBlocked, taken_ + 1);
  blocked_ = true;
}

bool AttendCycle::begin(KernelTime usable, std::uint32_t group, std::uint32_t rounds) {
  const KernelTime may = std::max(taken_ + 1, usable);
  if (may > taken_ + 1) block();
  // Also if the previous head left in the cycle of this job's arrival: then it never waited.
  if (blocked_) counts_.edge(Level::kValuesBlocked, may);
  blocked_ = false;
  // A row of one beat needs every second cycle, because its partial sum must be complete before the
  // next addition.
  const std::int64_t step = words_ == 1 ? 2 : 1;
  const KernelTime first = std::max(may, last_beat_ + step);
  const std::int64_t beats = words_ * rounds * job_.count;
  counts_.bursts(SparfKernelEvent::kAttend, first, 1, step, beats);
  const KernelTime end = first + (beats - 1) * step;
  last_beat_ = end;
  waits_ = false;
  ready_ = end;
  counts_.edge(Level::kValuesIdle, end);
  done_.push_back(end + kValuesFree);
  if (!job_.last) return false;
  finishes_ = true;
  offered_.slot = job_.slot;
  group_ = group;
  finish_ = end + 1 + kFlight;
  counts_.edge(Level::kFold, finish_);
  return true;
}

void AttendCycle::finish(KernelTime shared) {
  finishes_ = false;
  offer(0, 0, std::max(finish_ + 1, shared) + 1 + kGain);
}

void AttendCycle::offer(std::uint32_t query, std::uint32_t line, KernelTime from) {
  offered_.query = query;
  offered_.line = line;
  offered_.last = query + 1 == group_ && line + 1 == lines_;
  line_valid_ = from + line_cycles_;
}

bool AttendCycle::line(KernelTime now) {
  if (offered_.last) {
    line_valid_ = kNever;
    counts_.edge(Level::kFold, now + 1);
    return true;
  }
  if (offered_.line + 1 < lines_) {
    offer(offered_.query, offered_.line + 1, now + 1);
  } else {
    offer(offered_.query + 1, 0, now + 1 + kGain);
  }
  return false;
}

}  // namespace neardata::unit
