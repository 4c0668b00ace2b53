// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_doorbell`: descriptors wait in a queue and in a register behind it, and
// leave in order: heads to a ready kernel, appends to the append unit.
#pragma once

#include <deque>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

class SparfDoorbell {
 public:
  SparfDoorbell(std::uint32_t kernels, std::size_t room) : kernels_(kernels), room_(room) {}

  [[nodiscard]] bool full() const { return queue_.size() == room_; }
  void push(SparfTime now, const SparfTask& task) { queue_.push_back({task, now + 1}); }
  /// First cycle in which a descriptor can move from the queue to the register.
  [[nodiscard]] SparfTime loads_from() const {
    return queue_.empty() ? kSparfNever : std::max(queue_.front().since, empty_since_);
  }
  void load(SparfTime now) {
    at_work_ = queue_.front();
    at_work_.since = now + 1;
    queue_.pop_front();
    empty_since_ = kSparfNever;
  }
  /// From when on one is offered.
  [[nodiscard]] SparfTime since() const { return at_work_.since; }
  [[nodiscard]] const SparfTask& task() const { return at_work_.task; }
  [[nodiscard]] bool appends() const { return task().operation == SparfOperation::kAppend; }
  /// The kernel that gets the next head if it is ready; else the first ready one after it.
  [[nodiscard]] std::uint32_t next_kernel() const { return next_kernel_; }
  /// A head is issued to `kernel`.
  void leave_to(std::uint32_t kernel, SparfTime now) {
    next_kernel_ = (kernel + 1) % kernels_;
    leave(now);
  }
  void leave(SparfTime now) {
    at_work_.since = kSparfNever;
    empty_since_ = now + 1;
  }
  [[nodiscard]] bool busy() const { return !queue_.empty() || since() != kSparfNever; }

 private:
  struct QueuedTask {
    SparfTask task;
    SparfTime since = kSparfNever;
  };

  std::uint32_t kernels_;
  std::size_t room_;
  std::deque<QueuedTask> queue_;
  QueuedTask at_work_;
  SparfTime empty_since_ = 0;
  std::uint32_t next_kernel_ = 0;
};

}  // namespace neardata::unit
