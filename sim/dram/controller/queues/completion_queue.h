// SPDX-License-Identifier: Apache-2.0
//
// Reads whose data is under way. The cycle of every completion is known when its command issues.
#pragma once

#include <algorithm>
#include <deque>

#include "dram/types.h"

namespace neardata::dram {

class CompletionQueue {
 public:
  /// `one_a_cycle`: see Semantics::one_completion_a_cycle.
  explicit CompletionQueue(bool one_a_cycle) : one_a_cycle_(one_a_cycle) {}

  /// Data from the device, due in `due`; calls come in order of `due`. Returns the cycle in which
  /// the completion will be reported.
  Cycle push_read(RequestId id, Cycle due) { return push(reads_, id, due); }
  /// The same for a read that is answered from the write queue.
  Cycle push_forwarded(RequestId id, Cycle due) {
    return push(one_a_cycle_ ? reads_ : forwarded_, id, due);
  }

  [[nodiscard]] Cycle next() const { return std::min(head(reads_), head(forwarded_)); }
  [[nodiscard]] std::size_t size() const { return reads_.size() + forwarded_.size(); }

  /// Removes the one that comes next.
  RequestId pop() {
    auto& from = head(forwarded_) <= head(reads_) ? forwarded_ : reads_;
    const RequestId id = from.front().id;
    from.pop_front();
    return id;
  }

 private:
  struct Pending {
    RequestId id;
    Cycle when;
  };
  using Fifo = std::deque<Pending>;

  static Cycle head(const Fifo& fifo) { return fifo.empty() ? kNever : fifo.front().when; }

  Cycle push(Fifo& fifo, RequestId id, Cycle due) {
    const Cycle when = one_a_cycle_ ? std::max(due, last_ + Cycle{1}) : due;
    last_ = when;
    Pending& pending = fifo.emplace_back();
    pending.id = id;
    pending.when = when;
    return when;
  }

  bool one_a_cycle_;
  Cycle last_;
  Fifo reads_;
  Fifo forwarded_;
};

}  // namespace neardata::dram
