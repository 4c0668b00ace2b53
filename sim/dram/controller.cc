// SPDX-License-Identifier: Apache-2.0
#include "dram/controller.h"

#include <algorithm>
#include <cassert>
#include <deque>

#include "dram/completion_queue.h"
#include "dram/rank_ownership.h"
#include "dram/refresh.h"
#include "dram/row_policy.h"
#include "dram/scheduler.h"
#include "dram/write_mode.h"

namespace neardata::dram {
namespace {

/// Work of the channel's own, served in order and before any waiting request.
struct Chore {
  enum class Kind : std::uint8_t { kRefreshRank, kRefreshSame, kClose, kLeaveRank };
  Kind kind = Kind::kRefreshRank;
  std::uint32_t rank = 0;
  std::uint32_t bank = 0;  ///< within its group for kRefreshSame, in the channel for kClose
};

/// What will happen next if nothing is offered.
struct Plan {
  Cycle when = kNever;
  enum class Source : std::uint8_t { kNothing, kActive, kChore, kRead, kWrite };
  Source source = Source::kNothing;
  Command command = Command::kActivate;
  EntryIndex entry = kNoEntry;
  bool writing = false;  ///< the mode after the first tick of waiting
};

}  // namespace

struct Controller::State {
  explicit State(const ControllerConfig& config_in)
      : config(config_in),
        pool(config.queues.read + config.queues.write + config.queues.active),
        banks(config.organization),
        readiness(config.organization,
                  compile(constraint_rules(config.timing, config.semantics), config.semantics)),
        active(pool, readiness, config.organization, config.queues.active),
        reads({pool, banks, readiness, active}, Command::kRead,
              config.organization.banks_per_channel(), config.queues.read),
        writes({pool, banks, readiness, active}, Command::kWrite,
               config.organization.banks_per_channel(), config.queues.write),
        completions(config.semantics.one_completion_a_cycle),
        refresh(config),
        row_policy(config),
        ownership(config.organization.ranks, config.owns_ranks),
        write_mode(config),
        scheduler(config.organization, readiness) {
    statistics.banks.resize(config.organization.banks_per_channel());
  }

  BankIndex bank_of(const Location& where) const {
    const Organization& o = config.organization;
    return static_cast<BankIndex>(
        (where.rank * o.bank_groups + where.bank_group) * o.banks_per_group + where.bank);
  }
  Location location_of(BankIndex bank, std::uint32_t row, std::uint32_t column) const {
    const Organization& o = config.organization;
    const std::uint32_t group = bank / o.banks_per_group;
    return {group / o.bank_groups, group % o.bank_groups, bank % o.banks_per_group, row, column};
  }

  bool offer(const Request& request);
  const Plan& plan();
  Cycle advance(Cycle to, Sink& sink, StopAt stop);

  // One tick with a command in it.
  void issue(const Plan& next, Sink& sink);
  void issue_access(const Plan& next, Sink& sink);
  void issue_activate(const Plan& next, Sink& sink);
  void issue_precharge(BankIndex bank, std::optional<RequestId> request, Sink& sink);
  void issue_chore(Command command, Sink& sink);

  Plan plan_chore(Cycle from) const;
  bool would_drop(Command command, const Chore& chore) const;
  void append_refreshes();
  void leave(std::uint32_t rank);
  Cycle first_activate(std::uint32_t rank) const;
  void close_bank(BankIndex bank);
  void row_changed(BankIndex bank) {
    reads.row_changed(bank);
    writes.row_changed(bank);
  }
  /// `command` has issued to `bank`, and ready times have changed with it.
  void reassess(Command command, BankIndex bank) {
    const auto look_again = [this](BankIndex b) {
      active.reassess(b);
      reads.reassess(b);
      writes.reassess(b);
    };
    if (readiness.changes_group(command)) {
      banks.each_of_group(bank, look_again);
    } else if (readiness.changes_bank(command)) {
      look_again(bank);
    }
  }
  void count_first_command(Entry& entry, Command command);
  void count_waiting(Cycle until);
  void report_until(Cycle cycle, Sink& sink);

