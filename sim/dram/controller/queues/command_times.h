// SPDX-License-Identifier: Apache-2.0
//
// The next commands of some requests and their ready times, as flat arrays: a scheduler reads all
// of them for every command of the channel. An array has the part of each ready time that the bank
// and its bank group contribute; RankReady has the other part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/types.h"

namespace neardata::dram {

/// Ready times of commands by their place; kNever for one that is barred.
using ReadyTimes = std::vector<std::int64_t>;

class CommandTimes {
 public:
  [[nodiscard]] std::size_t size() const { return local_.size(); }

  /// Appends a place. Its command is to be set.
  void push_back() {
    local_.push_back(kNever.value);
    rank_command_.push_back(0);
  }
  /// The same between two places.
  void insert(std::size_t place) {
    const auto at = static_cast<std::ptrdiff_t>(place);
    local_.insert(local_.begin() + at, kNever.value);
    rank_command_.insert(rank_command_.begin() + at, 0);
  }
  /// Removes a place; later places move up.
  void erase(std::size_t place) {
    const auto at = static_cast<std::ptrdiff_t>(place);
    local_.erase(local_.begin() + at);
    rank_command_.erase(rank_command_.begin() + at);
  }
  /// Removes a place; the last place moves to it.
  void replace_by_last(std::size_t place) {
    local_[place] = local_.back();
    rank_command_[place] = rank_command_.back();
    local_.pop_back();
    rank_command_.pop_back();
  }

  void set(std::size_t place, Command command, BankIndex bank, const Readiness& readiness) {
    local_[place] = readiness.ready_local(command, bank).value;
    rank_command_[place] =
        static_cast<std::uint32_t>(readiness.logical_rank_of(bank) * kCommands + index(command));
  }
  /// The ready times of the bank or its bank group have changed.
  void look_up(std::size_t place, BankIndex bank, const Readiness& readiness) {
    local_[place] = readiness.ready_local(command(place), bank).value;
  }
  [[nodiscard]] Command command(std::size_t place) const {
    return {static_cast<std::uint8_t>(rank_command_[place] % kCommands)};
  }

  /// Fills `ready` and returns the least of the times. `ranks` is as RankReady.
  std::int64_t find_ready(const std::int64_t* ranks, ReadyTimes& ready) const {
    const std::size_t size = local_.size();
    if (ready.size() < size) ready.resize(size);
    const std::int64_t* const local = local_.data();
    const std::uint32_t* const rank_command = rank_command_.data();
    std::int64_t* const out = ready.data();
    std::int64_t least = kNever.value;
    for (std::size_t i = 0; i < size; ++i) {
      const std::int64_t when = std::max(local[i], ranks[rank_command[i]]);
      out[i] = when;
      least = std::min(least, when);
    }
    return least;
  }

  struct Earliest {
    std::size_t place = 0;
    Cycle when = kNever;
  };
  /// The first place with the least ready time. Times up to `bound` count as equal.
  [[nodiscard]] Earliest first_of_earliest(const std::int64_t* ranks, Cycle bound) const {
    Earliest earliest;
    for (std::size_t i = 0; i < local_.size(); ++i) {
      const std::int64_t when = std::max(local_[i], ranks[rank_command_[i]]);
      if (when >= earliest.when.value) continue;
      earliest = {i, {when}};
      if (when <= bound.value) break;
    }
    return earliest;
  }

 private:
  std::vector<std::int64_t> local_;          ///< when bank and bank group are ready
  std::vector<std::uint32_t> rank_command_;  ///< index into RankReady
};

}  // namespace neardata::dram
