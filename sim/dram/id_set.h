// SPDX-License-Identifier: Apache-2.0
//
// Ids that have been seen, as runs of consecutive ones. A trace that numbers its requests in order
// is one run and costs one comparison a request; each gap costs one entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace neardata::dram {

class IdSet {
 public:
  enum class Added : std::uint8_t { kNew, kTwice, kTooManyGaps };

  explicit IdSet(std::size_t most_runs) : most_runs_(most_runs) {}

  /// Adds an id below 2^64 - 1.
  Added add(std::uint64_t id) {
    if (id == end_ && end_ < next_begin_) {
      ++end_;
      return Added::kNew;
    }
    return add_elsewhere(id);
  }

 private:
  /// The run that grows is not in `runs_`; it takes in the run that it comes to.
  Added add_elsewhere(std::uint64_t id) {
    if (id >= begin_ && id < end_) return Added::kTwice;
    if (end_ > begin_) runs_[begin_] = end_;
    auto after = runs_.upper_bound(id);
    begin_ = id;
    end_ = id + 1;
    if (after != runs_.begin()) {
      const auto before = std::prev(after);
      if (before->second > id) return Added::kTwice;
      if (before->second == id) {
        begin_ = before->first;
        runs_.erase(before);
      }
    }
    if (after != runs_.end() && after->first == end_) {
      end_ = after->second;
      after = runs_.erase(after);
    }
    next_begin_ = after == runs_.end() ? UINT64_MAX : after->first;
    return runs_.size() > most_runs_ ? Added::kTooManyGaps : Added::kNew;
  }

  std::size_t most_runs_;
  std::map<std::uint64_t, std::uint64_t> runs_;  ///< begin and end, of those that do not grow
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t next_begin_ = UINT64_MAX;  ///< of the first run behind the one that grows
};

}  // namespace neardata::dram
