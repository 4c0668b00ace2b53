// SPDX-License-Identifier: Apache-2.0
//
// A channel between two partitions of an engine, which may be at work on two threads. What one side
// does, the other is told between two windows of the engine; until then each side writes to what is
// its own alone. No side misses anything by that, as the engine ends a window before the first time
// at which a side can see what the other does in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "core/time.h"

namespace neardata::core {

class Boundary {
 public:
  /// One of the two partitions, and what was done at boundaries in it since they were last told.
  struct Side {
    std::uint32_t partition = 0;
    std::vector<Boundary*>* touched = nullptr;
  };

  Boundary(const Clock& receiver, Cycle latency, bool paced)
      : paced_(paced), receiver_clock_(receiver), latency_(latency) {}
  Boundary(const Boundary&) = delete;
  Boundary& operator=(const Boundary&) = delete;
  virtual ~Boundary() = default;

  /// From now on the channel is between these two. Both lists outlive its use.
  void split(const Side& sender, const Side& receiver) {
    sender_.side = sender;
    receiver_.side = receiver;
    split_ = true;
  }
  /// A message is seen at the `latency`-th edge of this clock after it is given.
  [[nodiscard]] const Clock& receiver_clock() const { return receiver_clock_; }
  [[nodiscard]] Cycle latency() const { return latency_; }
  /// When the sender sees room made by the receiver, whose next instant is `due`, at the earliest.
  /// A message that is given meanwhile is not taken before the next window.
  [[nodiscard]] Fs sees_room(Fs due) const {
    // Asked of every boundary in every window, and nearly all of them are empty.
    return popped_ == given_ ? kNever : std::max(due, first_visible()) + Fs{1};
  }
  /// Room made may make a difference to the sender.
  [[nodiscard]] bool shows_room() const { return !paced_; }
  /// Each side knows what the other has done, and is woken; when the first of it is seen. While
  /// neither side is at work.
  [[nodiscard]] Fs tell() {
    sender_.listed = false;
    receiver_.listed = false;
    return exchange();
  }
  [[nodiscard]] std::uint32_t sender() const { return sender_.side.partition; }
  [[nodiscard]] std::uint32_t receiver() const { return receiver_.side.partition; }

 protected:
  virtual Fs exchange() = 0;
  /// When the receiver sees the oldest message that it has not taken.
  [[nodiscard]] virtual Fs first_visible() const = 0;
  [[nodiscard]] bool paced() const { return paced_; }
  [[nodiscard]] bool split() const { return split_; }
  void touched_by_sender() { touch(sender_); }
  void touched_by_receiver() { touch(receiver_); }

  std::uint64_t popped_ = 0;
  std::uint64_t given_ = 0;  ///< of those pushed, as the receiver knows

 private:
  struct End {
    Side side;
    bool listed = false;
  };
  void touch(End& end) {
    if (end.listed) return;
    end.listed = true;
    end.side.touched->push_back(this);
  }

  bool paced_;
  Clock receiver_clock_;
  Cycle latency_;
  End sender_;
  End receiver_;
  bool split_ = false;
};

}  // namespace neardata::core
