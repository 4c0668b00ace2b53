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
// way, such as credits. To push into a full one is an error of the sender. Where the receiver is
// prompt, the sender knows the time of each pop beforehand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
          RoomRule room = RoomRule::kShown)
      : Boundary(receiver, latency, room),
        entries_(std::bit_ceil(capacity)),
        mask_(entries_.size() - 1),
        capacity_(capacity),
        extra_latency_(latency - Cycle{1}),
        sender_clock_(sender),
        visible_(receiver),
        takes_(room == RoomRule::kPrompt ? capacity : 0) {}

  /// What to wake. The alarms must outlive the channel's use. A receiver with patience is woken so
  /// much later than the message becomes visible.
  void connect(Alarm& sender, Alarm& receiver, Fs patience = {}) {
    sender_alarm_ = &sender;
    receiver_alarm_ = &receiver;
    patience_ = patience;
  }

  /// For the sender: messages there is room for at `now`.
  [[nodiscard]] std::size_t room(Fs now) const {
    if (!plain() && room_rule() == RoomRule::kPrompt) return foreseen_room(now);
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
    if (!plain()) pop_apart(now);
    ++popped_;
    show_front();
    if (plain()) free({popped_, last_pop_, pops_at_last_});
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
  /// What the receiver took, and when and how many in the end.
  struct Taken {
    std::uint64_t messages = 0;
    Fs last{-1};
    std::uint64_t at_last = 0;
  };

  template <typename Message>
  bool push(Fs now, Message&& message) {
    if (full(now)) return false;
    visible_.move_after(now);
    const Fs visible = extra_latency_ == Cycle{} ? visible_.time() : further();
    if (!plain()) {
      push_apart(visible, std::forward<Message>(message));
      return true;
    }
    put(visible, std::forward<Message>(message));
    ++pushed_;
    show_given(visible, given_ - 1);
    return true;
  }
  template <typename Message>
  void push_apart(Fs visible, Message&& message) {
    if (room_rule() == RoomRule::kPrompt) takes_[pushed_ % capacity_] = visible;
    ++pushed_;
    if (split()) {
      outbox_.push_back({visible, std::forward<Message>(message)});
      touched_by_sender();
      return;
    }
    put_surely(visible, T(std::forward<Message>(message)));
    show_given(visible, given_ - 1);
  }
  void pop_apart(Fs now) {
    if (room_rule() == RoomRule::kPrompt) late_ = late_ || now != front_time();
    if (split() && (room_rule() != RoomRule::kPrompt || late_)) touched_by_receiver();
  }
  template <typename Message>
  void put(Fs visible, Message&& message) {
    Entry& entry = entries_[given_ & mask_];
    entry.visible = visible;
    entry.message = std::forward<Message>(message);
    ++given_;
  }
  /// A sender that foresees room may be ahead of its receiver.
  void put_surely(Fs visible, T&& message) {
    if (given_ - popped_ == entries_.size()) grow();
    put(visible, std::move(message));
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

  /// The receiver is to know of message `first` and those behind it: when it sees that one.
  void show_given(Fs visible, std::uint64_t first) {
    if (popped_ == first) *front_time_ = visible;
    if (receiver_alarm_ != nullptr) receiver_alarm_->no_later_than(visible + patience_);
  }
  /// The sender knows when messages are taken.
  [[nodiscard]] std::size_t foreseen_room(Fs now) const {
    while (freed_ < pushed_ && takes_[freed_ % capacity_] < now) ++freed_;
    const std::size_t room = capacity_ - (pushed_ - freed_);
    if (room == 0 && sender_alarm_ != nullptr) {
      sender_alarm_->no_later_than(sender_edge_after(takes_[freed_ % capacity_]));
    }
    return room;
  }
  [[nodiscard]] Fs sender_edge_after(Fs time) const {
    return sender_clock_.edge(sender_clock_.after(time));
  }
  void free(const Taken& taken) {
    if (room_rule() != RoomRule::kPaced && pushed_ - freed_ >= capacity_ &&
        sender_alarm_ != nullptr) {
      sender_alarm_->no_later_than(sender_edge_after(taken.last));
    }
    freed_ = taken.messages;
    freed_last_ = taken.last;
    freed_at_last_ = taken.at_last;
  }
  [[nodiscard]] Fs first_visible() const override { return front_time(); }
  Fs put_messages() override {
    const Fs first = outbox_.empty() ? kNever : outbox_.front().visible;
    if (aside_.empty()) {
      aside_.swap(outbox_);
    } else {
      std::ranges::move(outbox_, std::back_inserter(aside_));
      outbox_.clear();
    }
    return first;
  }
  void take_messages() override {
    if (aside_.empty()) return;
    const Fs visible = aside_.front().visible;
    const std::uint64_t first = given_;
    for (Entry& entry : aside_) put_surely(entry.visible, std::move(entry.message));
    aside_.clear();
    show_given(visible, first);
  }
  Fs put_room() override {
    room_aside_ = {popped_, last_pop_, pops_at_last_};
    return room_rule() == RoomRule::kShown ? last_pop_ + Fs{1} : kNever;
  }
  void take_room() override { free(room_aside_); }
  void grow() {
    std::vector<Entry> more(2 * entries_.size());
    for (std::uint64_t at = popped_; at != given_; ++at) {
      more[at & (more.size() - 1)] = std::move(entries_[at & mask_]);
    }
    entries_ = std::move(more);
    mask_ = entries_.size() - 1;
  }

  // What is asked in every cycle comes first.
  Fs* front_time_ = &own_front_time_;
  std::vector<Entry> entries_;
  std::size_t mask_;
  std::uint64_t pushed_ = 0;
  mutable std::uint64_t freed_ = 0;  ///< of those popped, as the sender knows
  std::size_t capacity_;
  Fs last_pop_{-1};
  std::uint64_t pops_at_last_ = 0;
  Fs freed_last_{-1};  ///< the last pop that the sender knows, and the pops at that time
  std::uint64_t freed_at_last_ = 0;
  Cycle extra_latency_;
  Clock sender_clock_;
  EdgeCursor visible_;  ///< the receiver's first edge after the last push
  Alarm* sender_alarm_ = nullptr;
  Alarm* receiver_alarm_ = nullptr;
  Fs patience_;
  Fs own_front_time_ = kNever;
  std::vector<Fs> takes_;      ///< of a prompt receiver, by message modulo the capacity
  std::vector<Entry> outbox_;  ///< of the sender's window
  std::vector<Entry> aside_;   ///< for the receiver's next
  Taken room_aside_;           ///< for the sender's next
};

}  // namespace neardata::core
