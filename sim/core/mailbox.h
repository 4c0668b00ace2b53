// SPDX-License-Identifier: Apache-2.0
//
// The boundary of a split channel: transfers messages from the sender's window to the receiver's
// next window, and free space back.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/boundary.h"
#include "core/free_space.h"
#include "core/message_queue.h"
#include "core/time.h"

namespace neardata::core {

template <typename T>
class Mailbox final : public Boundary {
 public:
  /// The queue belongs to the receiver's side, the free space to the sender's.
  Mailbox(const ChannelBase& channel, MessageQueue<T>& queue, FreeSpace& free_space,
          const BoundarySide& sender, const BoundarySide& receiver)
      : Boundary(channel, queue, sender, receiver), queue_(queue), free_space_(free_space) {}

  /// In a window of the sender.
  template <typename Message>
  void push(Fs visible, Message&& message) {
    outbox_.push_back({visible, std::forward<Message>(message)});
    sender_acts();
  }
  /// In a window of the receiver, before the queue's pop. A sender that computes each pop in
  /// advance is notified only of a pop at another time.
  void pop(Fs now) {
    if (channel().flow_control() == FlowControl::kAlwaysReady) {
      missed_pop_ = missed_pop_ || now != queue_.front_time();
      if (!missed_pop_) return;
    }
    receiver_acts();
  }

 private:
  Fs send_messages() override {
    const Fs first = outbox_.empty() ? kNever : outbox_.front().visible;
    if (inbox_.empty()) {
      inbox_.swap(outbox_);
    } else {
      std::ranges::move(outbox_, std::back_inserter(inbox_));
      outbox_.clear();
    }
    return first;
  }
  void take_messages() override {
    for (auto& [visible, message] : inbox_) queue_.push_or_grow(visible, std::move(message));
    inbox_.clear();
  }
  Fs send_credits() override {
    pops_ = queue_.pops();
    return channel().flow_control() == FlowControl::kBackPressure ? pops_.last + Fs{1} : kNever;
  }
  void take_credits() override { free_space_.update(pops_); }

  MessageQueue<T>& queue_;
  FreeSpace& free_space_;
  std::vector<typename MessageQueue<T>::TimedMessage> outbox_;  ///< of the sender's window
  std::vector<typename MessageQueue<T>::TimedMessage> inbox_;   ///< for the receiver's next window
  Pops pops_;                                                   ///< for the sender's next window
};

}  // namespace neardata::core
