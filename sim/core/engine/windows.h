// SPDX-License-Identifier: Apache-2.0
//
// The horizon of each partition of an engine: the first time at which the partition could see an
// action of another one. That action is the next action of the other partition, or its answer to a
// message that it sees before.
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

  /// `to` sees an answer to a message no sooner than `least` after `from` sees the message.
  void add_path(std::uint32_t from, std::uint32_t to, Fs least);
  /// A channel with back-pressure: the receiver frees no space before the sender is as far.
  void add_back_pressure(std::uint32_t sender, std::uint32_t receiver) {
    back_pressure_.push_back({sender, receiver});
  }
  /// After the last path: an answer may take several.
  void close();

  /// The state of a partition outside its windows: its next instant, and the earliest time at which
  /// a sender can see space that the partition frees.
  void set(std::uint32_t partition, Fs next, Fs earliest_credit, const std::vector<View>& views);
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
    Fs earliest_credit = kNever;
    Fs told = kNever;   ///< what it does not know yet
    Fs taken = kNever;  ///< what it knows and its views do not
    Fs reached;
  };
  struct BackPressure {
    std::uint32_t sender;
    std::uint32_t receiver;
  };

  [[nodiscard]] Fs& path(std::size_t from, std::size_t to) { return paths_[from * count_ + to]; }

  std::size_t count_;
  std::vector<State> states_;
  std::vector<Fs> seen_;   ///< by who gives and who sees
  std::vector<Fs> paths_;  ///< by from and to
  std::vector<BackPressure> back_pressure_;
  std::vector<Fs> first_seen_;
};

}  // namespace neardata::core
