// SPDX-License-Identifier: Apache-2.0
//
// A channel between two partitions of an engine, which may be at work on two threads. What one side
// does in a window is put aside when the window is over, and the other side takes it when one of
// its own begins; until then each side writes to what is its own alone. No side misses anything by
// that, as its window ends before the first time at which it can see what the other does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "core/time.h"

namespace neardata::core {

/// How the sender of a channel knows of room that its receiver makes.
enum class RoomRule : std::uint8_t {
  kShown,   ///< it sees it, whenever that is
  kPaced,   ///< it need not: it counts what the receiver has room for in another way
  kPrompt,  ///< the receiver takes each message at the time at which it sees it
};

class Boundary {
 public:
  /// One of the two partitions, and what was done at boundaries in it since they were last told.
  struct Side {
    std::uint32_t partition = 0;
    std::vector<Boundary*>* touched = nullptr;
  };

  Boundary(const Clock& receiver, Cycle latency, RoomRule room)
      : plain_(room != RoomRule::kPrompt),
        room_rule_(room),
        receiver_clock_(receiver),
        latency_(latency) {}
  Boundary(const Boundary&) = delete;
  Boundary& operator=(const Boundary&) = delete;
  virtual ~Boundary() = default;

  /// From now on the channel is between these two. Both lists outlive its use.
  void split(const Side& sender, const Side& receiver) {
    sender_.side = sender;
    receiver_.side = receiver;
    split_ = true;
    plain_ = false;
  }
  /// A message is seen at the `latency`-th edge of this clock after it is given.
  [[nodiscard]] const Clock& receiver_clock() const { return receiver_clock_; }
  [[nodiscard]] Cycle latency() const { return latency_; }
  [[nodiscard]] RoomRule room_rule() const { return room_rule_; }
  [[nodiscard]] bool split() const { return split_; }
  /// When the sender sees room made by the receiver, whose next instant is `due`, at the earliest.
  /// A message that is given meanwhile is not taken before the next window.
  [[nodiscard]] Fs sees_room(Fs due) const {
    // Asked of every boundary in every window, and nearly all of them are empty.
    return popped_ == given_ ? kNever : std::max(due, first_visible()) + Fs{1};
  }
  /// What a side has done is put aside, in no window of that side: when the other one sees the
  /// first of it.
  [[nodiscard]] Fs put_aside(std::uint32_t partition) {
    const bool sends = partition == sender();
    (sends ? sender_ : receiver_).touched = false;
    return sends ? put_messages() : put_room();
  }
  /// A side takes what the other has put aside, and is woken.
  void take(std::uint32_t partition) {
    if (partition == receiver()) {
      take_messages();
    } else {
      take_room();
    }
  }
  /// A receiver that was to take each message at once left one.
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] std::uint32_t sender() const { return sender_.side.partition; }
  [[nodiscard]] std::uint32_t receiver() const { return receiver_.side.partition; }

 protected:
  virtual Fs put_messages() = 0;
  virtual Fs put_room() = 0;
  virtual void take_messages() = 0;
  virtual void take_room() = 0;
  /// When the receiver sees the oldest message that it has not taken.
  [[nodiscard]] virtual Fs first_visible() const = 0;
  /// Both sides are in one partition, and the receiver takes messages when it likes.
  [[nodiscard]] bool plain() const { return plain_; }
  void touched_by_sender() { touch(sender_); }
  void touched_by_receiver() { touch(receiver_); }

  std::uint64_t popped_ = 0;
  std::uint64_t given_ = 0;  ///< of those pushed, as the receiver knows
  bool late_ = false;

 private:
  struct End {
    Side side;
    bool touched = false;
  };
  void touch(End& end) {
    if (end.touched) return;
    end.touched = true;
    end.side.touched->push_back(this);
  }

  bool plain_;
  RoomRule room_rule_;
  Clock receiver_clock_;
  Cycle latency_;
  End sender_;
  End receiver_;
  bool split_ = false;
};

}  // namespace neardata::core
