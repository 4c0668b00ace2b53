// SPDX-License-Identifier: Apache-2.0
//
// The free space of a queue whose receiver pops each message when it becomes visible: the sender
// computes it from the times of its own messages and needs no information from the receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sender_alarm.h"
#include "core/time.h"

namespace neardata::core {

class PopSchedule {
 public:
  PopSchedule(std::size_t capacity, const Clock& sender) : pops_(capacity), sender_(sender) {}

  void connect(Alarm& sender) { sender_.connect(sender); }

  /// Messages that the queue can accept at `now`. A sender that finds no free space is woken after
  /// the next pop.
  [[nodiscard]] std::size_t at(Fs now) {
    while (popped_ < pushed_ && next_pop() < now) ++popped_;
    const std::size_t free = pops_.size() - (pushed_ - popped_);
    if (free == 0) sender_.wake_after(next_pop());
    return free;
  }
  /// The receiver pops the message at `visible`.
  void push(Fs visible) { pops_[pushed_++ % pops_.size()] = visible; }

 private:
  [[nodiscard]] Fs next_pop() const { return pops_[popped_ % pops_.size()]; }

  std::vector<Fs> pops_;  ///< time of each pop, by message modulo the capacity
  std::uint64_t pushed_ = 0;
  std::uint64_t popped_ = 0;
  SenderAlarm sender_;
};

}  // namespace neardata::core
