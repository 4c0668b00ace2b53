// SPDX-License-Identifier: Apache-2.0
//
// Requests that are in order of arrival for each channel by itself, merged to one order: that of a
// stable sort by arrival. A request waits until every channel has reached its arrival. The buffered
// requests are the distance between the channels in the trace: the whole trace, if a channel has no
// requests or has all of them at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "dram/fifo.h"
#include "dram/trace/trace_reader.h"

namespace neardata::dram {

/// A request that is still to be injected.
struct WaitingRequest {
  TraceRequest request;
  std::uint64_t line = 0;
};

class ArrivalMerge {
 public:
  explicit ArrivalMerge(std::uint32_t channels) : last_(channels), behind_(channels) {}

  /// The arrival of the last request of a channel.
  [[nodiscard]] Cycle last(std::uint32_t channel) const { return last_[channel]; }

  /// Adds a request that does not arrive before the last one of its channel. Appends to `out` the
  /// requests that no later one can precede.
  void add(std::uint32_t channel, const TraceRequest& request, std::uint64_t line,
           Fifo<WaitingRequest>& out) {
    advance_to(channel, request.arrival);
    if (held_.empty() && request.arrival <= certain_) {
      WaitingRequest& waiting = out.append();
      waiting.request = request;
      waiting.line = line;
      return;
    }
    held_.push({request, line});
    release(certain_, out);
  }

  /// Ends the input: no request follows.
  void end(Fifo<WaitingRequest>& out) { release(kNever, out); }

 private:
  struct Later {
    bool operator()(const WaitingRequest& a, const WaitingRequest& b) const {
      if (a.request.arrival != b.request.arrival) return b.request.arrival < a.request.arrival;
      return a.line > b.line;
    }
  };

  void advance_to(std::uint32_t channel, Cycle arrival) {
    const Cycle before = last_[channel];
    last_[channel] = arrival;
    if (before != certain_ || arrival == before || --behind_ > 0) return;
    certain_ = *std::min_element(last_.begin(), last_.end());
    behind_ = static_cast<std::uint32_t>(std::count(last_.begin(), last_.end(), certain_));
  }

  void release(Cycle to, Fifo<WaitingRequest>& out) {
    for (; !held_.empty() && held_.top().request.arrival <= to; held_.pop()) {
      out.push_back(held_.top());
    }
  }

  std::vector<Cycle> last_;  ///< of each channel
  Cycle certain_;            ///< their minimum: later requests do not arrive before it
  std::uint32_t behind_;     ///< channels whose last arrival is `certain_`
  std::priority_queue<WaitingRequest, std::vector<WaitingRequest>, Later> held_;
};

}  // namespace neardata::dram
