// SPDX-License-Identifier: Apache-2.0
//
// How far each partition of an engine may go on its own: to the first time at which it could see
// what another does. That is what the others, as they stand, give next, or what they give because
// of something that they see first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace neardata::core {

class Windows {
 public:
  /// What another partition sees of one, and when at the earliest.
  struct View {
    std::uint32_t partition;
    Fs seen = kNever;
  };

  explicit Windows(std::size_t partitions);

  /// What `from` sees, `to` can see an answer to no sooner than so long after.
  void add_way(std::uint32_t from, std::uint32_t to, Fs least);
  /// A sender that is shown room by a receiver, which makes none before the sender is as far.
  void add_shown(std::uint32_t sender, std::uint32_t receiver) {
    shown_.push_back({sender, receiver});
  }
  /// After the last way: an answer may come over others.
  void close();

  /// As a partition stands outside its windows: its next instant, and the end of a window in which
  /// it makes room that a sender is shown.
  void set(std::uint32_t partition, Fs next, Fs makes_room, const std::vector<View>& views);
  /// Something is on its way to a partition, which sees it then.
  void tell(std::uint32_t partition, Fs seen) {
    states_[partition].told = std::min(states_[partition].told, seen);
  }
  /// A window begins, and the partition knows what it was told. What it does because of it is not
  /// in its views until they are set again.
  void begin(std::uint32_t partition, Fs end);

  /// No instant of the partition is before.
  [[nodiscard]] Fs next(std::uint32_t partition) const {
    return std::min(states_[partition].next, states_[partition].told);
  }
  [[nodiscard]] Fs next() const;
  /// Where the last window of the partition ended, or this one ends.
  [[nodiscard]] Fs reached(std::uint32_t partition) const { return states_[partition].reached; }
  /// By partition, the end of a window that begins now or later, `longest` at most.
  void find_ends(Fs longest, std::vector<Fs>& ends);

 private:
  struct State {
    Fs next = kNever;
    Fs makes_room = kNever;
    Fs told = kNever;   ///< what it does not know yet
    Fs taken = kNever;  ///< what it knows and its views do not
    Fs reached;
  };
  struct Shown {
    std::uint32_t sender;
    std::uint32_t receiver;
  };

  [[nodiscard]] Fs& way(std::size_t from, std::size_t to) { return ways_[from * count_ + to]; }

  std::size_t count_;
  std::vector<State> states_;
  std::vector<Fs> seen_;  ///< by who gives and who sees
  std::vector<Fs> ways_;  ///< by from and to
  std::vector<Shown> shown_;
  std::vector<Fs> first_seen_;
};

}  // namespace neardata::core
