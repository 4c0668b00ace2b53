// SPDX-License-Identifier: Apache-2.0
//
// First ready, first come first served. In a cycle the oldest request whose next command is ready
// is the pick, whatever that command is. A pick that would close a row which an active request
// still needs is dropped, and the cycle is lost. Here both are solved for the cycle as well: which
// request is served next, and when, if nothing else changes.
#pragma once

#include <vector>

#include "dram/controller/candidates.h"
#include "dram/controller/queues/active_queue.h"
#include "dram/controller/queues/request_queue.h"
#include "dram/controller/readiness.h"
#include "dram/organization.h"

namespace neardata::dram {

class Scheduler {
 public:
  Scheduler(const Organization& organization, const EntryPool& pool, const Readiness& readiness)
      : pool_(&pool), readiness_(&readiness), rank_ready_(organization.ranks * kCommands) {}

  /// Says that commands have issued since the last question.
  void ready_times_changed() { rank_ready_is_stale_ = true; }

  /// The active request to be served next, at `from` or later.
  [[nodiscard]] Choice best_active(const ActiveQueue& queue, Cycle from);

  /// The request of `queue` to be served next, at `from` or later; none for a bank that is held
  /// (`held` has a byte for each, or is null).
  [[nodiscard]] Choice best_waiting(const RequestQueue& queue, Cycle from,
                                    const std::vector<std::uint8_t>* held);

 private:
  const RankReady& rank_ready() {
    if (rank_ready_is_stale_) readiness_->find_rank_ready(rank_ready_);
    rank_ready_is_stale_ = false;
    return rank_ready_;
  }

  const EntryPool* pool_;
  const Readiness* readiness_;
  RankReady rank_ready_;
  bool rank_ready_is_stale_ = true;
  ReadyTimes ready_;  ///< of the candidates
  ReadyTimes stuck_;  ///< of those that are stuck
};

}  // namespace neardata::dram
