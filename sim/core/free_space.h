// SPDX-License-Identifier: Apache-2.0
//
// The free space of a bounded queue in the view of its sender. Space that a pop at time t frees is
// visible after t.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/sender_alarm.h"
#include "core/time.h"

namespace neardata::core {

/// The pops of a receiver.
struct Pops {
  std::uint64_t count = 0;
  Fs last{-1};                ///< time of the last pop; before time 0 without a pop
  std::uint64_t at_last = 0;  ///< pops at that time
};

class FreeSpace {
 public:
  FreeSpace(std::size_t capacity, const Clock& sender) : capacity_(capacity), sender_(sender) {}

  /// An update that frees space of a full queue wakes the sender.
  void connect(Alarm& sender) { sender_.connect(sender); }

  /// Messages that the queue can accept at `now`.
  [[nodiscard]] std::size_t at(Fs now) const {
    const std::uint64_t invisible = known_.last == now ? known_.at_last : 0;
    return capacity_ - (pushed_ - known_.count + invisible);
  }
  void push() { ++pushed_; }
  /// The sender learns of the receiver's pops.
  void update(const Pops& pops) {
    if (pushed_ - known_.count >= capacity_) sender_.wake_after(pops.last);
    known_ = pops;
  }

 private:
  std::uint64_t pushed_ = 0;
  std::size_t capacity_;
  Pops known_;
  SenderAlarm sender_;
};

}  // namespace neardata::core
