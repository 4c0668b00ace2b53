// SPDX-License-Identifier: Apache-2.0
//
// A channel between two partitions of an engine, which may be at work on two threads. What one side
// does, the other sees when it is told, between two instants; until then each side writes to what
// is its own alone.
#pragma once

#include <cstdint>
#include <vector>

namespace neardata::core {

class Boundary {
 public:
  /// One of the two partitions, and what was done at boundaries in it since they were last told.
  struct Side {
    std::uint32_t partition = 0;
    std::vector<Boundary*>* touched = nullptr;
  };

  Boundary() = default;
  Boundary(const Boundary&) = delete;
  Boundary& operator=(const Boundary&) = delete;
  virtual ~Boundary() = default;

  /// From now on the channel is between these two. Both lists outlive its use.
  void split(const Side& sender, const Side& receiver) {
    sender_.side = sender;
    receiver_.side = receiver;
    split_ = true;
  }
  /// Each side sees what the other has done, and is woken. While neither side is at work.
  void tell() {
    exchange();
    sender_.listed = false;
    receiver_.listed = false;
  }
  [[nodiscard]] std::uint32_t sender() const { return sender_.side.partition; }
  [[nodiscard]] std::uint32_t receiver() const { return receiver_.side.partition; }

 protected:
  virtual void exchange() = 0;
  [[nodiscard]] bool split() const { return split_; }
  void touched_by_sender() { touch(sender_); }
  void touched_by_receiver() { touch(receiver_); }

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

  End sender_;
  End receiver_;
  bool split_ = false;
};

}  // namespace neardata::core
