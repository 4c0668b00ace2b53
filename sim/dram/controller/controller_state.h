// SPDX-License-Identifier: Apache-2.0
//
// The implementation of a controller: its state and its steps. Admission and time are in
// controller.cc, the choice of the next command in controller_plan.cc, its effects in
// controller_issue.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "dram/controller/activation_counts.h"
#include "dram/controller/controller.h"
#include "dram/controller/data_clocks.h"
#include "dram/controller/maintenance.h"
#include "dram/controller/queues/completion_queue.h"
#include "dram/controller/rank_ownership.h"
#include "dram/controller/refresh.h"
#include "dram/controller/row_policy.h"
#include "dram/controller/scheduler.h"
#include "dram/controller/write_mode.h"

namespace neardata::dram {

/// The next action if nothing is offered. It is passed in registers: a copy through memory waits
/// for the stores of its fields.
struct Plan {
  Cycle when = kNever;
  enum class Source : std::uint8_t {
    kNothing,
    kActive,
    kMaintenance,
    kClose,
    kRead,
    kWrite,
    kActivation
  };
  Source source = Source::kNothing;
  Command command;
  EntryIndex entry = kNoEntry;
  std::uint16_t operation = 0;  ///< for kMaintenance
  BankIndex bank = 0;           ///< for kClose and kActivation
};
static_assert(sizeof(Plan) == 16);

/// An activation whose second command is pending. A channel has at most one.
struct SplitActivation {
  BankIndex bank = 0;
  std::uint32_t row = 0;
  RequestId request;
  Cycle deadline;  ///< of the second command
};

struct Controller::State {
  explicit State(const ControllerConfig& config_in)
      : config(config_in),
        pool(config.queues.read + config.queues.write + config.queues.active),
        banks(config.organization),
        commands(config.commands),
        refresh_reach(dram::refresh_reach(config.refresh)),
        readiness(config.organization, commands, compile(config.constraints)),
        active(pool, banks, readiness, commands, config),
        maintenance(config, banks),
        reads({pool, banks, readiness, active, commands, maintenance.held()}, Operation::kRead,
              config),
        writes({pool, banks, readiness, active, commands, maintenance.held()}, Operation::kWrite,
               config),
        completions(completion_order(config)),
        refresh(config),
        activations(config),
        row_policy(config),
        ownership(config.organization.ranks, config.owns_ranks),
        write_mode(config),
        clocks(config),
        scheduler(config, pool, readiness, commands, clocks) {
    const Organization& o = config.organization;
    statistics.banks.resize(o.banks_per_channel());
    for (std::uint32_t bank = 0; bank < o.banks_per_channel(); ++bank) {
      places.push_back(o.location_of(bank));
    }
  }

  BankIndex bank_of(const Location& where) const {
    return static_cast<BankIndex>(config.organization.bank_of(where));
  }
  Location location_of(BankIndex bank, std::uint32_t row, std::uint32_t column) const {
    Location where = places[bank];
    where.row = row;
    where.column = column;
    return where;
  }

  bool offer(const Request& request);
  const Plan& plan();
  void find_plan(Cycle from);
  void find_operation_or_request(Cycle from);
  void find_synchronisation(Cycle from);
  Cycle advance(Cycle to, Sink& sink, StopAt stop);

  /// Reports a command of this cycle to the sink.
  /// `Request` is RequestId, std::optional<RequestId> or std::nullopt_t.
  template <typename Request>
  void send(Sink& sink, Command command, const Location& where, const Request& request) {
    sink.command({clock, command, commands.effect(command), where, request});
  }
  // One tick with a command in it.
  void issue(const Plan& next, Sink& sink);
  void issue_with_row_policy(const Plan& planned, Sink& sink);
  [[nodiscard]] Plan with_row_policy(const Plan& planned) const;
  void issue_access(const Plan& next, Sink& sink);
  void issue_synchronisation(const Plan& next, Sink& sink);
  void issue_activate(const Plan& next, Sink& sink);
  void issue_second_activate(Sink& sink);
  void move_to_active(const Plan& next);
  void issue_precharge(BankIndex bank, std::optional<RequestId> request, Sink& sink);
  void issue_maintenance(const Plan& next, Sink& sink);

