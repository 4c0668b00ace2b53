// SPDX-License-Identifier: Apache-2.0
//
// The only way components meet: a bounded queue from one sender to one receiver.
//
// A message pushed at time t is seen by the receiver at the `latency`-th edge of its clock after t,
// so never at t itself. Room made by a pop at time t is seen by the sender after t. Therefore the
// order in which the components are called at one time cannot change what they see.
//
// A push wakes the receiver when the message becomes visible. A pop from a full channel wakes the
// sender at its next edge. A channel between two partitions keeps both until the sides are told of
// each other, which they are before either could see it, so no side sees a difference.
//
// A paced channel never fills, because its sender counts what the receiver has room for in another
// way, such as credits. To push into a full one is an error of the sender.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/boundary.h"
#include "core/clock.h"
#include "core/component.h"
#include "core/time.h"

namespace neardata::core {

template <typename T>
class Channel final : public Boundary {
 public:
  /// capacity >= 1; latency >= 1 edge of the receiver.
  Channel(std::size_t capacity, const Clock& sender, const Clock& receiver, Cycle latency = {1},
          bool paced = false)
      : Boundary(receiver, latency, paced),
        entries_(std::bit_ceil(capacity)),
        mask_(entries_.size() - 1),
        capacity_(capacity),
        extra_latency_(latency - Cycle{1}),
        sender_clock_(sender),
        visible_(receiver) {}

  /// What to wake. The alarms must outlive the channel's use. A receiver with patience is woken so
  /// much later than the message becomes visible.
  void connect(Alarm& sender, Alarm& receiver, Fs patience = {}) {
    sender_alarm_ = &sender;
    receiver_alarm_ = &receiver;
    patience_ = patience;
  }

  /// For the sender: messages there is room for at `now`.
  [[nodiscard]] std::size_t room(Fs now) const {
    const std::uint64_t fresh = freed_last_ == now ? freed_at_last_ : 0;
    return capacity_ - (pushed_ - freed_ + fresh);
  }
  /// For the sender: no room at `now`.
  [[nodiscard]] bool full(Fs now) const { return room(now) == 0; }

  /// For the sender, at times that never decrease. False, and nothing happens, when full.
  [[nodiscard]] bool try_push(Fs now, const T& message) { return push(now, message); }
  [[nodiscard]] bool try_push(Fs now, T&& message) { return push(now, std::move(message)); }

  /// For the receiver: the oldest message if it is visible at `now`, else null.
  [[nodiscard]] const T* front(Fs now) const {
    return *front_time_ <= now ? &entries_[popped_ & mask_].message : nullptr;
  }

  /// For the receiver: when the oldest message becomes (or became) visible; kNever when empty.
  [[nodiscard]] Fs front_time() const { return *front_time_; }
  /// From now on front_time() is kept at `place`, which outlives the channel's use: a receiver of
  /// many channels finds their times side by side.
  void keep_front_time(Fs& place) {
    place = *front_time_;
    front_time_ = &place;
  }

  /// For the receiver, after front() gave a message; at times that never decrease.
  void pop(Fs now) {
    pops_at_last_ = last_pop_ == now ? pops_at_last_ + 1 : 1;
    last_pop_ = now;
    if (split() && popped_ == freed_) first_unknown_pop_ = now;
    ++popped_;
    show_front();
    if (split()) {
      touched_by_receiver();
    } else {
      free_popped();
    }
  }

  /// For the receiver.
  [[nodiscard]] bool empty() const { return popped_ == given_; }
  [[nodiscard]] std::size_t size() const { return given_ - popped_; }
  /// For queries between two instants.
  [[nodiscard]] std::uint64_t pushed() const { return pushed_; }
  [[nodiscard]] std::uint64_t popped() const { return popped_; }
  /// When the last message was taken; before time 0 if none was.
  [[nodiscard]] Fs last_pop() const { return last_pop_; }

 private:
  struct Entry {
    Fs visible;
    T message;
  };

  template <typename Message>
  bool push(Fs now, Message&& message) {
    if (full(now)) return false;
    visible_.move_after(now);
    const Fs visible = extra_latency_ == Cycle{} ? visible_.time() : further();
    Entry& entry = entries_[pushed_ & mask_];
    entry.visible = visible;
    entry.message = std::forward<Message>(message);
    ++pushed_;
    if (split()) {
      touched_by_sender();
    } else {
      give_pushed(visible);
    }
    return true;
  }
  /// The rest of the latency behind the receiver's first edge.
  [[nodiscard]] Fs further() const {
    EdgeCursor edge = visible_;
    edge.move_to(edge.cycle() + extra_latency_);
    return edge.time();
  }
  void show_front() {
    *front_time_ = popped_ == given_ ? kNever : entries_[popped_ & mask_].visible;
  }

  /// `visible` is when the first of those that the receiver did not know becomes visible.
  void give_pushed(Fs visible) {
    if (popped_ == given_) *front_time_ = visible;
    given_ = pushed_;
    if (receiver_alarm_ != nullptr) receiver_alarm_->no_later_than(visible + patience_);
  }
  void free_popped() {
    if (!paced() && pushed_ - freed_ >= capacity_ && sender_alarm_ != nullptr) {
      sender_alarm_->no_later_than(sender_clock_.edge(sender_clock_.after(last_pop_)));
    }
    freed_ = popped_;
    freed_last_ = last_pop_;
    freed_at_last_ = pops_at_last_;
  }
  [[nodiscard]] Fs first_visible() const override { return front_time(); }
  Fs exchange() override {
    Fs seen = kNever;
    if (given_ != pushed_) {
      seen = entries_[given_ & mask_].visible;
      give_pushed(seen);
    }
    if (freed_ != popped_) {
      if (!paced()) seen = std::min(seen, first_unknown_pop_ + Fs{1});
      free_popped();
    }
    return seen;
  }

  // What is asked in every cycle comes first.
  Fs* front_time_ = &own_front_time_;
  std::vector<Entry> entries_;
  std::size_t mask_;
  std::uint64_t pushed_ = 0;
  std::uint64_t freed_ = 0;  ///< of those popped, as the sender knows
  std::size_t capacity_;
  Fs last_pop_{-1};
  std::uint64_t pops_at_last_ = 0;
  Fs freed_last_{-1};  ///< the last pop that the sender knows, and the pops at that time
  std::uint64_t freed_at_last_ = 0;
  Fs first_unknown_pop_;  ///< the first that the sender does not know
  Cycle extra_latency_;
  Clock sender_clock_;
  EdgeCursor visible_;  ///< the receiver's first edge after the last push
  Alarm* sender_alarm_ = nullptr;
  Alarm* receiver_alarm_ = nullptr;
  Fs patience_;
  Fs own_front_time_ = kNever;
};

}  // namespace neardata::core
