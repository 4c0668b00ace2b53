// SPDX-License-Identifier: Apache-2.0
//
// The other side of a driven unit's lanes (driven_unit.h): a source, which offers the next message
// as soon as its pause is over and holds it until it is taken, and a sink, which is ready but for
// its pauses and keeps what it took with its cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/splitmix64.h"
#include "rtl/driven/driven_run.h"

namespace neardata::rtl {

/// A coin that falls on "rest" with a probability.
class PauseCoin {
 public:
  PauseCoin() = default;
  explicit PauseCoin(const DrivenPauses& of)
      : random_(of.seed), threshold_(static_cast<std::uint64_t>(of.probability * kTwoTo53)) {}
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

/// Cycles as pairs of the first one in a row and how many.
class CycleRuns {
 public:
  void add(std::uint64_t cycle) {
    ++count_;
    const auto now = static_cast<double>(cycle);
    if (!runs_.empty() && runs_[runs_.size() - 2] + runs_.back() == now) {
      ++runs_.back();
      return;
    }
    runs_.insert(runs_.end(), {now, 1});
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<double> take() {
    count_ = 0;
    return std::exchange(runs_, {});
  }

 private:
  std::vector<double> runs_;
  std::uint64_t count_ = 0;
};

/// Of a lane into the unit: what waits in front of it, or the messages that it answers from.
struct DrivenSource {
  struct Batch {
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> pauses;  ///< 0 beyond its end
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
  std::vector<std::uint32_t> places;
  PauseCoin coin{};
  std::deque<Batch> batches{};                        ///< the first one up to `next` was taken
  std::size_t next = 0;                               ///< the message of it to offer, or on offer
  std::uint64_t waiting = 0;                          ///< messages that were not taken
  std::uint32_t pause = 0;                            ///< cycles left before the next one
  std::optional<std::vector<std::uint32_t>> table{};  ///< what it answers from instead
  std::deque<Answer> answers{};
  bool offered = false;
  CycleRuns cycles{};

  void start_pause() {
    pause =
        !batches.empty() && next < batches.front().pauses.size() ? batches.front().pauses[next] : 0;
  }

  void add(DrivenMessages& sent) {
    const std::size_t width = places.size();
    const std::size_t count = width == 0 ? sent.pauses.size() : sent.words.size() / width;
    if (count == 0) return;
    batches.push_back({std::move(sent.words), std::move(sent.pauses), count});
    waiting += count;
    if (batches.size() == 1) start_pause();
  }

  /// The message to offer in this cycle, if there is one.
  [[nodiscard]] const std::uint32_t* message(std::uint64_t now) {
    if (table) {
      if (answers.empty() || answers.front().due > now || coin.rests()) return nullptr;
      return table->data() + answers.front().message * places.size();
    }
    if (batches.empty()) return nullptr;
    if (pause > 0) {
      --pause;
      return nullptr;
    }
    if (coin.rests()) return nullptr;
    return batches.front().words.data() + next * places.size();
  }

  void offer(std::vector<std::uint32_t>& inputs, std::uint64_t now) {
    if (offered || (batches.empty() && answers.empty())) return;
    const std::uint32_t* words = message(now);
    if (words == nullptr) return;
    for (const std::uint32_t place : places) inputs[place] = *words++;
    inputs[valid] |= mask;
    offered = true;
  }

  void taken(std::uint64_t now) {
    offered = false;
    cycles.add(now);
    if (table) {
      answers.pop_front();
      return;
    }
    --waiting;
    if (++next == batches.front().count) {
      batches.pop_front();
      next = 0;
    }
    start_pause();
  }
};

/// Of a lane out of the unit: what was taken in this run.
struct DrivenSink {
  std::uint32_t lane;
  std::uint32_t mask;
  std::uint32_t valid;
  std::uint32_t ready;
  std::vector<std::uint32_t> places;
  PauseCoin coin{};
  bool taking = false;
  std::vector<std::uint32_t> words{};
  std::size_t before = 0;  ///< words of the run before, which this one will have, too
  CycleRuns cycles{};
  std::optional<std::uint32_t> answering{};  ///< the lane that answers its messages
  std::uint32_t latency = 0;
};

}  // namespace neardata::rtl
