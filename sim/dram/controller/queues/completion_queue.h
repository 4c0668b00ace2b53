// SPDX-License-Identifier: Apache-2.0
//
// Reads whose data is in transfer. The cycle of every completion is known when its command issues.
#pragma once

#include <algorithm>

#include "dram/config.h"
#include "dram/fifo.h"
#include "dram/types.h"

namespace neardata::dram {

/// In which order and how fast a channel reports reads.
enum class CompletionOrder : std::uint8_t {
  kAsDue,        ///< each in the cycle in which it is due
  kInOrder,      ///< none before one that was served or answered before it
  kOnePerCycle,  ///< in order, and at most one in a cycle
};

inline CompletionOrder completion_order(const ControllerConfig& config) {
  if (config.semantics.one_completion_per_cycle) return CompletionOrder::kOnePerCycle;
  return config.completes_in_order ? CompletionOrder::kInOrder : CompletionOrder::kAsDue;
}

class CompletionQueue {
 public:
  explicit CompletionQueue(CompletionOrder order)
      : in_order_(order != CompletionOrder::kAsDue),
        spacing_(order == CompletionOrder::kOnePerCycle ? 1 : 0) {}

  /// A read from the device whose data is complete in `due`; calls are in order of `due`. Returns
  /// the cycle in which the completion will be reported.
  Cycle push_read(RequestId id, Cycle due) { return push(reads_, id, due); }
  /// The same for a read that is answered from the write queue.
  Cycle push_forwarded(RequestId id, Cycle due) {
    return push(in_order_ ? reads_ : forwarded_, id, due);
  }
  /// A write that needs no command; it waits for no read.
  void push_absorbed(RequestId id, Cycle now) {
    forwarded_.push_back({id, now});
    find_next();
  }

  [[nodiscard]] Cycle next() const { return next_; }
  [[nodiscard]] std::size_t size() const { return reads_.size() + forwarded_.size(); }

  /// Removes the next completion.
  RequestId pop() {
    auto& from = head(forwarded_) <= head(reads_) ? forwarded_ : reads_;
    const RequestId id = from.front().id;
    from.pop_front();
    find_next();
    return id;
  }

 private:
  struct Pending {
    RequestId id;
    Cycle when;
  };
  using Waiting = Fifo<Pending>;

  static Cycle head(const Waiting& fifo) { return fifo.empty() ? kNever : fifo.front().when; }
  void find_next() { next_ = std::min(head(reads_), head(forwarded_)); }

  Cycle push(Waiting& fifo, RequestId id, Cycle due) {
    const Cycle when = in_order_ ? std::max(due, last_ + spacing_) : due;
    last_ = when;
    fifo.push_back({id, when});
    find_next();
    return when;
  }

  bool in_order_;
  Cycle spacing_;
  Cycle last_;
  Cycle next_ = kNever;
  Waiting reads_;
  Waiting forwarded_;
};

}  // namespace neardata::dram
