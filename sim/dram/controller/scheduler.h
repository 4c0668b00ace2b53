// SPDX-License-Identifier: Apache-2.0
//
// FR-FCFS (first ready, then oldest). In each cycle the scheduler picks the oldest request whose
// next command is ready. A pick that would close a row which an active request still needs is
// blocked: the scheduler examines the next request, or, with Semantics::blocked_pick_loses_cycle,
// the cycle is lost. This class computes the next pick and its cycle, if no other event occurs.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/config.h"
#include "dram/controller/data_clocks.h"
#include "dram/controller/queues/active_queue.h"
#include "dram/controller/queues/candidates.h"
#include "dram/controller/queues/request_queue.h"

namespace neardata::dram {

/// Restrictions on requests beside the timing of their commands.
struct Restraint {
  /// Commands that no other may delay.
  std::vector<DueCommand> due;
  /// Whether maintenance waits for an active request.
  bool any_first = false;
  /// Commands that waiting requests may issue.
  CommandSet commands = kAllCommands;
};

class Scheduler {
 public:
  Scheduler(const ControllerConfig& config, const EntryPool& pool, const Readiness& readiness,
            const Commands& commands, const DataClocks& clocks)
      : pool_(&pool),
        readiness_(&readiness),
        commands_(&commands),
        clocks_(clocks.always_run() ? nullptr : &clocks),
        loses_cycles_(config.semantics.blocked_pick_loses_cycle),
        rank_ready_(std::size_t{config.organization.ranks} * config.organization.logical_ranks *
                    kCommands) {}

  /// Notifies the scheduler that commands have issued since its last call.
  void ready_times_changed() { rank_ready_is_stale_ = true; }

  /// No active request can be served before the result.
  [[nodiscard]] Cycle active_bound(const ActiveQueue& queue, Cycle from) {
    if (!queue.rows_are_open()) [[unlikely]]
      return from;
    return queue.size() == 0 ? kNever : queue.bound(rank_ready(from), from);
  }
  /// The active request to be served next, at `from` or later, by one of the `allowed` commands.
  [[nodiscard]] Choice best_active(const ActiveQueue& queue, Cycle from, CommandSet allowed) {
    if (!queue.rows_are_open()) [[unlikely]]
      return best_active_of(
          queue, from, allowed, [](const Entry&) { return true; },
          [](const Entry&, Command, Cycle) { return true; });
    return queue.first_access(rank_ready(from), from);
  }
  /// The same among the requests for which `of(entry)`, and whose command may issue by
  /// `takes(entry, command, when)`.
  template <typename Of, typename Takes>
  [[nodiscard]] Choice best_active_of(const ActiveQueue& queue, Cycle from, CommandSet allowed,
                                      Of of, Takes takes) const {
    Choice best;
    const bool rows_are_open = queue.rows_are_open();
    queue.each([&](EntryIndex i) {
      const Entry& entry = (*pool_)[i];
      if (!of(entry)) return;
      const std::optional<Command> command =
          rows_are_open ? queue.access(entry) : queue.next_command(entry);
      if (!command || !has(allowed, *command)) return;
      const Cycle when = readiness_->ready_from(*command, entry.bank, from);
      if (queue.precedes(i, when, best) && takes(entry, *command, when)) best = {when, i, *command};
    });
    return best;
  }

  /// The request of `queue` to be served next, at `from` or later, under the restraint.
  [[nodiscard]] Choice best_waiting(const RequestQueue& queue, Cycle from,
                                    const Restraint& restraint);
  /// Whether a command to a bank in cycle `at` delays one that is due. An access without data clock
  /// issues in the cycle after `at`.
  [[nodiscard]] bool delays_any(Command command, BankIndex bank, Cycle at,
                                const std::vector<DueCommand>& due) const {
    if (clocks_ != nullptr) [[unlikely]]
      at = after_clock_start(command, bank, at);
    return std::ranges::any_of(
        due, [&](const DueCommand& one) { return readiness_->delays(command, bank, at, one); });
  }

 private:
  /// As RankReady.
  [[nodiscard]] const std::int64_t* rank_ready(Cycle from) {
    if (!readiness_->has_finer_ranks()) return readiness_->rank_ready();
    if (rank_ready_is_stale_ || from != rank_ready_from_) {
      readiness_->find_rank_ready(rank_ready_, from);
      rank_ready_from_ = from;
      rank_ready_is_stale_ = false;
    }
    return rank_ready_.data();
  }

  [[nodiscard]] Cycle after_clock_start(Command command, BankIndex bank, Cycle at) const;
  void find_free(const Candidates& candidates, Cycle from, const Restraint& restraint,
                 ReadyTimes& ready);

  const EntryPool* pool_;
  const Readiness* readiness_;
  const Commands* commands_;
  const DataClocks* clocks_;  ///< null if they always run
  bool loses_cycles_;
  RankReady rank_ready_;  ///< if ranks are finer
  bool rank_ready_is_stale_ = true;
  Cycle rank_ready_from_;
  ReadyTimes ready_;    ///< of the candidates, or of active requests
  ReadyTimes blocked_;  ///< of those that are blocked
};

}  // namespace neardata::dram
