// SPDX-License-Identifier: Apache-2.0
//
// Counts the kernel's event strobes from predictions: levels, with edges in order, and bursts of
// strobes. A strobe is counted after its cycle has passed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "unit/sparf/sparf_events.h"

namespace neardata::unit {

class SparfKernelCounts {
 public:
  static constexpr std::size_t kEvents = SparfEvents::kKernel;
  using Totals = std::array<std::uint64_t, kEvents>;

  enum class Level : std::uint8_t {
    kHeads,     ///< are in the kernel
    kKeysIdle,  ///< ready for a job
    kValuesIdle,
    kKeysBlocked,    ///< a job waits for room
    kValuesBlocked,  ///< a job waits for its head
    kSelect,
    kFold,
  };

  /// The level changes: high from this cycle on, or low.
  void edge(Level level, std::int64_t at) {
    levels_[static_cast<std::size_t>(level)].edges.push_back(at);
  }

  /// A strobe in each of `run` cycles.
  void burst(SparfKernelEvent event, std::int64_t begin, std::int64_t run) {
    bursts(event, begin, run, run, 1);
  }
  /// `count` such bursts, which begin `period` cycles apart, at least `run`.
  void bursts(SparfKernelEvent event, std::int64_t begin, std::int64_t run, std::int64_t period,
              std::int64_t count) {
    if (count > 0) bursts_.push_back({event, begin, run, period, count});
  }

  /// Counts the cycles before `end`, no earlier than before. Edges before it are known.
  void pass(std::int64_t end);

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  static constexpr std::size_t kLevels = 7;

  struct Edges {
    std::deque<std::int64_t> edges;
    bool high = false;
  };
  struct Burst {
    SparfKernelEvent event;
    std::int64_t begin, run, period, count;
    std::int64_t counted = 0;

    [[nodiscard]] std::int64_t before(std::int64_t end) const;
  };

  [[nodiscard]] bool high(Level level) const {
    return levels_[static_cast<std::size_t>(level)].high;
  }
  void count_levels(std::int64_t cycles);
  void add(SparfKernelEvent event, std::int64_t cycles) {
    totals_[static_cast<std::size_t>(event)] += static_cast<std::uint64_t>(cycles);
  }

  std::array<Edges, kLevels> levels_;
  std::vector<Burst> bursts_;
  std::int64_t passed_ = 0;
  Totals totals_{};
};

}  // namespace neardata::unit
