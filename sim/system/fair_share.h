// SPDX-License-Identifier: Apache-2.0
//
// One direction of a link that several users share: transfers of a user follow one another over its
// own lanes, and those at the head share the link's rate in equal parts, none faster than its
// lanes. As long as the link is no narrower than the lanes in use, a transfer takes what it takes
// over the lanes alone. Times are exact but for the end of a transfer, which is rounded down to a
// femtosecond.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/time.h"

namespace neardata::system {

class FairShare {
 public:
  /// A transfer of a user has begun, or has ended.
  struct Event {
    std::size_t user = 0;
    bool ended = false;
    core::ByteCount bytes;
    core::Fs begun;
    core::Fs at;
  };

  /// Rates in bytes a second; that of the link is one for each user at least.
  FairShare(std::size_t users, std::int64_t lane_rate, std::int64_t link_rate)
      : waiting_(users), lane_rate_(lane_rate), link_rate_(link_rate) {}

  /// A transfer that is ready at `ready`, to which nothing has been carried on yet; those of a user
  /// in order.
  void add(std::size_t user, core::Fs ready, core::ByteCount bytes);
  /// Carries on to `now`: what happened until then, in order.
  [[nodiscard]] std::vector<Event> advance(core::Fs now);
  /// When the next transfer ends unless others are added; kNever when none is under way.
  [[nodiscard]] core::Fs next() const;

  [[nodiscard]] std::size_t transfers() const;
  /// Time in which anything was carried.
  [[nodiscard]] core::Fs busy() const { return busy_; }

 private:
  struct Transfer {
    core::ByteCount bytes;
    core::Fs ready;
    bool under_way = false;
    core::Fs begun;
    __int128 left = 0;  ///< bytes times femtoseconds a second
  };

  bool begin_and_end(std::vector<Event>& events);
  /// Of each transfer under way.
  [[nodiscard]] std::int64_t rate() const;
  [[nodiscard]] core::Fs end_of(const Transfer& transfer) const;

  std::vector<std::deque<Transfer>> waiting_;  ///< by user, the one under way first
  std::int64_t lane_rate_;
  std::int64_t link_rate_;
  std::int64_t under_way_ = 0;
  core::Fs now_;
  core::Fs busy_;
};

}  // namespace neardata::system
