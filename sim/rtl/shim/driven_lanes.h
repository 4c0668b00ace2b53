// SPDX-License-Identifier: Apache-2.0
//
// The other side of a driven unit's lanes (driven_loop.h): a source, which offers the next message
// after its pause and keeps it valid until acceptance, and a sink, which is ready except in its
// pauses and records messages with their cycles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/splitmix64.h"
#include "rtl/shim/driven_plugin.h"
#include "rtl/shim/driven_words.h"

namespace neardata::rtl {

/// A coin that falls on "rest" with a probability.
class PauseCoin {
 public:
  PauseCoin() = default;
  explicit PauseCoin(const NeardataDrivenPauses& of)
      : random_(of.seed), threshold_(static_cast<std::uint64_t>(of.probability * kTwoTo53)) {}
  /// Whether it ever falls so.
  [[nodiscard]] bool pauses() const { return threshold_ != 0; }
  [[nodiscard]] bool rests() {
    return threshold_ != 0 && (random_.next() >> kDropped) < threshold_;
  }

 private:
  static constexpr double kTwoTo53 = 9007199254740992.0;
  static constexpr unsigned kDropped = 11;
  core::SplitMix64 random_{0};
  std::uint64_t threshold_ = 0;
};

/// State that each message of a lane into the unit needs, half a cache line: the model of the unit
/// evicts it between two messages.
struct alignas(32) DrivenFront {
  const std::uint32_t* message = nullptr;  ///< to offer or on offer
  std::size_t left = 0;                    ///< messages behind `message`, and it; 1 of answers
  std::uint64_t moved = 0;                 ///< in this run
  bool paused = false;                     ///< a word with its pause is before each message
  bool pausing = false;                    ///< the source may pause at random
};

/// Lanes of a set of a schedule.
inline constexpr std::size_t kScheduleSet = 64;

/// The cycles in which messages of lanes into the unit are due, at most one per lane: sets of lanes
/// for the next cycles, and a list of those that wait longer.
template <std::size_t Lanes>
class DrivenSchedule {
 public:
  static constexpr std::size_t kSets = (Lanes + kScheduleSet - 1) / kScheduleSet;

  DrivenSchedule() { clear(); }

  /// A lane is due in the cycle `due`; `next` is the first cycle whose lanes were not removed.
  void add(std::size_t lane, std::uint64_t due, std::uint64_t next) {
    if (due - next < kSpan) [[likely]] {
      soon_[due % kSpan][lane / kScheduleSet] |= std::uint64_t{1} << lane % kScheduleSet;
    } else {
      later_[lane] = due;
    }
  }
  /// The lanes that are due, after `look`.
  [[nodiscard]] std::array<std::uint64_t, kSets> take(std::uint64_t cycle) {
    return std::exchange(soon_[cycle % kSpan], {});
  }
  /// Called once per cycle, before lanes are removed.
  void look(std::uint64_t cycle) {
    if (cycle % kSpan != 0) [[likely]]
      return;
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      if (later_[lane] - cycle < kSpan) add(lane, std::exchange(later_[lane], kNoCycle), cycle);
    }
  }
  /// None is due, and cycle 0 is the next one.
  void clear() {
    soon_ = {};
    later_.fill(kNoCycle);
  }

 private:
  static constexpr std::uint64_t kSpan = 64;  ///< cycles
  static constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

  std::array<std::array<std::uint64_t, kSets>, kSpan> soon_;
  std::array<std::uint64_t, Lanes> later_;
};

/// A lane into the unit: its pending messages, or the table of its answers. Where a function
/// returns a cycle, the lane has a next message, due in that cycle or in a later one; `next` is the
/// next cycle to simulate.
class DrivenSource {
 public:
  using Due = std::optional<std::uint64_t>;

  /// After a reset of the unit.
  void clear(DrivenFront& front) {
    *this = {};
    front = {};
  }

  /// Another coin decides on pauses from here on.
  void flip(PauseCoin coin, DrivenFront& front) {
    coin_ = coin;
    front.pausing = coin.pauses();
  }
  [[nodiscard]] bool rests() { return coin_.rests(); }

  [[nodiscard]] Due add(const NeardataDrivenMessages& sent, DrivenFront& front,
                        std::uint64_t next) {
    if (sent.count == 0) return std::nullopt;
    batches_.push_back(sent);
    return batches_.size() == 1 ? begin_batch(front, next) : Due();
  }
  /// Messages that were not transferred.
  [[nodiscard]] std::uint64_t waiting(const DrivenFront& front) const {
    if (answering_) return answers_.size();
    std::uint64_t all = front.left;
    for (std::size_t i = 1; i < batches_.size(); ++i) all += batches_[i].count;
    return all;
  }

