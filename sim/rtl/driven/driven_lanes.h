// SPDX-License-Identifier: Apache-2.0
//
// The other side of a driven unit's lanes (driven_unit.h): a source, which offers the next message
// after its pause and keeps it valid until acceptance, and a sink, which is ready except in its
// pauses and records messages with their cycles.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/splitmix64.h"
#include "rtl/driven/driven_run.h"
#include "rtl/driven/driven_words.h"

namespace neardata::rtl {

/// A coin that falls on "rest" with a probability.
class PauseCoin {
 public:
  PauseCoin() = default;
  explicit PauseCoin(const DrivenPauses& of)
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

/// A word that belongs to no port of a lane: always set.
inline constexpr std::uint32_t kAlways = 0xFFFFFFFF;

/// Lanes of one stream side by side: their valids are bits of one word, their readys of another.
struct DrivenGroup {
  bool into;
  std::uint32_t own;    ///< the word of inputs with the open lanes as bits; or kAlways
  std::uint32_t lane;   ///< of bit 0, modulo 2^32 where that has none
  std::uint32_t place;  ///< of that lane among the sources or the sinks, so too
  std::uint32_t width;  ///< words of a message
  WordPlaces places;
};

/// The state of a group that decides whether messages move.
struct DrivenGate {
  /// Lanes with a message to offer, or ready to accept one.
  std::uint32_t open = 0;
  std::uint32_t says;  ///< the word of outputs with the unit's valid or ready bits
  [[nodiscard]] std::uint32_t moving(const std::uint32_t* outputs) const {
    return open & outputs[says];
  }
};

/// State that each message of a lane into the unit needs, half a cache line: the model of the unit
/// evicts it between two messages.
struct alignas(32) DrivenFront {
  const std::uint32_t* message = nullptr;  ///< to offer or on offer
  std::size_t left = 0;                    ///< messages behind `message`, and it; 1 of answers
  std::uint64_t moved = 0;                 ///< in this run
  std::uint32_t group;
  std::uint8_t bit;
  bool pausing = false;  ///< the source may pause at random
};

/// The cycles in which messages of lanes into the unit are due, at most one per lane: sets of lanes
/// for the next cycles, and a list of those that wait longer.
class DrivenSchedule {
 public:
  /// Lanes of a set.
  static constexpr std::size_t kSet = 64;

  explicit DrivenSchedule(std::size_t lanes)
      : sets_((lanes + kSet - 1) / kSet), soon_(sets_ * kSpan), later_(lanes, kNoCycle) {}

  [[nodiscard]] std::size_t sets() const { return sets_; }
  /// A lane is due in the cycle `due`; `next` is the first cycle whose lanes were not removed.
  void add(std::size_t lane, std::uint64_t due, std::uint64_t next) {
    if (due - next < kSpan) [[likely]] {
      soon(due)[lane / kSet] |= std::uint64_t{1} << lane % kSet;
    } else {
      later_[lane] = due;
    }
  }
  /// The lanes of a set that are due, after `look`.
  [[nodiscard]] std::uint64_t take(std::size_t set, std::uint64_t cycle) {
    return std::exchange(soon(cycle)[set], 0);
  }
  /// Called once per cycle, before lanes are removed.
  void look(std::uint64_t cycle) {
    if (cycle % kSpan != 0) [[likely]]
      return;
    for (std::size_t lane = 0; lane < later_.size(); ++lane) {
      if (later_[lane] - cycle < kSpan) add(lane, std::exchange(later_[lane], kNoCycle), cycle);
    }
  }
  /// None is due, and cycle 0 is the next one.
  void clear() {
    std::ranges::fill(soon_, 0);
    std::ranges::fill(later_, kNoCycle);
  }

 private:
  static constexpr std::uint64_t kSpan = 64;  ///< cycles
  static constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::uint64_t* soon(std::uint64_t cycle) {
    return soon_.data() + cycle % kSpan * sets_;
  }

  std::size_t sets_;
  std::vector<std::uint64_t> soon_;
  std::vector<std::uint64_t> later_;
};

/// A lane into the unit: its pending messages, or the table of its answers.
class DrivenSource {
 public:
  /// The `lane`-th of those into the unit.
  DrivenSource(std::size_t width, std::size_t lane, DrivenFront& front, DrivenSchedule& schedule)
      : width_(width), lane_(lane), front_(&front), schedule_(&schedule) {}

  /// After a reset of the unit, whose schedule is empty.
  void clear() {
    flip({});
    while (!batches_.empty()) end_batch();
    table_ = {};
    answers_.clear();
    answering_ = false;
    front_->left = 0;
    front_->moved = 0;
  }

  /// Another coin decides on pauses from here on.
  void flip(PauseCoin coin) {
    coin_ = coin;
    front_->pausing = coin.pauses();
  }
  [[nodiscard]] bool rests() { return coin_.rests(); }

