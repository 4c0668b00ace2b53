// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/controller_state.h"

namespace neardata::dram {

void Controller::State::issue(const Plan& next, Sink& sink) {
  ++statistics.commands[index(next.command)];
  if (next.source == Plan::Source::kMaintenance) {
    issue_maintenance(next, sink);
    return;
  }
  if (next.source == Plan::Source::kClose) {
    issue_precharge(next.bank, std::nullopt, sink);
    return;
  }
  if (next.source == Plan::Source::kActivation) {
    issue_second_activate(sink);
    return;
  }
  Entry& entry = pool[next.entry];
  count_first_command(entry, next.command);
  switch (commands.effect(next.command).action) {
    case Action::kRead:
    case Action::kWrite:
      issue_access(next, sink);
      break;
    case Action::kSyncRead:
    case Action::kSyncWrite:
      issue_synchronisation(next, sink);
      break;
    case Action::kOpen:
    case Action::kStartOpen:
      issue_activate(next, sink);
      break;
    default:
      issue_precharge(entry.bank, entry.id, sink);
      break;
  }
}

void Controller::State::issue_with_row_policy(const Plan& planned, Sink& sink) {
  const bool protects_reopened = active.protects_reopened();
  issue(with_row_policy(planned), sink);
  if (active.protects_reopened() == protects_reopened) return;
  for (const BankIndex bank : active.reopened_banks()) reassess_bank(bank);
}

/// The access closes its row if the row policy requests this and an access with auto-precharge is
/// ready. An access after a start of the data clock does not: the start was issued for an access
/// without auto-precharge.
Plan Controller::State::with_row_policy(const Plan& planned) const {
  Plan next = planned;
  if (synchronised || !commands.effect(next.command).accesses()) return next;
  const BankIndex bank = pool[next.entry].bank;
  if (!row_policy.closes_with_access(bank)) return next;
  const Command closing = commands.closing(next.command);
  if (readiness.ready(closing, bank) <= clock) next.command = closing;
  return next;
}

void Controller::State::issue_access(const Plan& next, Sink& sink) {
  const Entry& entry = pool[next.entry];
  const BankIndex bank = entry.bank;
  const RequestId id = entry.id;
  readiness.issue(next.command, bank, clock);
  send(sink, next.command, location_of(bank, entry.row, entry.column), id);
  const Effect effect = commands.effect(next.command);
  const bool read = effect.action == Action::kRead;
  if (!clocks.always_run()) [[unlikely]] {
    clocks.accessed(readiness.rank_of(bank), entry.operation, clock);
    synchronised.reset();
  }
  if (!effect.closes && row_policy.accessed(bank)) push_close(bank);
  if (read) {
    ++statistics.reads;
    ++statistics.banks[bank].reads;
    const Cycle done = completions.push_read(id, clock + config.timing.read_latency());
    statistics.read_latency.add(done - entry.arrive);
  } else {
    ++statistics.writes;
    ++statistics.banks[bank].writes;
    statistics.write_latency.add(clock - entry.arrive);
  }
  if (next.source == Plan::Source::kActive) {
    active.remove(next.entry);
  } else {
    (next.source == Plan::Source::kRead ? reads : writes).remove(next.entry);
  }
  const std::uint64_t address = entry.address;
  pool.give_back(next.entry);
  if (effect.closes) {
    row_policy.precharged(bank);
    close_bank(bank);
  }
  const bool may_release = read && writes.size() > 0 && !config.semantics.reorders_same_address;
  if (may_release && !read_waits(bank, address)) writes.release(bank, address);
  const std::uint32_t rank = readiness.rank_of(bank);
  if (ownership.request_done(rank)) leave(rank);
  reassess(next.command, bank);
  if (!read) sink.completion(id, clock);
}

void Controller::State::issue_activate(const Plan& next, Sink& sink) {
  const Entry& entry = pool[next.entry];
  readiness.issue(next.command, entry.bank, clock);
  send(sink, next.command, location_of(entry.bank, entry.row, 0), entry.id);
  count_activation(entry.bank);
  if (!active.full()) move_to_active(next);
  if (commands.splits_activation()) {
    activation = {entry.bank, entry.row, entry.id, clock + config.activate_within};
    active.protect(entry.bank);
    banks.start_open(entry.bank);
  } else {
    banks.open(entry.bank, entry.row);
  }
  row_changed(entry.bank);
  reassess(next.command, entry.bank);
}

void Controller::State::move_to_active(const Plan& next) {
  if (next.source == Plan::Source::kActive) {
    active.reopened(next.entry);
    return;
  }
  (next.source == Plan::Source::kRead ? reads : writes).remove(next.entry);
  active.push(next.entry);
}

void Controller::State::issue_second_activate(Sink& sink) {
  const SplitActivation opened = *activation;
  activation.reset();
  readiness.issue(commands.open, opened.bank, clock);
  send(sink, commands.open, location_of(opened.bank, opened.row, 0), opened.request);
  active.unprotect(opened.bank);
  banks.open(opened.bank, opened.row);
  row_changed(opened.bank);
  reassess(commands.open, opened.bank);
}

/// Starts the data clock; the access follows.
void Controller::State::issue_synchronisation(const Plan& next, Sink& sink) {
  const Entry& entry = pool[next.entry];
  readiness.issue(next.command, entry.bank, clock);
  send(sink, next.command, location_of(entry.bank, entry.row, entry.column), entry.id);
  synchronised = next;
  synchronised->command = commands.access(entry.operation);
  reassess(next.command, entry.bank);
}

void Controller::State::issue_precharge(BankIndex bank, std::optional<RequestId> request,
                                        Sink& sink) {
  const Command close = commands.close(Reach::kBank);
  row_policy.precharged(bank);
  readiness.issue(close, bank, clock);
  send(sink, close, location_of(bank, 0, 0), request);
  close_bank(bank);
  reassess(close, bank);
}

void Controller::State::issue_maintenance(const Plan& next, Sink& sink) {
  const Command command = next.command;
  const MaintenanceOp op = maintenance[next.operation];
  const bool anything_open = banks.any_open(op.rank);
  const auto close = [&](BankIndex b) {
    close_bank(b);
    reassess(command, b);
  };
  // Waits after a command to a rank are those of the rank, so that closed banks do not change.
  const auto close_open = [&](BankIndex b) {
    if (!banks.is_open(b)) return;
    close_bank(b);
    reassess_bank(b);
  };
  if (op.kind == MaintenanceOp::Kind::kClose) {
    maintenance.sent(next.operation, clock);
    issue_precharge(banks.index(op.rank, op.bank), std::nullopt, sink);
    return;
  }
  switch (op.reach) {
    case Reach::kRank:
      row_policy.rank_precharged(op.rank);
      readiness.issue_rank(command, op.rank, clock);
      if (anything_open) banks.each_of_rank(op.rank, close_open);
      break;
    case Reach::kSameBank:
      readiness.issue_same(command, op.rank, op.bank, clock);
      banks.each_same(op.rank, op.bank, [&](BankIndex b) { row_policy.precharged(b); });
      banks.each_same(op.rank, op.bank, close);
      break;
    case Reach::kBank:
      readiness.issue(command, banks.index(op.rank, op.bank), clock);
      row_policy.precharged(banks.index(op.rank, op.bank));
      close(banks.index(op.rank, op.bank));
      break;
  }
  const Location where = location_of(banks.index(op.rank, op.bank), 0, 0);
  send(sink, command, where, std::nullopt);
  if (op.kind == MaintenanceOp::Kind::kLeaveRank) {
    ownership.left(op.rank, hand(op.rank));
    maintenance.sent(next.operation, clock);
  } else if (commands.effect(command).refreshes()) {
    if (config.refresh_management) {
      const bool managed = op.kind == MaintenanceOp::Kind::kManage;
      banks.each_addressed(op.reach, op.rank, op.bank,
                           [&](BankIndex b) { activations.refreshed(b, managed); });
    }
    maintenance.sent(next.operation, clock + readiness.refresh_time(command));
  }
}

/// A bank at the threshold of refresh management gets an RFM. Until then no bank of the RFM is
/// activated, so that at most one RFM of a bank is pending.
void Controller::State::count_activation(BankIndex bank) {
  if (!activations.activated(bank)) return;
  const std::uint32_t first = banks.in_rank(bank) % banks_in_turn(config);
  maintenance.push({MaintenanceOp::Kind::kManage, refresh_reach, readiness.rank_of(bank), first});
}

void Controller::State::close_bank(BankIndex bank) {
  if (!banks.is_open(bank)) return;
  banks.close(bank);
  maintenance.closed(bank);
  row_changed(bank);
}

void Controller::State::count_first_command(Entry& entry, Command command) {
  if (entry.served || commands.effect(command).synchronises()) return;
  entry.served = true;
  BankStatistics& bank = statistics.banks[entry.bank];
  switch (commands.effect(command).action) {
    case Action::kOpen:
    case Action::kStartOpen:
      ++bank.misses;
      break;
    case Action::kClose:
      ++bank.conflicts;
      break;
    default:
      ++bank.hits;
      break;
  }
}

void Controller::State::count_waiting(Cycle until) {
  const auto cycles = static_cast<std::uint64_t>((until - counted).value);
  counted = until;
  statistics.read_queue_cycles += cycles * reads.size();
  statistics.write_queue_cycles += cycles * writes.size();
  statistics.active_queue_cycles += cycles * active.size();
}

}  // namespace neardata::dram
