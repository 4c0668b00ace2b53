// SPDX-License-Identifier: Apache-2.0
//
// First ready, first come first served. In a cycle the oldest request whose next command is ready
// is the pick, whatever that command is. A pick that would close a row which an active request
// still needs is dropped, and the cycle is lost. Here both are solved for the cycle as well: which
// request is served next, and when, if nothing else changes.
#pragma once

#include <vector>

#include "dram/active_queue.h"
#include "dram/banks.h"
#include "dram/entry_pool.h"
#include "dram/readiness.h"
#include "dram/request_queue.h"

namespace neardata::dram {

struct Choice {
  Cycle when = kNever;
  EntryIndex entry = kNoEntry;
  Command command = Command::kActivate;
};

class Scheduler {
 public:
  Scheduler(const EntryPool& pool, const Banks& banks, const Readiness& readiness,
            const ActiveQueue& active)
      : pool_(&pool), banks_(&banks), readiness_(&readiness), active_(&active) {}

  /// The active request to be served next, at `from` or later.
  [[nodiscard]] Choice best_active(Cycle from) const;

  /// The request of `queue` to be served next, at `from` or later; its final command is `access`.
  [[nodiscard]] Choice best_waiting(RequestQueue& queue, Command access, Cycle from);

 private:
  /// From `when` on nothing younger than `order` is served: a precharge that will be dropped.
  struct Barrier {
    Cycle when;
    std::uint64_t order = 0;
  };

  [[nodiscard]] bool barred(Cycle when, std::uint64_t order) const;
  [[nodiscard]] Choice best_past_barriers(RequestQueue& queue, Command access, Cycle from) const;

  const EntryPool* pool_;
  const Banks* banks_;
  const Readiness* readiness_;
  const ActiveQueue* active_;
  std::vector<Barrier> barriers_;
};

}  // namespace neardata::dram
