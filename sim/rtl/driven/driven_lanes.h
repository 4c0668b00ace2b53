// SPDX-License-Identifier: Apache-2.0
//
// The other side of a driven unit's lanes (driven_unit.h): a source, which offers the next message
// as soon as its pause is over and holds it until it is taken, and a sink, which is ready but for
// its pauses and keeps what it took with its cycles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
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

/// A word that stands for no port of a lane: always set.
inline constexpr std::uint32_t kAlways = 0xFFFFFFFF;

/// A cycle that does not come.
inline constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

/// Of a lane into the unit: what waits in front of it, or the messages that it answers from. What
/// each message needs lies together: between two of them the unit has the caches for itself.
struct alignas(64) DrivenSource {
  struct Batch {
    WordBuffer words;
    WordBuffer pauses;  ///< 0 beyond its end
    std::size_t count;
  };
  struct Answer {
    std::size_t message;
    std::uint64_t due;
  };

  std::uint32_t lane;
  std::uint32_t mask;
  std::uint32_t valid;
  std::uint32_t ready;
  /// The first cycle in which the next message may be offered; never while one is, or there is
  /// none.
  std::uint64_t* due;
  const std::uint32_t* message = nullptr;  ///< of the first batch, to offer or on offer
  const std::uint32_t* pause = nullptr;    ///< before the one after it
  const std::uint32_t* pauses_end = nullptr;
  std::size_t left = 0;  ///< of the first batch, those that were not taken
  bool offered = false;
  bool answering = false;
  CycleRuns cycles{};
  WordPlaces places;
  PauseCoin coin{};
  std::deque<Batch> batches{};
  std::vector<std::uint32_t> table{};  ///< what it answers from instead
  std::deque<Answer> answers{};
  /// Memory of a batch that is over, for one to come.
  WordBuffer spare_words{}, spare_pauses{};

  /// After a reset of the unit.
  void clear() {
    coin = {};
    while (!batches.empty()) end_batch();
    left = 0;
    table = {};
    answers.clear();
    offered = answering = false;
    *due = kNoCycle;
    cycles.reset();
  }

  /// Messages before the cycle `now` takes place.
  void add(DrivenMessages& sent, std::uint64_t now) {
    const std::size_t width = places.size();
    const std::size_t count = width == 0 ? sent.own_pauses.size() : sent.own_words.size() / width;
    if (count == 0) return;
    batches.push_back({std::move(sent.own_words), std::move(sent.own_pauses), count});
    if (batches.size() == 1) begin_batch(now);
  }
  /// Messages that were not taken.
  [[nodiscard]] std::uint64_t waiting() const {
    if (answering) return answers.size();
    std::uint64_t all = left;
    for (std::size_t i = 1; i < batches.size(); ++i) all += batches[i].count;
    return all;
  }

  void answer_from(std::vector<std::uint32_t> messages) {
    table = std::move(messages);
    answering = true;
    if (!offered) *due = answers.empty() ? kNoCycle : answers.front().due;
  }
  void answer(std::size_t number, std::uint64_t at) {
    answers.push_back({number, at});
    if (answers.size() == 1 && !offered) *due = at;
  }

  /// Puts the message that is due in front of the unit. False when it rests instead.
  [[nodiscard]] bool offer(std::uint32_t* inputs) {
    if (coin.rests()) return false;
    places.scatter(answering ? table.data() + answers.front().message * places.size() : message,
                   inputs);
    inputs[valid] |= mask;
    offered = true;
    *due = kNoCycle;
    return true;
  }

  /// It was taken, and is no longer offered in the cycles to come.
  void taken(std::uint32_t* inputs, std::uint64_t now) {
    inputs[valid] &= ~mask;
    offered = false;
    cycles.add(now);
    if (answering) {
      if (!answers.empty()) answers.pop_front();
      *due = answers.empty() ? kNoCycle : answers.front().due;
    } else if (--left != 0) {
      message += places.size();
      rest_from(now + 1);
    } else {
      end_batch();
      if (!batches.empty()) begin_batch(now + 1);
    }
  }

 private:
  void begin_batch(std::uint64_t cycle) {
    const auto& [words, pauses, count] = batches.front();
    message = words.data();
    pause = pauses.data();
    pauses_end = pause + pauses.size();
    left = count;
    if (!answering) rest_from(cycle);
  }

  void rest_from(std::uint64_t cycle) {
    *due = cycle + (pause != pauses_end ? *pause++ : 0);
    need_soon(message + places.size(), places.size());
    need_soon(pause, 1);
  }

  void end_batch() {
    Batch& batch = batches.front();
    if (batch.words.capacity() > spare_words.capacity()) spare_words = std::move(batch.words);
    if (batch.pauses.capacity() > spare_pauses.capacity()) spare_pauses = std::move(batch.pauses);
    batches.pop_front();
  }
};

/// Of a lane out of the unit: what was taken in this run.
struct alignas(64) DrivenSink {
  std::uint32_t lane;
  std::uint32_t mask;
  std::uint32_t ready;
  std::uint32_t group;                       ///< of sinks whose valids are bits of one word
  std::optional<std::uint32_t> answering{};  ///< the lane that answers its messages
  std::uint32_t latency = 0;
  WordBuffer words{};
  CycleRuns cycles{};
  WordPlaces places;
  PauseCoin coin{};

  void clear() {
    coin = {};
    words.clear();
    cycles.reset();
    answering.reset();
  }
};

/// Sinks whose valids are bits of one word of the outputs: those that take what is valid.
struct DrivenTakers {
  std::uint32_t valid;
  std::uint32_t lanes = 0;
};

}  // namespace neardata::rtl