  // The next command of each kind by itself, at `from` or later.
  Plan plan_active(Cycle from);
  template <typename Visit>
  void each_operation(Cycle from, Visit visit) const;
  Plan plan_maintenance(Cycle from) const;
  Plan plan_waiting(bool mode, Cycle from);
  Plan plan_waiting_by_bus(bool mode, Cycle from);
  /// Fills `restraint` with the restrictions of maintenance on requests.
  void restrain(Cycle from);
  Plan plan_close(Cycle from) const;
  Plan plan_second_activate(Cycle from) const;
  /// Commands that may issue while the second command of an activation is pending.
  [[nodiscard]] CommandSet allowed() const {
    return activation ? commands.between_activation() : kAllCommands;
  }
  Command next_command(const MaintenanceOp& op) const;
  Cycle ready_for(const MaintenanceOp& op, Command command) const;
  bool would_drop(Command command, const MaintenanceOp& op) const;
  bool next_mode() const;
  /// Whether the queues contain an access to the address that a write has to wait for.
  bool read_waits(BankIndex bank, std::uint64_t address) const {
    return reads.holds(bank, address) || active.holds(bank, address, Operation::kRead);
  }
  void append_refreshes(Cycle by);
  /// The next cycle in which the row policy requests a close.
  [[nodiscard]] Cycle next_close() const {
    return row_policy.due().empty() ? kNever : find_next_close();
  }
  [[nodiscard]] Cycle find_next_close() const;
  /// Appends the closes that the row policy requests by this cycle; returns the cycle of the next
  /// close.
  Cycle append_closes(Cycle by) {
    return row_policy.due().empty() ? kNever : append_due_closes(by);
  }
  Cycle append_due_closes(Cycle by);
  void push_close(BankIndex bank) {
    maintenance.push(
        {MaintenanceOp::Kind::kClose, Reach::kBank, readiness.rank_of(bank), banks.in_rank(bank)});
  }
  void count_activation(BankIndex bank);
  void end_refreshes(Cycle by);
  void leave(std::uint32_t rank);
  HandedRank hand(std::uint32_t rank) const;
  void close_bank(BankIndex bank);
  void row_changed(BankIndex bank) {
    reads.row_changed(bank);
    writes.row_changed(bank);
  }
  void reassess_bank(BankIndex bank) {
    if (reads.size() > 0) reads.reassess(bank);
    if (writes.size() > 0) writes.reassess(bank);
  }
  /// `command` has issued to `bank`: its requests are others, or their ready times have changed.
  void reassess(Command command, BankIndex bank) {
    const auto [accesses, others] = readiness.changes_group(command);
    active.times_changed(bank, accesses);
    reassess_bank(bank);
    if (!accesses && !others) return;
    const auto look_up = [&](RequestQueue& queue) {
      if (queue.size() == 0) return;
      banks.each_of_group(bank, [&](BankIndex b) {
        if (b != bank) queue.times_changed(b, accesses, others);
      });
    };
    look_up(reads);
    look_up(writes);
  }
  void count_first_command(Entry& entry, Command command);
  void count_waiting(Cycle until);
  void report_until(Cycle cycle, Sink& sink);

  ControllerConfig config;
  Cycle clock;
  Cycle counted;  ///< the queue occupancies are summed up to here
  std::int64_t admissions = 0;
  bool writing = false;
  bool plan_is_stale = true;
  bool cycle_is_open = false;  ///< another bus may still send a command in the cycle of the clock
  Plan next_plan;
  bool next_writing = false;  ///< the mode after the first tick of waiting
  std::optional<SplitActivation> activation;
  std::optional<Plan> synchronised;  ///< an access whose data clock was started in the cycle before

  std::vector<Location> places;  ///< of the banks; row and column not set
  EntryPool pool;
  Banks banks;
  Commands commands;
  Reach refresh_reach;  ///< of a refresh command
  Readiness readiness;
  ActiveQueue active;
  Maintenance maintenance;
  RequestQueue reads;
  RequestQueue writes;
  Restraint restraint;
  CompletionQueue completions;
  RefreshTimer refresh;
  ActivationCounts activations;
  RowPolicy row_policy;
  RankOwnership ownership;
  WriteMode write_mode;
  DataClocks clocks;
  Scheduler scheduler;
  Statistics statistics;
};

}  // namespace neardata::dram
