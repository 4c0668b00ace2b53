// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/query_cycle.h"

#include <algorithm>

#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

using namespace latency;

std::int64_t QueryCycle::per_line() const { return std::min(width_, kHalvesPerLine); }

void QueryCycle::head(KernelTime now, const KernelHead& head) {
  head_ = head;
  rows_left_ = head.group * width_ / per_line();
  sums_left_ = !head.dense && head.mean ? width_ / kSumsPerLine : 0;
  head_ready_ = kNever;
  line_ready_ = now + 1 + kLinesBegin;
}

void QueryCycle::line(KernelTime now, std::uint32_t digits) {
  if (rows_left_ > 0) {
    const KernelTime last = now + per_line();  // element
    line_ready_ = --rows_left_ > 0 ? last + 1 : kNever;
    if (rows_left_ == 0) rows_done(last, digits);
    return;
  }
  const KernelTime last = now + kSumsPerLine;
  line_ready_ = --sums_left_ > 0 ? last + 1 : kNever;
  if (sums_left_ == 0) dims_valid_ = last + kMean + 1;
}

void QueryCycle::rows_done(KernelTime last, std::uint32_t digits) {
  if (head_.dense) {
    dims_valid_ = last + kRowsEnd;
    return;
  }
  const std::int64_t beats = width_ / kQueryKeysPerCycle;
  const KernelTime chosen = topk_emits(last + kSelectStart, beats, digits) + kTopkOut + beats - 1;
  const KernelTime scales = chosen + head_.group * width_ + kScanEnd;
  const KernelTime scaled = scales + head_.group * kQueryScale;
  if (sums_left_ > 0) {
    line_ready_ = scaled + kLinesBegin;
  } else {
    dims_valid_ = scaled;
  }
}

void QueryCycle::dims(KernelTime now) {
  dims_valid_ = kNever;
  head_ready_ = now + 1;
}

}  // namespace neardata::unit
