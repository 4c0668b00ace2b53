// SPDX-License-Identifier: Apache-2.0
//
// The only communication of components: a bounded queue from one sender to one receiver.
//
// A message that is pushed at time t is visible at the `latency`-th edge of the receiver's clock
// after t, never at t. Space that a pop at time t frees is visible to the sender after t. Therefore
// the order in which the engine calls components at one time has no effect.
//
// A push wakes the receiver when the message becomes visible. flow_control.h has the rules by which
// the sender learns of free space, boundary.h the channels between two partitions.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "core/boundary.h"
#include "core/clock.h"
#include "core/component.h"
#include "core/flow_control.h"
#include "core/free_space.h"
#include "core/mailbox.h"
#include "core/message_queue.h"
#include "core/pop_schedule.h"
#include "core/time.h"

namespace neardata::core {

template <typename T>
class Channel final : public ChannelBase {
 public:
  /// capacity >= 1; latency >= 1 edge of the receiver.
  Channel(std::size_t capacity, const Clock& sender, const Clock& receiver, Cycle latency = {1},
          FlowControl flow_control = FlowControl::kBackPressure)
      : ChannelBase(receiver, latency, flow_control),
        plain_(flow_control != FlowControl::kAlwaysReady),
        queue_(capacity),
        free_space_(capacity, sender),
        extra_latency_(latency - Cycle{1}),
        visible_(receiver) {
    if (!plain_) schedule_.emplace(capacity, sender);
  }

  /// The alarms must outlive the channel's use. A receiver with patience is woken that much later
  /// than a message becomes visible.
  void connect(Alarm& sender, Alarm& receiver, Fs patience = {}) {
    if (flow_control() == FlowControl::kBackPressure) free_space_.connect(sender);
    if (schedule_) schedule_->connect(sender);
    queue_.connect(receiver, patience);
  }
  Boundary& split(const BoundarySide& sender, const BoundarySide& receiver) override {
    mailbox_ = std::make_unique<Mailbox<T>>(*this, queue_, free_space_, sender, receiver);
    plain_ = false;
    return *mailbox_;
  }
  /// Sender and receiver are in two partitions.
  [[nodiscard]] bool crosses() const { return mailbox_ != nullptr; }

  /// For the sender: messages that the channel can accept at `now`.
  [[nodiscard]] std::size_t room(Fs now) {
    return !plain_ && schedule_ ? schedule_->at(now) : free_space_.at(now);
  }
  [[nodiscard]] bool full(Fs now) { return room(now) == 0; }
  /// For the sender, at times that never decrease. False, and nothing happens, when full.
  [[nodiscard]] bool try_push(Fs now, const T& message) { return push(now, message); }
  [[nodiscard]] bool try_push(Fs now, T&& message) { return push(now, std::move(message)); }

  /// For the receiver: the oldest message if it is visible at `now`, else null.
  [[nodiscard]] const T* front(Fs now) const { return queue_.front(now); }
  /// For the receiver: when the oldest message becomes (or became) visible; kNever when empty.
  [[nodiscard]] Fs front_time() const { return queue_.front_time(); }
  void keep_front_time(Fs& address) { queue_.keep_front_time(address); }
  /// For the receiver, after front() returned a message; at times that never decrease.
  void pop(Fs now) {
    if (mailbox_) mailbox_->pop(now);
    queue_.pop(now);
    if (plain_) free_space_.update(queue_.pops());
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  /// Messages that the receiver has popped.
  [[nodiscard]] std::uint64_t popped() const { return queue_.pops().count; }

 private:
  template <typename Message>
  bool push(Fs now, Message&& message) {
    if (full(now)) return false;
    visible_.move_after(now);
    const Fs visible = extra_latency_ == Cycle{} ? visible_.time() : later_edge();
    if (plain_) {
      queue_.push(visible, std::forward<Message>(message));
      free_space_.push();
      return true;
    }
    if (schedule_) {
      schedule_->push(visible);
    } else {
      free_space_.push();
    }
    if (mailbox_) {
      mailbox_->push(visible, std::forward<Message>(message));
    } else {
      queue_.push_or_grow(visible, std::forward<Message>(message));
    }
    return true;
  }
  /// The rest of the latency after the receiver's first edge.
  [[nodiscard]] Fs later_edge() const {
    EdgeCursor edge = visible_;
    edge.move_to(edge.cycle() + extra_latency_);
    return edge.time();
  }

  bool plain_;  ///< in one partition, and the receiver pops at any time
  MessageQueue<T> queue_;
  FreeSpace free_space_;
  Cycle extra_latency_;
  EdgeCursor visible_;  ///< the receiver's first edge after the last push
  std::optional<PopSchedule> schedule_;
  std::unique_ptr<Mailbox<T>> mailbox_;
};

}  // namespace neardata::core