  ControllerConfig config;
  Cycle clock;
  Cycle counted;  ///< the queue occupancies are summed up to here
  std::int64_t admissions = 0;
  std::size_t writes_inside = 0;  ///< taken and not sent
  bool writing = false;
  bool plan_is_stale = true;
  Plan next_plan;

  EntryPool pool;
  Banks banks;
  Readiness readiness;
  ActiveQueue active;
  RequestQueue reads;
  RequestQueue writes;
  std::deque<Chore> chores;
  CompletionQueue completions;
  RefreshTimer refresh;
  RowPolicy row_policy;
  RankOwnership ownership;
  WriteMode write_mode;
  Scheduler scheduler;
  Statistics statistics;
};

// --- Admission ---------------------------------------------------------------------------------

bool Controller::State::offer(const Request& request) {
  if (!ownership.owns(request.where.rank)) {
    ++statistics.refused;
    return false;
  }
  const BankIndex bank = bank_of(request.where);
  const bool read = request.operation == Operation::kRead;
  if (read && writes.holds(bank, request.address)) {
    const Cycle done = completions.push_forwarded(request.id, clock + Cycle{1});
    ++statistics.forwarded_reads;
    ++statistics.reads;
    statistics.read_latency.add(done - clock);
    return true;
  }
  RequestQueue& queue = read ? reads : writes;
  if (queue.full()) {
    ++statistics.refused;
    return false;
  }
  count_waiting(clock);
  ownership.request_taken(request.where.rank);
  const EntryIndex i = pool.take();
  Entry& entry = pool[i];
  entry = Entry{};
  entry.id = request.id;
  entry.address = request.address;
  entry.arrive = clock;
  entry.order = admissions++;
  entry.row = request.where.row;
  entry.column = request.where.column;
  entry.bank = bank;
  entry.operation = request.operation;
  if (!read) ++writes_inside;
  queue.push(i);
  plan_is_stale = true;
  return true;
}

// --- Planning ----------------------------------------------------------------------------------

const Plan& Controller::State::plan() {
  if (!plan_is_stale) return next_plan;
  plan_is_stale = false;
  const Cycle from = clock + Cycle{1};
  const Choice urgent = scheduler.best_active(active, from);
  next_plan = {urgent.when, Plan::Source::kActive, Command::kActivate, urgent.entry, writing};
  if (urgent.entry != kNoEntry) next_plan.command = ActiveQueue::access(pool[urgent.entry]);
  if (urgent.when == from) return next_plan;
  if (!chores.empty()) {
    const Plan chore = plan_chore(from);
    if (chore.when < urgent.when) next_plan = chore;
    return next_plan;
  }
  next_plan.writing = write_mode.next(writing, reads.size(), writes.size());
  const RequestQueue& queue = next_plan.writing ? writes : reads;
  const Choice waiting = scheduler.best_waiting(queue, from);
  if (waiting.when < urgent.when) {
    next_plan.when = waiting.when;
    next_plan.source = next_plan.writing ? Plan::Source::kWrite : Plan::Source::kRead;
    next_plan.command = queue.command_for(waiting.entry);
    next_plan.entry = waiting.entry;
  }
  return next_plan;
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

// --- Time --------------------------------------------------------------------------------------

Cycle Controller::State::advance(Cycle to, Sink& sink, StopAt stop) {
  while (clock < to) {
    if (refresh.next() == clock + Cycle{1}) append_refreshes();
    const Cycle horizon = std::min(to, refresh.next() - Cycle{1});
    const Plan next = plan();
    writing = next.writing;
    if (next.when > horizon) {
      report_until(horizon, sink);
      clock = horizon;
      continue;
    }
    const std::size_t reads_before = reads.size();
    const std::size_t writes_before = writes.size();
    report_until(next.when, sink);
    count_waiting(next.when);
    clock = next.when;
    issue(next, sink);
    scheduler.ready_times_changed();
    plan_is_stale = true;
    if (stop == StopAt::kReadLeaves && reads.size() < reads_before) break;
    if (stop == StopAt::kWriteLeaves && writes.size() < writes_before) break;
  }
  return clock;
}

/// Called before the tick that follows `clock`, in which they are due and already visible.
void Controller::State::append_refreshes() {
  const auto kind = config.refresh == RefreshKind::kSameBank ? Chore::Kind::kRefreshSame
                                                             : Chore::Kind::kRefreshRank;
  refresh.take_due(clock + Cycle{1}, [&](std::uint32_t rank, std::uint32_t bank) {
    chores.push_back({kind, rank, bank});
  });
  plan_is_stale = true;
}

/// Nothing waits for the rank any more: closes it after the refreshes that are already due.
void Controller::State::leave(std::uint32_t rank) {
  refresh.stop(rank);
  chores.push_back({Chore::Kind::kLeaveRank, rank, 0});
  plan_is_stale = true;
}

Cycle Controller::State::first_activate(std::uint32_t rank) const {
  Cycle ready;
  banks.each_of_rank(
      rank, [&](BankIndex b) { ready = std::max(ready, readiness.ready(Command::kActivate, b)); });
  return ready;
}

void Controller::State::report_until(Cycle cycle, Sink& sink) {
  for (Cycle when = completions.next(); when <= cycle; when = completions.next()) {
    sink.completion(completions.pop(), when);
  }
}

// --- Commands ----------------------------------------------------------------------------------

void Controller::State::issue(const Plan& next, Sink& sink) {
  ++statistics.commands[index(next.command)];
  if (next.source == Plan::Source::kChore) {
    issue_chore(next.command, sink);
    return;
  }
  Entry& entry = pool[next.entry];
  count_first_command(entry, next.command);
  switch (next.command) {
    case Command::kRead:
    case Command::kWrite:
      issue_access(next, sink);
      break;
    case Command::kActivate:
      issue_activate(next, sink);
      break;
    default:
      issue_precharge(entry.bank, entry.id, sink);
      break;
  }
}

void Controller::State::issue_access(const Plan& next, Sink& sink) {
  const Entry& entry = pool[next.entry];
  const BankIndex bank = entry.bank;
  const RequestId id = entry.id;
  readiness.issue(next.command, bank, clock);
  sink.command({clock, next.command, location_of(bank, entry.row, entry.column), id});
  if (row_policy.accessed(bank)) chores.push_back({Chore::Kind::kClose, 0, bank});
  if (next.command == Command::kRead) {
    ++statistics.reads;
    ++statistics.banks[bank].reads;
    const Cycle done = completions.push_read(id, clock + config.timing.read_latency());
    statistics.read_latency.add(done - entry.arrive);
  } else {
    --writes_inside;
    ++statistics.writes;
    ++statistics.banks[bank].writes;
    statistics.write_latency.add(clock - entry.arrive);
  }
  if (next.source == Plan::Source::kActive) {
    active.remove(next.entry);
  } else {
    (next.source == Plan::Source::kRead ? reads : writes).remove(next.entry);
  }
  pool.give_back(next.entry);
  const std::uint32_t rank = readiness.rank_of(bank);
  if (ownership.request_done(rank)) leave(rank);
  reassess(next.command, bank);
  if (next.command == Command::kWrite) sink.completion(id, clock);
}

void Controller::State::issue_activate(const Plan& next, Sink& sink) {
  const Entry& entry = pool[next.entry];
  readiness.issue(next.command, entry.bank, clock);
  sink.command({clock, next.command, location_of(entry.bank, entry.row, 0), entry.id});
  if (!active.full()) {
    (next.source == Plan::Source::kRead ? reads : writes).remove(next.entry);
    active.push(next.entry);
  }
  banks.open(entry.bank, entry.row);
  row_changed(entry.bank);
  reassess(next.command, entry.bank);
}

void Controller::State::issue_precharge(BankIndex bank, std::optional<RequestId> request,
                                        Sink& sink) {
  row_policy.precharged(bank);
  readiness.issue(Command::kPrecharge, bank, clock);
  sink.command({clock, Command::kPrecharge, location_of(bank, 0, 0), request});
  close_bank(bank);
  reassess(Command::kPrecharge, bank);
}

void Controller::State::issue_chore(Command command, Sink& sink) {
  const Chore chore = chores.front();
  const bool anything_open = banks.any_open(chore.rank);
  const bool changes_times = readiness.changes_bank(command) || readiness.changes_group(command);
  const auto close = [&](BankIndex b) {
    close_bank(b);
    reassess(command, b);
  };
  switch (command) {
    case Command::kPrechargeAll:
    case Command::kRefreshAll:
      row_policy.rank_precharged(chore.rank);
      readiness.issue_rank(command, chore.rank, clock);
      if (anything_open || changes_times) banks.each_of_rank(chore.rank, close);
      break;
    case Command::kPrechargeSame:
    case Command::kRefreshSame:
      readiness.issue_same(command, chore.rank, chore.bank, clock);
      banks.each_same(chore.rank, chore.bank, [&](BankIndex b) { row_policy.precharged(b); });
      banks.each_same(chore.rank, chore.bank, close);
      break;
    default:
      chores.pop_front();
      issue_precharge(static_cast<BankIndex>(chore.bank), std::nullopt, sink);
      return;
  }
  const Location where{chore.rank, 0, chore.bank, 0, 0};
  sink.command({clock, command, where, std::nullopt});
  const bool leaves = chore.kind == Chore::Kind::kLeaveRank;
  if (leaves) ownership.left(chore.rank, first_activate(chore.rank));
  if (leaves || command == Command::kRefreshAll || command == Command::kRefreshSame) {
    chores.pop_front();
  }
}

void Controller::State::close_bank(BankIndex bank) {
  if (!banks.is_open(bank)) return;
  banks.close(bank);
  row_changed(bank);
}

// --- Counting ----------------------------------------------------------------------------------

void Controller::State::count_first_command(Entry& entry, Command command) {
  if (entry.served) return;
  entry.served = true;
  BankStatistics& bank = statistics.banks[entry.bank];
  switch (command) {
    case Command::kActivate:
      ++bank.misses;
      break;
    case Command::kPrecharge:
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

// --- The face ----------------------------------------------------------------------------------

Controller::Controller(const ControllerConfig& config) : state_(std::make_unique<State>(config)) {}
Controller::~Controller() = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;

bool Controller::offer(const Request& request, Cycle now) {
  assert(now == state_->clock);
  static_cast<void>(now);
  return state_->offer(request);
}

void Controller::release(std::uint32_t rank) {
  if (state_->ownership.begin_leaving(rank)) state_->leave(rank);
}

std::optional<Cycle> Controller::usable_by_others(std::uint32_t rank) const {
  return state_->ownership.usable(rank);
}

void Controller::acquire(std::uint32_t rank, Cycle from) {
  State& s = *state_;
  s.ownership.take(rank);
  s.readiness.block_rank(rank, from);
  s.refresh.resume(rank, s.clock);
  s.scheduler.ready_times_changed();
  s.plan_is_stale = true;
}

bool Controller::owns(std::uint32_t rank) const { return state_->ownership.owns(rank); }

Cycle Controller::next_event() {
  State& s = *state_;
  return std::min({s.plan().when, s.completions.next(), s.refresh.next()});
}

Cycle Controller::next_completion() {
  State& s = *state_;
  if (s.pool.in_use() == 0) return s.completions.next();
  const Cycle command = std::min(s.plan().when, s.refresh.next());
  // A write completes with its command, a read not before its data.
  const bool only_reads = s.writes_inside == 0 && command != kNever;
  const Cycle first = only_reads ? command + s.config.timing.read_latency() : command;
  return std::min(s.completions.next(), first);
}

Cycle Controller::advance(Cycle to, Sink& sink, StopAt stop) {
  return state_->advance(to, sink, stop);
}

Cycle Controller::clock() const { return state_->clock; }

std::size_t Controller::outstanding() const {
  return state_->pool.in_use() + state_->completions.size();
}

const Statistics& Controller::statistics() const { return state_->statistics; }

}  // namespace neardata::dram
