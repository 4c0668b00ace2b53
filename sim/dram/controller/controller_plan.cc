// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dram/controller/controller_state.h"

namespace neardata::dram {

namespace {

void take_earlier(Plan& plan, const Plan& other) {
  if (other.when < plan.when) plan = other;
}

}  // namespace

/// Priorities in a cycle: active requests that block maintenance, maintenance, other active
/// requests, waiting requests, rows that are closed early. A lower priority never delays a higher
/// one, or maintenance could starve.
const Plan& Controller::State::plan() {
  if (!plan_is_stale) return next_plan;
  plan_is_stale = false;
  if (reads.size() + writes.size() > 0) {
    for (const BankIndex bank : maintenance.changed_holds()) reassess_bank(bank);
  }
  maintenance.forget_changed_holds();
  find_plan(config.slots.from(cycle_is_open ? clock : clock + Cycle{1}));
  // All that is ready by the next slot competes for it.
  while (next_plan.when != kNever && config.slots.from(next_plan.when) != next_plan.when) {
    find_plan(config.slots.from(next_plan.when));
  }
  return next_plan;
}

/// The plan for the first cycle, at `from` or later. No command issues between the start of the
/// data clock and its access. The second command of an activation issues in the first cycle in
/// which no other command can, and at its deadline before all others.
void Controller::State::find_plan(Cycle from) {
  next_writing = writing;
  if (synchronised) {
    next_plan = *synchronised;
    next_plan.when = readiness.ready_from(next_plan.command, pool[next_plan.entry].bank, from);
    return;
  }
  if (activation && activation->deadline <= from) {
    next_plan = plan_second_activate(from);
    return;
  }
  find_operation_or_request(from);
  if (activation) take_earlier(next_plan, plan_second_activate(from));
  if (!clocks.always_run()) find_synchronisation(from);
}

/// Replaces an access that needs a running data clock by the start of that clock.
void Controller::State::find_synchronisation(Cycle from) {
  if (next_plan.when == kNever || !commands.effect(next_plan.command).accesses()) return;
  const BankIndex bank = pool[next_plan.entry].bank;
  const Cycle access = next_plan.when;
  if (clocks.runs(readiness.rank_of(bank), access)) return;
  // The access occupies the cycle after the start.
  if (activation && activation->deadline <= access + Cycle{1}) {
    next_plan = plan_second_activate(from);
    return;
  }
  next_plan.command = commands.sync(next_plan.command);
  next_plan.when = readiness.ready_from(next_plan.command, bank, access);
}

Plan Controller::State::plan_second_activate(Cycle from) const {
  Plan next;
  next.when = readiness.ready_from(commands.open, activation->bank, from);
  next.source = Plan::Source::kActivation;
  next.command = commands.open;
  next.bank = activation->bank;
  return next;
}

void Controller::State::find_operation_or_request(Cycle from) {
  restrain(from);
  // Most commands issue before the data bus is free for an active request: their choice does not
  // depend on the queue of active requests.
  const bool free = restraint.due.empty() && !maintenance.holds_channel();
  const Cycle bound = free ? scheduler.active_bound(active, from) : from;
  next_plan = bound == from ? plan_active(from) : Plan{};
  if (next_plan.when == from) return;
  if (maintenance.holds_channel()) {
    take_earlier(next_plan, plan_maintenance(from));
    return;
  }
  next_writing = next_mode();
  const Plan waiting = commands.buses() == 1 ? plan_waiting(next_writing, from)
                                             : plan_waiting_by_bus(next_writing, from);
  if (bound != from && bound <= waiting.when) next_plan = plan_active(from);
  take_earlier(next_plan, waiting);
  if (!maintenance.closes().empty()) take_earlier(next_plan, plan_close(from));
}

/// Calls `visit(number, command, when)` for each operation that may send its next command.
template <typename Visit>
void Controller::State::each_operation(Cycle from, Visit visit) const {
  for (std::size_t i = 0; i < maintenance.size(); ++i) {
    if (!maintenance.may_go(i)) continue;
    const MaintenanceOp& op = maintenance[i];
    const Command command = next_command(op);
    if (!has(allowed(), command) || would_drop(command, op)) continue;
    visit(i, command, commands.from(command, std::max(from, ready_for(op, command))));
  }
}

void Controller::State::restrain(Cycle from) {
  restraint.commands = allowed();
  restraint.due.clear();
  restraint.any_first = false;
  if (maintenance.size() == 0 || maintenance.holds_channel()) return;
  each_operation(from, [&](std::size_t i, Command command, Cycle when) {
    const MaintenanceOp& op = maintenance[i];
    const auto bank =
        static_cast<BankIndex>(op.rank * config.organization.banks_per_rank() + op.bank);
    restraint.due.push_back({command, op.reach, bank, when});
  });
  // A rank that is being refreshed has no active requests.
  bool any_active = false;
  for (std::size_t i = 0; i < maintenance.size(); ++i) {
    any_active |= active.holds_rank(maintenance[i].rank);
  }
  if (!any_active) return;
  active.each([&](EntryIndex i) {
    const Entry& entry = pool[i];
    if (!maintenance.closes_by_the_way(entry.bank)) return;
    restraint.any_first = true;
    const Command access = active.access(entry);
    restraint.due.push_back(
        {access, Reach::kBank, entry.bank, readiness.ready_from(access, entry.bank, from)});
  });
}

/// Active requests, and maintenance between those that it waits for and the others.
Plan Controller::State::plan_active(Cycle from) {
  const auto plan_of = [](const Choice& choice) {
    Plan plan;
    plan.when = choice.when;
    plan.source = Plan::Source::kActive;
    plan.command = choice.command;
    plan.entry = choice.entry;
    return plan;
  };
  if (restraint.due.empty()) return plan_of(scheduler.best_active(active, from, allowed()));
  const auto first = [&](const Entry& entry) { return maintenance.closes_by_the_way(entry.bank); };
  const auto other = [&](const Entry& entry) { return !first(entry); };
  const auto always = [](const Entry&, Command, Cycle) { return true; };
  const auto delays_none = [&](const Entry& entry, Command command, Cycle when) {
    return !scheduler.delays_any(command, entry.bank, when, restraint.due);
  };
  Plan next;
  if (restraint.any_first) {
    next = plan_of(scheduler.best_active_of(active, from, allowed(), first, always));
  }
  take_earlier(next, plan_maintenance(from));
  take_earlier(next,
               plan_of(scheduler.best_active_of(active, from, allowed(), other, delays_none)));
  return next;
}

Plan Controller::State::plan_waiting(bool mode, Cycle from) {
  const Choice waiting = scheduler.best_waiting(mode ? writes : reads, from, restraint);
  Plan next;
  next.when = waiting.when;
  next.source = mode ? Plan::Source::kWrite : Plan::Source::kRead;
  next.command = waiting.command;
  next.entry = waiting.entry;
  return next;
}

/// The same for commands with several buses: in a cycle, the last bus has priority.
Plan Controller::State::plan_waiting_by_bus(bool mode, Cycle from) {
  Plan next;
  for (std::uint32_t bus = commands.buses(); bus > 0; --bus) {
    restraint.commands = commands.of_bus(bus - 1) & allowed();
    take_earlier(next, plan_waiting(mode, from));
  }
  restraint.commands = allowed();
  return next;
}

/// If banks are blocked, requests for the other banks determine the mode of the channel. If all
/// requests wait, the mode does not change.
bool Controller::State::next_mode() const {
  const bool read_can_go = reads.can_go();
  const bool write_can_go = writes.can_go();
  if (maintenance.holds_banks() && !read_can_go && !write_can_go) return writing;
  return write_mode.next(writing, read_can_go, writes.size(), write_can_go);
}

Plan Controller::State::plan_maintenance(Cycle from) const {
  Plan next;
  each_operation(from, [&](std::size_t i, Command command, Cycle when) {
    Plan one;
    one.when = when;
    one.source = Plan::Source::kMaintenance;
    one.command = command;
    one.operation = static_cast<std::uint16_t>(i);
    take_earlier(next, one);
  });
  return next;
}

Plan Controller::State::plan_close(Cycle from) const {
  Plan next;
  const Command close = commands.close(Reach::kBank);
  for (const BankIndex bank : maintenance.closes()) {
    if (maintenance.closes_by_the_way(bank) || active.protects_bank(bank)) continue;
    Plan one;
    one.when = readiness.ready_from(close, bank, from);
    if (scheduler.delays_any(close, bank, one.when, restraint.due)) continue;
    one.source = Plan::Source::kClose;
    one.command = close;
    one.bank = bank;
    take_earlier(next, one);
  }
  return next;
}

Command Controller::State::next_command(const MaintenanceOp& op) const {
  const bool managed = op.kind == MaintenanceOp::Kind::kManage;
  if (op.kind != MaintenanceOp::Kind::kRefresh && !managed) return commands.close(op.reach);
  bool open = false;
  if (op.reach == Reach::kRank) {
    open = banks.any_open(op.rank);
  } else {
    banks.each_addressed(op.reach, op.rank, op.bank,
                         [&](BankIndex b) { open |= banks.is_open(b); });
  }
  if (open) return commands.close(op.reach);
  return managed ? commands.manage(op.reach) : commands.refresh(op.reach);
}

Cycle Controller::State::ready_for(const MaintenanceOp& op, Command command) const {
  switch (op.reach) {
    case Reach::kBank:
      return readiness.ready(command, banks.index(op.rank, op.bank));
    case Reach::kSameBank:
      return readiness.ready_same(command, op.rank, op.bank);
    case Reach::kRank:
      break;
  }
  return readiness.ready_rank(command, op.rank);
}

/// A precharge never closes a row that an active request still needs.
bool Controller::State::would_drop(Command command, const MaintenanceOp& op) const {
  if (commands.effect(command).action != Action::kClose) return false;
  if (op.reach == Reach::kRank) return active.protects_rank(op.rank);
  bool needed = false;
  banks.each_addressed(op.reach, op.rank, op.bank,
                       [&](BankIndex b) { needed |= active.protects_bank(b); });
  return needed;
}

}  // namespace neardata::dram
