// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_nfc_channel`: the time at which the last line of each page of a flash
// channel enters its ring. No event outside of the channel delays it, so a page is computed at its
// announcement: line by line in closed form or, if its beats arrive faster than the channel accepts
// them, beat by beat.
#pragma once

#include <array>

#include "core/clock.h"
#include "unit/sparf/flash/sparf_ring_slots.h"
#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

class SparfNfcChannel {
 public:
  /// Of channel `channel` of `channels`.
  SparfNfcChannel(std::uint32_t channel, std::uint32_t channels, const core::Clock& clock);

  struct Passed {
    SparfTime slot = 0;       ///< of the page's last line
    std::uint64_t waits = 0;  ///< cycles in which a beat waited for the channel
  };
  /// Pages are in the order of the bus; no beat is available before cycle `visible`.
  Passed pass(const SparfPage& page, const SparfPageLayout& layout, SparfTime visible);

 private:
  static constexpr std::uint32_t kQueueBeats = 32;

  /// First cycle at which a beat of the present page has crossed the bus.
  [[nodiscard]] SparfTime there(std::int64_t beat) const;
  /// The channel's first slot in `cycle` or later at the bank of this line of a ring.
  [[nodiscard]] SparfTime slot_from(SparfTime cycle, std::uint32_t line) const;
  SparfTime push(std::int64_t beat, Passed& passed);
  [[nodiscard]] bool pass_by_lines(const SparfPageLayout& layout, SparfTime begin, Passed& passed);
  void pass_by_beats(const SparfPageLayout& layout, SparfTime begin, Passed& passed);

  std::array<SparfTime, 2> slots_;  ///< the first one at each bank
  SparfTime period_;                ///< after which they repeat
  core::Clock clock_;
  BeatTimes beats_;
  bool zeros_ = false;  ///< the page is unreadable: zeros pass in its place
  SparfTime visible_ = 0;
  double cycles_per_tick_ = 0;
  // State after the earlier pages.
  SparfTime last_push_ = -1;
  SparfTime last_pop_ = -1;
  SparfTime may_ask_ = 0;                     ///< nothing of the previous page is in flight
  SparfTime last_slot_ = -1;                  ///< in which the last line left
  std::uint64_t beat_ = 0;                    ///< of all pages, the next one
  std::array<SparfTime, kQueueBeats> heads_;  ///< since when the last beats were the oldest
};

}  // namespace neardata::unit
