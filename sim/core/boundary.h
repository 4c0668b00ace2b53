// SPDX-License-Identifier: Apache-2.0
//
// The engine's view of channels. A channel within one partition does not need the engine. A channel
// between two partitions, which may run on two threads, has a boundary: actions of one side in a
// window (the interval up to its horizon) stay in an outbox until the window ends. The other side
// reads the outbox when its next window begins. Until then each side writes only to its own data.
// No side misses an action, because its horizon is the first time at which an action of the other
// side can be visible.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "core/flow_control.h"
#include "core/message_queue.h"
#include "core/time.h"

namespace neardata::core {

class Boundary;

/// A partition at one end of a boundary.
struct BoundarySide {
  std::uint32_t partition = 0;
  /// The boundaries at which the partition acted in its window.
  std::vector<Boundary*>* active = nullptr;
};

/// A channel of any message type.
class ChannelBase {
 public:
  ChannelBase(const Clock& receiver, Cycle latency, FlowControl flow_control)
      : receiver_clock_(receiver), latency_(latency), flow_control_(flow_control) {}
  ChannelBase(const ChannelBase&) = delete;
  ChannelBase& operator=(const ChannelBase&) = delete;
  virtual ~ChannelBase() = default;

  /// A message is visible at the `latency`-th edge of this clock after its push.
  [[nodiscard]] const Clock& receiver_clock() const { return receiver_clock_; }
  [[nodiscard]] Cycle latency() const { return latency_; }
  [[nodiscard]] FlowControl flow_control() const { return flow_control_; }
  /// Before the first push: divides the channel between two partitions. The lists of both sides
  /// outlive its use.
  virtual Boundary& split(const BoundarySide& sender, const BoundarySide& receiver) = 0;

 private:
  Clock receiver_clock_;
  Cycle latency_;
  FlowControl flow_control_;
};

class Boundary {
 public:
  Boundary(const ChannelBase& channel, const QueueState& queue, const BoundarySide& sender,
           const BoundarySide& receiver)
      : channel_(channel), queue_(queue), sender_{sender}, receiver_{receiver} {}
  Boundary(const Boundary&) = delete;
  Boundary& operator=(const Boundary&) = delete;
  virtual ~Boundary() = default;

  [[nodiscard]] const ChannelBase& channel() const { return channel_; }
  [[nodiscard]] std::uint32_t sender() const { return sender_.side.partition; }
  [[nodiscard]] std::uint32_t receiver() const { return receiver_.side.partition; }

  /// The earliest time at which the sender can see space that the receiver frees, if the receiver's
  /// next event is at `due`. The receiver pops a message that is pushed in the meantime in its next
  /// window at the earliest.
  [[nodiscard]] Fs earliest_credit(Fs due) const {
    // Called for every boundary in every window; nearly all are empty.
    return queue_.empty() ? kNever : std::max(due, queue_.front_time()) + Fs{1};
  }
  /// The window of a side has ended: its actions become available to the other side. Returns the
  /// time at which the other side sees the first of them.
  [[nodiscard]] Fs end_window(std::uint32_t partition) {
    const bool sends = partition == sender();
    (sends ? sender_ : receiver_).active = false;
    return sends ? send_messages() : send_credits();
  }
  /// A window of a side begins: it reads the actions of the other side and is woken.
  void begin_window(std::uint32_t partition) {
    if (partition == receiver()) {
      take_messages();
    } else {
      take_credits();
    }
  }
  /// A receiver that is always ready (flow_control.h) did not pop a message when it became visible.
  [[nodiscard]] bool missed_pop() const { return missed_pop_; }

 protected:
  virtual Fs send_messages() = 0;
  virtual Fs send_credits() = 0;
  virtual void take_messages() = 0;
  virtual void take_credits() = 0;
  void sender_acts() { act(sender_); }
  void receiver_acts() { act(receiver_); }

  bool missed_pop_ = false;

 private:
  struct End {
    BoundarySide side;
    bool active = false;
  };
  void act(End& end) {
    if (end.active) return;
    end.active = true;
    end.side.active->push_back(this);
  }

  const ChannelBase& channel_;
  const QueueState& queue_;
  End sender_;
  End receiver_;
};

}  // namespace neardata::core
