// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_sel_buffer`: selections between the kernel and the walkers of keys and
// values, and the space that is reserved for each head.
#pragma once

#include <array>
#include <deque>

#include "unit/sparf/front/sparf_walk.h"
#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

class SparfSelections {
 public:
  enum : std::size_t { kKeys = 0, kValues = 1, kReaders = 2 };

  explicit SparfSelections(std::uint32_t beats) : free_(beats) {}

  /// The beats that a reader has not consumed.
  [[nodiscard]] std::deque<SparfSelection>& of(std::size_t reader) { return kept_[reader]; }
  [[nodiscard]] const std::deque<SparfSelection>& of(std::size_t reader) const {
    return kept_[reader];
  }
  void keep(SparfTime now, std::uint32_t beat, std::uint32_t mask) {
    for (auto& kept : kept_) kept.push_back({beat, mask, now + 1});
  }

  /// First cycle with space for this many beats; kSparfNever if it is not known yet.
  [[nodiscard]] SparfTime room_from(std::uint32_t beats) const {
    std::uint32_t free = free_;
    SparfTime since = 0;
    for (auto next = returns_.begin(); free < beats; ++next) {
      if (next == returns_.end()) return kSparfNever;
      free += next->beats;
      since = next->since;
    }
    return since;
  }
  /// Precondition: there is space.
  void reserve(SparfTime now, std::uint32_t beats) {
    while (!returns_.empty() && returns_.front().since <= now) {
      free_ += returns_.front().beats;
      returns_.pop_front();
    }
    free_ -= beats;
    reserved_.push_back(beats);
  }
  /// A reader is through with its oldest head.
  void done(std::size_t reader, SparfTime now) {
    done_[reader].push_back(now);
    while (!done_[kKeys].empty() && !done_[kValues].empty()) {
      // Both readers report the end, then the space of the head is released, one head per cycle.
      const SparfTime both = std::max(done_[kKeys].front(), done_[kValues].front()) + 1;
      last_release_ = std::max(both, last_release_ + 1);
      returns_.push_back({reserved_.front(), last_release_ + 1});
      reserved_.pop_front();
      for (auto& done : done_) done.pop_front();
    }
  }

 private:
  struct Return {
    std::uint32_t beats = 0;
    SparfTime since = 0;
  };

  std::array<std::deque<SparfSelection>, kReaders> kept_;
  std::array<std::deque<SparfTime>, kReaders> done_;
  std::deque<std::uint32_t> reserved_;
  std::deque<Return> returns_;
  std::uint32_t free_;
  SparfTime last_release_ = -1;
};

}  // namespace neardata::unit
