// SPDX-License-Identifier: Apache-2.0
//
// A simple memory for `dimm_ndp`: every stream answers after a fixed latency, at most so many
// bursts in so many cycles, in order or from a window of the oldest in random order. Ports pause
// at random, each with its own probability. Same seed, same behaviour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace neardata::bench {

struct Traffic {
  std::uint32_t latency = 60;     ///< cycles from request to response, at least 1
  std::uint32_t rate_bursts = 1;  ///< a stream answers at most rate_bursts in rate_cycles
  std::uint32_t rate_cycles = 1;
  std::uint32_t window = 1;     ///< how many of the oldest reads compete for the next answer
  std::uint32_t pause_req = 0;  ///< parts in a thousand of cycles in which a port is not ready
  std::uint32_t pause_rsp = 0;
  std::uint32_t pause_out = 0;
  std::uint32_t pause_done = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool steady() const {
    return window <= 1 && pause_req + pause_rsp + pause_out + pause_done == 0;
  }
};

struct Read {
  std::uint32_t tag;
  std::uint32_t burst;
  std::uint64_t due;
};

constexpr std::uint64_t kNoCycle = std::numeric_limits<std::uint64_t>::max();

/// The reads of one stream.
class StreamMemory {
 public:
  explicit StreamMemory(const Traffic& traffic) : traffic_(&traffic) {}

  void request(std::uint32_t tag, std::uint32_t burst, std::uint64_t now) {
    reads_.push_back({tag, burst, now + traffic_->latency});
  }
  /// Cycle from which an answer can be given.
  [[nodiscard]] std::uint64_t next() const {
    return first_ == reads_.size() ? kNoCycle : std::max(reads_[first_].due, free_at_);
  }
  [[nodiscard]] Read answer(std::uint64_t now, std::mt19937_64& random) {
    if (traffic_->window > 1) {
      std::size_t ripe = first_;
      while (ripe < reads_.size() && ripe < first_ + traffic_->window && reads_[ripe].due <= now) {
        ++ripe;
      }
      std::swap(reads_[first_], reads_[first_ + random() % (ripe - first_)]);
    }
    const Read read = reads_[first_++];
    // A late answer restarts the rate; an answer in time retains the fraction of a cycle.
    const std::uint64_t bursts = traffic_->rate_bursts;
    if (spent_ + bursts <= now * bursts) spent_ = now * bursts;
    spent_ += traffic_->rate_cycles;
    free_at_ = (spent_ + bursts - 1) / bursts;
    if (first_ == reads_.size()) {
      reads_.clear();
      first_ = 0;
    }
    return read;
  }

 private:
  const Traffic* traffic_;
  std::vector<Read> reads_;
  std::size_t first_ = 0;
  std::uint64_t spent_ = 0;    ///< in 1 / rate_bursts cycles
  std::uint64_t free_at_ = 0;  ///< the same in whole cycles
};

}  // namespace neardata::bench
