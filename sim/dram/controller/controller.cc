// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/controller.h"

#include <algorithm>
#include <cassert>

#include "dram/controller/controller_state.h"

namespace neardata::dram {

bool Controller::State::offer(const Request& request) {
  if (!ownership.owns(request.where.rank)) return false;
  const BankIndex bank = bank_of(request.where);
  const bool read = request.operation == Operation::kRead;
  const bool in_order = !config.semantics.reorders_same_address;
  if (read && (writes.holds(bank, request.address) ||
               (in_order && active.holds(bank, request.address, Operation::kWrite)))) {
    const Cycle done = completions.push_forwarded(request.id, clock + Cycle{1});
    ++statistics.forwarded_reads;
    ++statistics.reads;
    statistics.read_latency.add(done - clock);
    return true;
  }
  if (!read && config.absorbs_writes && writes.holds(bank, request.address)) {
    completions.push_absorbed(request.id, clock);
    ++statistics.writes;
    statistics.write_latency.add(Cycle{});
    return true;
  }
  RequestQueue& queue = read ? reads : writes;
  if (queue.full()) return false;
  count_waiting(clock);
  ownership.request_taken(request.where.rank);
  const EntryIndex i = pool.take();
  Entry& entry = pool[i];
  entry.id = request.id;
  entry.address = request.address;
  entry.arrive = clock;
  entry.order = admissions++;
  entry.row = request.where.row;
  entry.column = request.where.column;
  entry.bank = bank;
  entry.operation = request.operation;
  entry.waits_for_read = in_order && !read && read_waits(bank, request.address);
  queue.push(i);
  plan_is_stale = true;
  return true;
}

Cycle Controller::State::advance(Cycle to, Sink& sink, StopAt stop) {
  bool left = false;
  while (clock < to || cycle_is_open) {
    const Cycle coming = clock + Cycle{1};
    if (!cycle_is_open && maintenance.next_over() <= coming) end_refreshes(coming);
    if (!cycle_is_open && refresh.next() == coming) append_refreshes(coming);
    const Cycle close = append_closes(coming);
    const Cycle change = std::min({refresh.next(), maintenance.next_over(), close});
    const Cycle horizon = cycle_is_open ? clock : std::min(to, change - Cycle{1});
    const Plan& next = plan();  // stays as it is until the next call
    writing = next_writing;
    if (next.when > horizon) {
      if (cycle_is_open) {
        cycle_is_open = false;
        plan_is_stale = true;
        if (left) break;
        continue;
      }
      report_until(horizon, sink);
      clock = horizon;
      continue;
    }
    const std::size_t reads_before = reads.size();
    const std::size_t writes_before = writes.size();
    report_until(next.when, sink);
    count_waiting(next.when);
    clock = next.when;
    cycle_is_open = !commands.ends_cycle(next.command);
    if (config.auto_precharge) [[unlikely]] {
      issue_with_row_policy(next, sink);
    } else {
      issue(next, sink);
    }
    scheduler.ready_times_changed();
    plan_is_stale = true;
    left |= reads.size() < reads_before && stop.read_leaves;
    left |= writes.size() < writes_before && stop.write_leaves;
    if (left && !cycle_is_open) break;
  }
  return clock;
}

/// Appends the refreshes that are due by `by`; they are visible in the tick after `clock`.
void Controller::State::append_refreshes(Cycle by) {
  refresh.take_due(by, [&](std::uint32_t rank, std::uint32_t bank) {
    maintenance.push({MaintenanceOp::Kind::kRefresh, refresh_reach, rank, bank});
  });
  plan_is_stale = true;
}

Cycle Controller::State::find_next_close() const {
  Cycle next = kNever;
  const Command close = commands.close(Reach::kBank);
  for (const BankIndex bank : row_policy.due()) {
    next = std::min(next, readiness.ready_from(close, bank, clock + Cycle{1}));
  }
  return next;
}

Cycle Controller::State::append_due_closes(Cycle by) {
  if (next_close() > by) return next_close();
  const Command close = commands.close(Reach::kBank);
  const std::vector<BankIndex> due = row_policy.due();
  for (const BankIndex bank : due) {
    if (readiness.ready(close, bank) > by) continue;
    row_policy.asked(bank);
    push_close(bank);
  }
  plan_is_stale = true;
  return next_close();
}

void Controller::State::end_refreshes(Cycle by) {
  maintenance.end_refreshes(by);
  plan_is_stale = true;
}

/// No request waits for the rank: closes it after the refreshes that are already due.
void Controller::State::leave(std::uint32_t rank) {
  refresh.stop(rank);
  maintenance.push({MaintenanceOp::Kind::kLeaveRank, Reach::kRank, rank, 0});
  plan_is_stale = true;
}

/// The state of the rank after the PREA that has just closed it.
HandedRank Controller::State::hand(std::uint32_t rank) const {
  HandedRank handed{{}, {}, refresh.account(rank), activations.of_rank(rank)};
  banks.each_of_rank(rank, [&](BankIndex b) {
    handed.activate = std::max(handed.activate, readiness.ready(commands.activate, b));
  });
  for (std::uint8_t c = 0; c < commands.size(); ++c) {
    const Effect effect = commands.effect({c});
    if (!effect.refreshes()) continue;
    handed.refresh = std::max(handed.refresh, readiness.ready_rank({c}, rank));
    if (effect.reach == Reach::kRank) continue;
    banks.each_of_rank(rank, [&](BankIndex b) {
      handed.refresh = std::max(handed.refresh, readiness.ready({c}, b));
    });
  }
  return handed;
}

void Controller::State::report_until(Cycle cycle, Sink& sink) {
  for (Cycle when = completions.next(); when <= cycle; when = completions.next()) {
    sink.completion(completions.pop(), when);
  }
}

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

std::optional<HandedRank> Controller::handed(std::uint32_t rank) const {
  return state_->ownership.handed(rank);
}

void Controller::acquire(std::uint32_t rank, const HandedRank& handed) {
  State& s = *state_;
  s.ownership.take(rank);
  s.readiness.block_rank(rank, handed);
  s.refresh.resume(rank, handed.account);
  s.activations.resume(rank, handed.activations);
  s.append_refreshes(s.clock);
  s.scheduler.ready_times_changed();
  s.plan_is_stale = true;
}

bool Controller::owns(std::uint32_t rank) const { return state_->ownership.owns(rank); }

Cycle Controller::next_event() {
  State& s = *state_;
  const Cycle next = std::min({s.plan().when, s.completions.next(), s.refresh.next(),
                               s.maintenance.next_over(), s.next_close()});
  return std::max(next, s.clock + Cycle{1});
}

Cycle Controller::advance(Cycle to, Sink& sink, StopAt stop) {
  return state_->advance(to, sink, stop);
}

Cycle Controller::clock() const { return state_->clock; }

std::size_t Controller::outstanding() const {
  return state_->pool.in_use() + state_->completions.size();
}

const Statistics& Controller::statistics() const { return state_->statistics; }

std::unique_ptr<ChannelModel> make_controller(const ControllerConfig& config, const ChannelPlace&) {
  return std::make_unique<Controller>(config);
}

bool makes_controllers(const ChannelMaker& maker) {
  using Function = std::unique_ptr<ChannelModel> (*)(const ControllerConfig&, const ChannelPlace&);
  const auto* function = maker.target<Function>();
  return function != nullptr && *function == make_controller;
}

}  // namespace neardata::dram
