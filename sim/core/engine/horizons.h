// SPDX-License-Identifier: Apache-2.0
//
// The horizon of each partition of an engine: the first time at which the partition could see an
// action of another one. That action is the next action of the other partition, or its reaction to
// an earlier message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace neardata::core {

class Horizons {
 public:
  /// The earliest time at which another partition can see an action of this one.
  struct View {
    std::uint32_t partition;
    Fs seen = kNever;
  };

  explicit Horizons(std::size_t partitions);

  /// The minimum time between the visibility of a message to `from` and the visibility of its
  /// answer to `to`.
  void add_path(std::uint32_t from, std::uint32_t to, Fs least);
  /// A channel with back-pressure: the receiver frees space only at times that the sender has
  /// reached.
  void add_back_pressure(std::uint32_t sender, std::uint32_t receiver) {
    back_pressure_.push_back({sender, receiver});
  }
  /// Call after the last path: computes paths over several partitions.
  void close();

  /// The state of a partition outside its windows: its next instant, and the earliest time at which
  /// a sender can see space that the partition frees.
  void set(std::uint32_t partition, Fs next, Fs earliest_credit, const std::vector<View>& views);
  /// An action in flight becomes visible to the partition at `seen`.
  void tell(std::uint32_t partition, Fs seen) {
    states_[partition].unread = std::min(states_[partition].unread, seen);
  }
  /// A window begins, and the partition has read all actions in flight. Its reactions are not in
  /// its views until `set`.
  void begin(std::uint32_t partition, Fs end);

  /// The earliest possible instant of the partition.
  [[nodiscard]] Fs next(std::uint32_t partition) const {
    return std::min(states_[partition].next, states_[partition].unread);
  }
  [[nodiscard]] Fs next() const;
  /// The end of the partition's last or current window.
  [[nodiscard]] Fs reached(std::uint32_t partition) const { return states_[partition].reached; }
  /// By partition, the horizon of the next window, `longest` at most.
  void find_ends(Fs longest, std::vector<Fs>& ends);

 private:
  struct State {
    Fs next = kNever;
    Fs earliest_credit = kNever;
    Fs unread = kNever;  ///< visibility of the earliest action that it has not read
    Fs taken = kNever;   ///< actions that it has read and that its views do not include
    Fs reached;
  };
  struct BackPressure {
    std::uint32_t sender;
    std::uint32_t receiver;
  };

  [[nodiscard]] Fs& path(std::size_t from, std::size_t to) { return paths_[from * count_ + to]; }

  std::size_t count_;
  std::vector<State> states_;
  std::vector<Fs> seen_;   ///< by partition that acts and partition that sees
  std::vector<Fs> paths_;  ///< by from and to
  std::vector<BackPressure> back_pressure_;
  std::vector<Fs> first_seen_;
};

}  // namespace neardata::core