  void answer_from(const NeardataDrivenAnswers& table, std::uint32_t width, DrivenFront& front) {
    table_ = {table.words, table.count};
    width_ = width;
    answering_ = true;
    if (!answers_.empty()) front.message = answer_words();
  }
  [[nodiscard]] std::uint64_t answers_needed() const {
    std::uint64_t all = 0;
    for (const Answer& one : answers_) all = std::max<std::uint64_t>(all, one.message + 1);
    return all;
  }
  [[nodiscard]] bool can_answer(std::uint64_t number) const { return number < table_.count; }
  [[nodiscard]] Due answer(std::uint64_t number, std::uint64_t due, DrivenFront& front,
                           std::uint64_t next) {
    answers_.push_back({number, due});
    return answers_.size() == 1 ? begin_answer(front, next) : Due();
  }

  /// The last message of a batch, or an answer, was transferred.
  [[nodiscard]] Due over(DrivenFront& front, std::uint64_t next) {
    if (answering_) {
      answers_.pop_front();
      return answers_.empty() ? Due() : begin_answer(front, next);
    }
    batches_.pop_front();
    return batches_.empty() ? Due() : begin_batch(front, next);
  }

 private:
  struct Answer {
    std::uint64_t message;
    std::uint64_t due;
  };

  [[nodiscard]] std::uint64_t begin_batch(DrivenFront& front, std::uint64_t next) const {
    const NeardataDrivenMessages& first = batches_.front();
    front.paused = first.paused;
    front.message = first.words + (first.paused ? 1 : 0);
    front.left = first.count;
    return next + (first.paused ? *first.words : 0);
  }
  [[nodiscard]] std::uint64_t begin_answer(DrivenFront& front, std::uint64_t next) const {
    front.message = answer_words();
    front.left = 1;
    return std::max(answers_.front().due, next);
  }
  [[nodiscard]] const std::uint32_t* answer_words() const {
    return table_.values + answers_.front().message * width_;
  }

  PauseCoin coin_;
  std::deque<NeardataDrivenMessages> batches_;
  NeardataSpan<std::uint32_t> table_;  ///< `count` is of messages
  std::uint32_t width_ = 0;            ///< of a message of the table
  bool answering_ = false;
  std::deque<Answer> answers_;
};

/// Receives messages of a lane out of the unit, for one run.
struct alignas(64) DrivenSink {
  WordBuffer words{};
  std::uint64_t moved = 0;  ///< in this run
  bool answered = false;
  std::uint32_t answering = 0;  ///< the source that answers its messages
  std::uint32_t latency = 0;
  PauseCoin coin{};

  /// After a reset of the unit.
  void clear() {
    coin = {};
    answered = false;
  }
};

/// The cycles in which messages of lanes moved. The cycles of a block are bits of one word per lane
/// first: the lists of lanes are far apart in memory, and the model of the unit evicts them from
/// the cache in every cycle.
template <std::size_t Lanes>
class DrivenMoves {
 public:
  void add(std::size_t lane, std::uint64_t cycle) {
    block_[lane] |= std::uint64_t{1} << cycle % kBlock;
  }
  /// Called after each cycle.
  void end(std::uint64_t cycle) {
    if (cycle % kBlock == kBlock - 1) [[unlikely]]
      sort(cycle);
  }
  /// Moves the bits up to `cycle`, of the present block, to the lists.
  [[gnu::noinline]] void sort(std::uint64_t cycle) {
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      cycles_[lane].add_bits(cycle - cycle % kBlock, std::exchange(block_[lane], 0));
    }
  }

  /// Cycles of one lane, valid until the next run; call after `sort`.
  [[nodiscard]] std::span<const std::uint32_t> cycles(std::size_t lane) const {
    return cycles_[lane].words();
  }
  /// Another run begins.
  void begin() {
    for (CycleRuns& cycles : cycles_) cycles.begin();
  }
  /// Cycle 0 is the next one.
  void reset() {
    for (CycleRuns& cycles : cycles_) cycles.reset();
    block_.fill(0);
  }

 private:
  static constexpr std::uint64_t kBlock = CycleRuns::kBitCycles;

  std::array<std::uint64_t, Lanes> block_{};
  std::array<CycleRuns, Lanes> cycles_;
};

}  // namespace neardata::rtl
