// SPDX-License-Identifier: Apache-2.0
//
// Time in `sparf_query_unit`: a head, its lines, its dimensions.
#pragma once

#include "unit/sparf/kernel/sparf_kernel_latency.h"
#include "unit/sparf/kernel/sparf_kernel_time.h"

namespace neardata::unit {

class QueryCycle {
 public:
  explicit QueryCycle(std::uint32_t width) : width_(width) {}

  [[nodiscard]] KernelTime head_ready() const { return head_ready_; }
  [[nodiscard]] KernelTime line_ready() const { return line_ready_; }
  [[nodiscard]] KernelTime dims_valid() const { return dims_valid_; }
  [[nodiscard]] std::uint32_t slot() const { return head_.slot; }

  void head(KernelTime now, const KernelHead& head);
  /// `digits`: see SparfKernelCycle.
  void line(KernelTime now, std::uint32_t digits);
  void dims(KernelTime now);

 private:
  [[nodiscard]] std::int64_t per_line() const;
  void rows_done(KernelTime last, std::uint32_t digits);

  std::int64_t width_;
  KernelHead head_;
  std::int64_t rows_left_ = 0, sums_left_ = 0;  ///< lines
  KernelTime head_ready_ = 0;
  KernelTime line_ready_ = kNever;
  KernelTime dims_valid_ = kNever;
};

}  // namespace neardata::unit