  /// Copies new messages, each with its pause before it.
  [[nodiscard]] WordBuffer keep(std::span<const std::uint32_t> words,
                                std::span<const std::uint32_t> pauses) {
    WordBuffer all = std::move(spare_);
    all.clear();
    const std::size_t count = width_ == 0 ? pauses.size() : words.size() / width_;
    std::uint32_t* to = all.extend(count * (1 + width_));
    for (std::size_t i = 0; i < count; ++i) {
      *to++ = i < pauses.size() ? pauses[i] : 0;
      to = std::copy_n(words.data() + i * width_, width_, to);
    }
    return all;
  }
  /// Recorded messages. `next` is the next cycle to simulate, here and below.
  void add(WordBuffer kept, std::uint64_t next) {
    if (kept.size() == 0) return;
    batches_.push_back(std::move(kept));
    if (batches_.size() == 1) begin_batch(next);
  }
  /// Messages that were not transferred.
  [[nodiscard]] std::uint64_t waiting() const {
    if (answering_) return answers_.size();
    std::uint64_t all = front_->left;
    for (std::size_t i = 1; i < batches_.size(); ++i) all += batches_[i].size() / (1 + width_);
    return all;
  }

  [[nodiscard]] bool answers() const { return answering_; }
  /// Whether it can continue: no message of another kind is pending, and the table contains the
  /// requested messages.
  [[nodiscard]] bool can_answer_from(std::span<const std::uint32_t> messages) const {
    const auto inside = [this, messages](const Answer& one) {
      return (one.message + 1) * width_ <= messages.size();
    };
    return batches_.empty() && std::ranges::all_of(answers_, inside);
  }
  void answer_from(std::vector<std::uint32_t> messages) {
    table_ = std::move(messages);
    answering_ = true;
    front_->left = 1;
    if (!answers_.empty()) front_->message = answer_words();
  }
  /// False if the message does not exist.
  [[nodiscard]] bool answer(std::size_t number, std::uint64_t due, std::uint64_t next) {
    if ((number + 1) * width_ > table_.size()) return false;
    answers_.push_back({number, due});
    if (answers_.size() == 1) begin_answer(next);
    return true;
  }

  /// The last message of a batch, or an answer, was transferred.
  void over(std::uint64_t next) {
    if (answering_) {
      answers_.pop_front();
      if (!answers_.empty()) begin_answer(next);
    } else {
      end_batch();
      if (!batches_.empty()) begin_batch(next);
    }
  }

 private:
  struct Answer {
    std::size_t message;
    std::uint64_t due;
  };

  void begin_batch(std::uint64_t next) {
    const WordBuffer& first = batches_.front();
    front_->message = first.data() + 1;
    front_->left = first.size() / (1 + width_);
    schedule_->add(lane_, next + *first.data(), next);
  }
  void end_batch() {
    if (batches_.front().capacity() > spare_.capacity()) spare_ = std::move(batches_.front());
    batches_.pop_front();
  }
  void begin_answer(std::uint64_t next) {
    front_->message = answer_words();
    front_->left = 1;
    schedule_->add(lane_, std::max(answers_.front().due, next), next);
  }
  [[nodiscard]] const std::uint32_t* answer_words() const {
    return table_.data() + answers_.front().message * width_;
  }

  std::size_t width_;
  std::size_t lane_;
  DrivenFront* front_;
  DrivenSchedule* schedule_;
  PauseCoin coin_;
  std::deque<WordBuffer> batches_;
  std::vector<std::uint32_t> table_;
  bool answering_ = false;
  std::deque<Answer> answers_;
  WordBuffer spare_;  ///< memory of a finished batch, for a later one
};

/// Receives messages of a lane out of the unit, for one run.
struct alignas(64) DrivenSink {
  WordBuffer words{};
  std::uint64_t moved = 0;  ///< in this run
  std::uint32_t group;
  std::uint32_t mask;
  std::optional<std::uint32_t> answering{};  ///< the source that answers its messages
  std::uint32_t latency = 0;
  PauseCoin coin{};

  void clear() {
    coin = {};
    words.clear();
    moved = 0;
    answering.reset();
  }
};

/// The cycles in which messages of lanes moved. Moves are collected in one buffer first: the lists
/// of lanes are far apart in memory, and the model of the unit evicts them from the cache in every
/// cycle.
class DrivenMoves {
 public:
  explicit DrivenMoves(std::size_t lanes) : cycles_(lanes) {}

  /// Messages of these lanes of a group.
  void add(std::uint64_t cycle, std::uint32_t group, std::uint32_t lanes,
           std::span<const DrivenGroup> groups) {
    waiting_[count_++] = {cycle, group, lanes};
    if (count_ == waiting_.size()) [[unlikely]]
      sort_moves(groups);
  }
  [[gnu::noinline]] void sort_moves(std::span<const DrivenGroup> groups) {
    for (const Move& move : std::span(waiting_).first(count_)) {
      const std::uint32_t lane = groups[move.group].lane;
      for (std::uint32_t rest = move.lanes; rest != 0; rest &= rest - 1) {
        cycles_[lane + static_cast<unsigned>(std::countr_zero(rest))].add(move.cycle);
      }
    }
    count_ = 0;
  }

  /// Cycles of one lane; call after `sort_moves`.
  [[nodiscard]] std::span<const std::uint32_t> cycles(std::uint32_t lane) const {
    return cycles_[lane].words();
  }
  /// Another run begins.
  void begin() {
    for (CycleRuns& cycles : cycles_) cycles.begin();
  }
  /// Cycle 0 is the next one.
  void reset() {
    for (CycleRuns& cycles : cycles_) cycles.reset();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 256;
  struct Move {
    std::uint64_t cycle;
    std::uint32_t group;
    std::uint32_t lanes;
  };

  std::vector<CycleRuns> cycles_;
  std::array<Move, kMost> waiting_;
  std::size_t count_ = 0;
};

}  // namespace neardata::rtl
