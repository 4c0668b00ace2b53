// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/flash/sparf_nfc.h"

#include <cmath>

namespace neardata::unit {

namespace {

// From the slot in which a page's record is requested: the beat of an unreadable page is dropped,
// the first beat of a readable page is sent to the filter.
constexpr SparfTime kAskToDrop = 1;
constexpr SparfTime kAskToBeat = 3;
// A beat passes the queue and its output register, the filter's register and the one after it, and
// joins its line.
constexpr SparfTime kPushToBeat = 2;
constexpr SparfTime kBeatToPacker = 2;
constexpr SparfTime kPackerToLine = 1;
// The filter's idle state becomes visible after its last beat; then the next page may request its
// record.
constexpr SparfTime kLastToAsk = 2;
constexpr double kNearEdge = 1e-3;  ///< cycles: far above the rounding of doubles

/// A line of a page: its first and its last passed beats, as beats of the page.
struct Line {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::int64_t last = 0;
  std::uint32_t beats = 0;
};

/// The lines of a page, in order, until `take` returns false.
template <typename Take>
bool each_line(const SparfPageLayout& layout, Take take) {
  Line line;
  for (SparfRows rows = layout.rows; !rows.empty();) {
    const std::int64_t row = std::int64_t{rows.first()} * layout.row_beats;
    rows.drop_first();
    const bool ends = layout.split || rows.empty();
    for (std::uint32_t beat = 0; beat < layout.used_beats;) {
      const std::uint32_t beats = std::min(kBeatsPerLine - line.beats, layout.used_beats - beat);
      if (line.beats == 0) line.first = row + beat;
      if (line.beats < 2 && line.beats + beats >= 2) line.second = row + beat + (1 - line.beats);
      line.beats += beats;
      beat += beats;
      if (line.beats < kBeatsPerLine && !(ends && beat == layout.used_beats)) break;
      line.last = row + beat - 1;
      if (!take(line)) return false;
      line.beats = 0;
    }
  }
  return true;
}

}  // namespace

SparfNfcChannel::SparfNfcChannel(std::uint32_t channel, std::uint32_t channels,
                                 const core::Clock& clock)
    : slots_{SparfRingSlots(channels).first(channel, 0),
             SparfRingSlots(channels).first(channel, SparfRingSlots(channels).banks - 1)},
      period_(SparfRingSlots(channels).period()),
      clock_(clock) {
  heads_.fill(-kSparfNever);
}

SparfTime SparfNfcChannel::there(std::int64_t beat) const {
  const double cycle = static_cast<double>(beats_.first + beat * beats_.step) * cycles_per_tick_;
  const double edge = std::rint(cycle);
  if (std::abs(cycle - edge) > kNearEdge) {
    return std::max(visible_, static_cast<SparfTime>(std::ceil(cycle)));
  }
  return std::max(visible_, clock_.at_or_after(beats_.at(beat)).value);
}

SparfTime SparfNfcChannel::slot_from(SparfTime cycle, std::uint32_t line) const {
  const SparfTime past = (cycle - slots_[line % slots_.size()]) % period_;
  return past == 0 ? cycle : cycle + (past < 0 ? -past : period_ - past);
}

SparfNfcChannel::Passed SparfNfcChannel::pass(const SparfPage& page, const SparfPageLayout& layout,
                                              SparfTime visible) {
  constexpr double kNsPerSecond = 1e9;
  beats_ = page.beats;
  zeros_ = page.error;
  visible_ = visible;
  cycles_per_tick_ = static_cast<double>(clock_.frequency().value) /
                     (kNsPerSecond * static_cast<double>(beats_.ticks_per_ns));
  Passed passed;
  const SparfTime head = push(0, passed);
  const SparfTime asked = slot_from(std::max(head, may_ask_), 0);
  if (zeros_) last_pop_ = asked + kAskToDrop;
  if (!pass_by_lines(layout, asked + kAskToBeat, passed)) {
    pass_by_beats(layout, asked + kAskToBeat, passed);
  }
  return passed;
}

/// A beat enters the queue, whose signal for two free entries lags by one cycle. Returns the cycle
/// from which the beat is the oldest, given the known departures of the earlier beats.
SparfTime SparfNfcChannel::push(std::int64_t beat, Passed& passed) {
  const SparfTime offered = std::max(there(beat), last_push_ + 1);
  const SparfTime room_at_once = heads_[beat_ % kQueueBeats] + 1;
  const SparfTime room = heads_[(beat_ + 1) % kQueueBeats] + 1;
  const bool at_once = offered == last_push_ + 1 && offered >= room_at_once;
  last_push_ = at_once ? offered : std::max(offered, room);
  passed.waits += static_cast<std::uint64_t>(last_push_ - offered);
  const SparfTime head = std::max(last_push_ + kPushToBeat, last_pop_ + 1);
  heads_[beat_++ % kQueueBeats] = head;
  return head;
}

/// The fast path for beats of at least a cycle each and a queue that is never full: beat j is
/// accepted at the later of `start` + j and its arrival. `start` increases when a line has to wait
/// for a slot. A waiting line stalls the filter from the second beat of the next line on. Once a
/// line leaves at the arrival of its last beat, and the interval of lines is at least the period of
/// slots at a bank, all later lines do the same.
bool SparfNfcChannel::pass_by_lines(const SparfPageLayout& layout, SparfTime begin,
                                    Passed& passed) {
  constexpr SparfTime kSlack = kQueueBeats - 2;
  constexpr std::uint32_t kLeastBeats = 3;
  const bool slow = static_cast<double>(beats_.step) * cycles_per_tick_ >= 1;
  if (!zeros_ && !slow) return false;
  const SparfTime pushed = last_push_;
  SparfTime start = begin;
  SparfTime slot = last_slot_;
  SparfTime moved = 0;
  std::uint32_t place = layout.base;  // of the next line in the ring
  bool held = false;
  bool steady = false;
  const double line_cycles =
      kBeatsPerLine * static_cast<double>(beats_.step) * cycles_per_tick_ - kNearEdge;
  const bool whole_lines = !zeros_ && layout.used_beats % kBeatsPerLine == 0 &&
                           line_cycles >= static_cast<double>(period_);
  const auto came = [&](std::int64_t beat) {
    return zeros_ ? SparfTime{0} : there(beat) + kPushToBeat;
  };
  const auto fits = [&](std::int64_t beat, SparfTime at) {
    return zeros_ || start - kSlack <= std::max(pushed, at - kPushToBeat - beat);
  };
  const auto line = [&](const Line& next) {
    if (next.beats < kLeastBeats) return false;
    if (held) start = std::max(start, moved + 1 - (next.second + 1));
    const SparfTime at = came(next.last);
    if (!fits(next.last, at)) return false;
    const SparfTime packed = std::max(start + next.last, at) + kBeatToPacker;
    moved = std::max(packed, slot);
    held = moved > packed;
    slot = slot_from(moved + kPackerToLine, place++);
    steady = whole_lines && !held && start + next.last <= at && at > visible_ + kPushToBeat;
    return !steady;
  };
  if (!each_line(layout, line) && !steady) return false;
  if (steady) {
    const std::int64_t end =
        std::int64_t{layout.rows.last()} * layout.row_beats + layout.used_beats;
    moved = came(end - 1) + kBeatToPacker;
    slot = slot_from(moved + kPackerToLine, layout.base + layout.kept() / kBeatsPerLine - 1);
  }
  const std::int64_t last = layout.beats - 1;
  const SparfTime at = came(last);
  if (!fits(last, at)) return false;
  const SparfTime taken = std::max(start + last, at);
  if (!zeros_) {
    last_push_ = std::max(at - kPushToBeat, pushed + last);
    last_pop_ = taken;
    heads_.fill(-kSparfNever);
  }
  last_slot_ = passed.slot = slot;
  may_ask_ = std::max(taken + kLastToAsk, moved + 1);
  return true;
}

/// The same from the filter to the line. The filter has capacity for one beat, the stage after it
/// for two, and the next one for a line.
void SparfNfcChannel::pass_by_beats(const SparfPageLayout& layout, SparfTime begin,
                                    Passed& passed) {
  SparfTime least = begin;  // of the next beat in the filter
  SparfTime taken = 0;
  SparfTime packed = 0;  // the last two beats left for the packer
  SparfTime packed_before = 0;
  SparfTime head = last_push_ + kPushToBeat;
  std::uint32_t place = layout.base;  // of the next line in the ring
  std::int64_t beat = 0;
  const auto take = [&] {
    if (beat > 0 && !zeros_) head = push(beat, passed);
    taken = zeros_ ? least : std::max(least, head);
    if (!zeros_) last_pop_ = taken;
    least = taken + 1;
    ++beat;
  };
  const auto keep = [&](SparfTime slot) {
    take();
    const SparfTime aside = std::max(taken + 1, packed_before + 1);
    least = std::max(least, aside);
    packed_before = packed;
    packed = std::max({aside + 1, packed + 1, slot});
  };
  static_cast<void>(each_line(layout, [&](const Line& line) {
    for (std::uint32_t i = 1; i <= line.beats; ++i) {
      // Beats of rows, or of their ends, that do not pass.
      while (!layout.rows.has(static_cast<std::uint32_t>(beat / layout.row_beats)) ||
             beat % layout.row_beats >= layout.used_beats) {
        take();
      }
      keep(i == line.beats ? last_slot_ : 0);
    }
    last_slot_ = slot_from(packed + kPackerToLine, place++);
    return true;
  }));
  while (beat < layout.beats) take();
  passed.slot = last_slot_;
  may_ask_ = std::max(taken + kLastToAsk, packed + 1);
}

}  // namespace neardata::unit
