// SPDX-License-Identifier: Apache-2.0
//
// Wakes the sender of a channel at an edge of its clock.
#pragma once

#include "core/clock.h"
#include "core/component.h"
#include "core/time.h"

namespace neardata::core {

class SenderAlarm {
 public:
  explicit SenderAlarm(const Clock& clock) : clock_(clock) {}

  /// The alarm must outlive its use here. Without an alarm, no component is woken.
  void connect(Alarm& alarm) { alarm_ = &alarm; }
  /// At the first edge after `time`.
  void wake_after(Fs time) const {
    if (alarm_ != nullptr) alarm_->no_later_than(clock_.edge(clock_.after(time)));
  }

 private:
  Clock clock_;
  Alarm* alarm_ = nullptr;
};

}  // namespace neardata::core
