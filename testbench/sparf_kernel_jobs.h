// SPDX-License-Identifier: Apache-2.0
//
// Jobs of keys or values for `sparf_kernel`: their lines wait in a ring, and are overwritten with
// garbage as soon as the kernel releases them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "testbench/sparf_kernel_head.h"

namespace neardata::bench {

constexpr std::uint32_t kRingLines = RTL_PARAMETER_RingLines;

struct Job {
  std::uint32_t slot = 0;
  bool column = false, second = false, last = false;
  std::uint32_t count = 0, dims = 0, row_lines = 0, base = 0;
  std::vector<Line> lines;
};

/// Jobs of one kind, in order: waiting for room, in the ring, in the kernel.
class JobRing {
 public:
  void push(Job job) { waiting_.push_back(std::move(job)); }

  /// Moves jobs that fit into the ring.
  void load() {
    while (!waiting_.empty() && used_ + waiting_.front().lines.size() <= kRingLines) {
      Job& job = waiting_.front();
      job.base = next_;
      for (const Line& line : job.lines) {
        ring_[next_] = line;
        next_ = (next_ + 1) % kRingLines;
      }
      used_ += job.lines.size();
      ready_.push_back(std::move(job));
      waiting_.pop_front();
    }
  }

  [[nodiscard]] bool offers() const { return !ready_.empty(); }
  [[nodiscard]] const Job& front() const { return ready_.front(); }
  void take() {
    taken_.push_back(std::move(ready_.front()));
    ready_.pop_front();
  }

  /// The oldest accepted job is done.
  [[nodiscard]] bool done() {
    if (taken_.empty()) return false;
    const Job& job = taken_.front();
    for (std::size_t i = 0; i < job.lines.size(); ++i) {
      ring_[(job.base + i) % kRingLines].fill(0x7fff);
    }
    used_ -= job.lines.size();
    taken_.pop_front();
    return true;
  }

  [[nodiscard]] const Line& line(std::uint32_t address) const { return ring_[address]; }
  [[nodiscard]] bool empty() const { return waiting_.empty() && ready_.empty() && taken_.empty(); }

 private:
  std::deque<Job> waiting_, ready_, taken_;
  std::array<Line, kRingLines> ring_{};
  std::uint32_t next_ = 0;
  std::size_t used_ = 0;
};

}  // namespace neardata::bench
