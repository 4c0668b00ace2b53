// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dram/controller/controller_state.h"

namespace neardata::dram {

const Plan& Controller::State::plan() {
  if (!plan_is_stale) return next_plan;
  plan_is_stale = false;
  find_plan(config.slots.from(clock + Cycle{1}));
  // All that is ready by the next slot competes for it.
  while (next_plan.when != kNever && config.slots.from(next_plan.when) != next_plan.when) {
    find_plan(config.slots.from(next_plan.when));
  }
  return next_plan;
}

/// What happens at `from` or later.
void Controller::State::find_plan(Cycle from) {
  const Choice urgent = scheduler.best_active(active, from);
  next_plan.when = urgent.when;
  next_plan.source = Plan::Source::kActive;
  next_plan.command = urgent.command;
  next_plan.entry = urgent.entry;
  next_plan.writing = writing;
  if (urgent.when == from) return;
  const bool chore_waits = !chores.empty();
  if (chore_waits) {
    const Plan chore = plan_chore(from);
    if (chore.when < urgent.when) next_plan = chore;
    if (next_plan.when == from || !holds_some_banks(chores.front())) return;
  }
  const bool mode = write_mode.next(writing, reads.size(), writes.size());
  if (!chore_waits) next_plan.writing = mode;
  const RequestQueue& queue = mode ? writes : reads;
  const Choice waiting = scheduler.best_waiting(queue, from, chore_waits ? &held : nullptr);
  if (waiting.when < next_plan.when) {
    next_plan.when = waiting.when;
    next_plan.writing = mode;
    next_plan.source = mode ? Plan::Source::kWrite : Plan::Source::kRead;
    next_plan.command = waiting.command;
    next_plan.entry = waiting.entry;
  }
}

bool Controller::State::holds_some_banks(const Chore& chore) {
  if (config.semantics.refresh_holds_all_banks || chore.kind != Chore::Kind::kRefreshSame) {
    return false;
  }
  held.assign(config.organization.banks_per_channel(), 0);
  banks.each_same(chore.rank, chore.bank, [&](BankIndex b) { held[b] = 1; });
  return true;
}

Plan Controller::State::plan_chore(Cycle from) const {
  const Chore& chore = chores.front();
  Plan next;
  next.source = Plan::Source::kChore;
  next.writing = writing;
  Cycle ready;
  switch (chore.kind) {
    case Chore::Kind::kRefreshRank:
      next.command = banks.any_open(chore.rank) ? Command::kPrechargeAll : Command::kRefreshAll;
      ready = readiness.ready_rank(next.command, chore.rank);
      break;
    case Chore::Kind::kRefreshSame: {
      bool open = false;
      banks.each_same(chore.rank, chore.bank, [&](BankIndex b) { open |= banks.is_open(b); });
      next.command = open ? Command::kPrechargeSame : Command::kRefreshSame;
      ready = readiness.ready_same(next.command, chore.rank, chore.bank);
      break;
    }
    case Chore::Kind::kLeaveRank:
      next.command = Command::kPrechargeAll;
      ready = readiness.ready_rank(next.command, chore.rank);
      break;
    case Chore::Kind::kClose:
      next.command = Command::kPrecharge;
      ready = readiness.ready(next.command, static_cast<BankIndex>(chore.bank));
      break;
  }
  if (!would_drop(next.command, chore)) next.when = std::max(from, ready);
  return next;
}

/// A precharge never takes a row that an active request still needs.
bool Controller::State::would_drop(Command command, const Chore& chore) const {
  bool needed = false;
  switch (command) {
    case Command::kPrechargeAll:
      return active.protects_rank(chore.rank);
    case Command::kPrecharge:
      return active.protects_bank(static_cast<BankIndex>(chore.bank));
    case Command::kPrechargeSame:
      banks.each_same(chore.rank, chore.bank,
                      [&](BankIndex b) { needed |= active.protects_bank(b); });
      return needed;
    default:
      return false;
  }
}

}  // namespace neardata::dram
