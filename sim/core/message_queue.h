// SPDX-License-Identifier: Apache-2.0
//
// The receiver's queue of a channel: messages in the order of the times at which they become
// visible.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/component.h"
#include "core/free_space.h"
#include "core/time.h"

namespace neardata::core {

/// The state of a queue that does not depend on the type of its messages.
class QueueState {
 public:
  QueueState() = default;
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  [[nodiscard]] bool empty() const { return pops_.count == pushed_; }
  [[nodiscard]] std::size_t size() const { return pushed_ - pops_.count; }
  [[nodiscard]] const Pops& pops() const { return pops_; }
  /// When the oldest message becomes (or became) visible; kNever when empty.
  [[nodiscard]] Fs front_time() const { return *front_time_; }
  /// Stores front_time() at `address`, which outlives the queue's use: a receiver of many channels
  /// has their times in one array.
  void keep_front_time(Fs& address) {
    address = *front_time_;
    front_time_ = &address;
  }

 protected:
  ~QueueState() = default;

  Fs* front_time_ = &own_front_time_;
  std::uint64_t pushed_ = 0;
  Pops pops_;

 private:
  Fs own_front_time_ = kNever;
};

template <typename T>
class MessageQueue final : public QueueState {
 public:
  struct TimedMessage {
    Fs visible;
    T message;
  };

  explicit MessageQueue(std::size_t capacity)
      : entries_(std::bit_ceil(capacity)), mask_(entries_.size() - 1) {}

  /// A push wakes the receiver `patience` after the message becomes visible.
  void connect(Alarm& receiver, Fs patience) {
    receiver_ = &receiver;
    patience_ = patience;
  }

  /// The oldest message if it is visible at `now`, else null.
  [[nodiscard]] const T* front(Fs now) const {
    return *front_time_ <= now ? &entries_[pops_.count & mask_].message : nullptr;
  }
  /// The queue is not full. Times of messages do not decrease.
  template <typename Message>
  void push(Fs visible, Message&& message) {
    TimedMessage& entry = entries_[pushed_ & mask_];
    entry.visible = visible;
    entry.message = std::forward<Message>(message);
    if (empty()) *front_time_ = visible;
    ++pushed_;
    if (receiver_ != nullptr) receiver_->no_later_than(visible + patience_);
  }
  /// A sender that computes pops in advance may be ahead of its receiver.
  template <typename Message>
  void push_or_grow(Fs visible, Message&& message) {
    if (size() == entries_.size()) grow();
    push(visible, std::forward<Message>(message));
  }
  /// After front() returned a message.
  void pop(Fs now) {
    pops_.at_last = pops_.last == now ? pops_.at_last + 1 : 1;
    pops_.last = now;
    ++pops_.count;
    *front_time_ = empty() ? kNever : entries_[pops_.count & mask_].visible;
  }

 private:
  void grow() {
    std::vector<TimedMessage> more(2 * entries_.size());
    for (std::uint64_t at = pops_.count; at != pushed_; ++at) {
      more[at & (more.size() - 1)] = std::move(entries_[at & mask_]);
    }
    entries_ = std::move(more);
    mask_ = entries_.size() - 1;
  }

  std::vector<TimedMessage> entries_;  ///< a ring, whose length is a power of two
  std::size_t mask_;
  Alarm* receiver_ = nullptr;
  Fs patience_;
};

}  // namespace neardata::core
