// SPDX-License-Identifier: Apache-2.0
//
// Counts the unit's event strobes: totals, over time, and the phases as spans. Bit i of an events
// word is the strobe `NdpEvent` i of `dimm_ndp`. Cycles of one event may be added in any
// order; phases must be added in order of time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/series.h"
#include "core/time.h"

namespace neardata::unit {

enum class NdpEvent : std::uint8_t {
  kSlotStart = 0,
  kNewWeightSlot = 1,
  kStallWeights = 2,
  kStallOperand = 3,
  kStallOutput = 4,
  kActBatchStart = 5,
  kActBusy = 6,
  kDescriptorAccepted = 7,
  kDescriptorDone = 8,
  kInputStored = 9,
  kOutputAccepted = 10,
  kIdle = 11,
  kPassStart = 12,
  kPhaseDown = 13,
  kPhaseLoad = 14,
  kPhaseGateUp = 15,
};
inline constexpr std::size_t kNdpEvents = 16;
/// Counter of the series after the events: bytes that reached the unit.
inline constexpr std::size_t kBytesRead = kNdpEvents;
inline constexpr std::size_t kNdpCounters = kNdpEvents + 1;

class NdpEvents {
 public:
  struct PhaseSpan {
    NdpEvent phase;
    std::int64_t begin;
    std::int64_t end;  ///< exclusive
  };

  explicit NdpEvents(std::size_t bins) : series_(bins) {}

  /// All strobes of cycle `at`, repeated for `count` cycles.
  void strobes(std::uint32_t word, std::int64_t at, std::int64_t count = 1) {
    if (count == 1) {
      auto& bin = series_.place(at).bin;
      for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
        const auto event = static_cast<std::size_t>(std::countr_zero(rest));
        ++bin[event];
        ++totals_[event];
      }
    } else {
      for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
        const auto event = static_cast<std::size_t>(std::countr_zero(rest));
        series_.add_span(event, at, count);
        totals_[event] += static_cast<std::uint64_t>(count);
      }
    }
    const std::uint32_t phase = word & kPhases;
    if (phase != 0) {
      extend(static_cast<NdpEvent>(std::countr_zero(phase)), at, at + count);
    }
  }

  /// One event in each of the cycles [at, at + count).
  void add(NdpEvent event, std::int64_t at, std::int64_t count = 1) {
    if (count > 0) strobes(1U << static_cast<unsigned>(event), at, count);
  }

  void bytes_read(std::int64_t at, std::uint64_t bytes) {
    series_.add(kBytesRead, at, bytes);
    bytes_read_ += bytes;
  }

  [[nodiscard]] std::uint64_t total(NdpEvent event) const {
    return totals_[static_cast<std::size_t>(event)];
  }
  [[nodiscard]] const std::array<std::uint64_t, kNdpEvents>& totals() const { return totals_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] const core::BinnedSeries<kNdpCounters>& series() const { return series_; }
  /// The first phases of a run; later ones do not fit the record.
  [[nodiscard]] const std::vector<PhaseSpan>& phases() const { return phases_; }

 private:
  static constexpr std::uint32_t kPhases = 0xE000;
  static constexpr std::size_t kMaxPhases = 4096;

  void extend(NdpEvent phase, std::int64_t begin, std::int64_t end) {
    if (!phases_.empty() && phases_.back().phase == phase && phases_.back().end == begin) {
      phases_.back().end = end;
    } else if (phases_.size() < kMaxPhases) {
      phases_.push_back({phase, begin, end});
    }
  }

  core::BinnedSeries<kNdpCounters> series_;
  std::array<std::uint64_t, kNdpEvents> totals_{};
  std::uint64_t bytes_read_ = 0;
  std::vector<PhaseSpan> phases_;
};

/// Strobes of a unit that reports them in every cycle: a sequence of equal words is counted once,
/// at its end.
class NdpStrobes {
 public:
  explicit NdpStrobes(NdpEvents& events) : events_(events) {}

  void add(std::uint32_t word, core::Cycle at, std::int64_t count = 1) {
    if (word != word_ || at != end_) {
      flush();
      word_ = word;
      begin_ = at;
    }
    end_ = at + core::Cycle{count};
  }
  void flush() {
    if (begin_ < end_) events_.strobes(word_, begin_.value, (end_ - begin_).value);
    begin_ = end_;
  }

 private:
  NdpEvents& events_;
  std::uint32_t word_ = 0;
  core::Cycle begin_;
  core::Cycle end_;
};

}  // namespace neardata::unit
