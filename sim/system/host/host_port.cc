// SPDX-License-Identifier: Apache-2.0
#include "system/host/host_port.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

using core::Fs;

namespace {

/// Bursts before the end of a run at which the next run's rank is requested: they last about as
/// long as the NDP side's queue of reads and the ownership transfer.
constexpr std::uint32_t kAskAhead = 48;

dram::ControllerConfig host_config(const DramConfig& rank, std::size_t ranks) {
  dram::ControllerConfig config = rank.controller;
  config.organization.ranks = static_cast<std::uint32_t>(ranks);
  config.owns_ranks = false;
  return config;
}

}  // namespace

HostPort::HostPort(core::Placement place, const HostPortSetup& setup)
    : Part(std::move(place)),
      readers_(setup.readers),
      words_(setup.refreshes.size()),
      bus_(std::string(name()), setup.limits.rate),
      config_(host_config(setup.memory, setup.refreshes.size() + setup.buffers)),
      mapper_(setup.memory.mapping, setup.memory.controller.organization),
      controller_(config_),
      runs_(setup.readers),
      open_time_(config_.organization),
      recorded_commands_(setup.recorded_commands),
      least_access_(clock().edge(
          {std::min(config_.timing.read_latency(), config_.timing.write_latency()).value})) {
  for (std::size_t r = 0; r < setup.refreshes.size(); ++r) {
    const std::string rank = std::string(name()) + " rank " + std::to_string(r);
    ranks_.push_back(
        {Hold::kAway,
         {},
         core::RefreshGuard(rank + " refresh", setup.refreshes[r]),
         ActivationGuard(rank + " activations", config_.organization, setup.limits.activations)});
  }
  for (std::size_t b = 0; b < setup.buffers; ++b) {
    controller_.acquire(static_cast<std::uint32_t>(ranks_.size()), {});
    ranks_.push_back({Hold::kHere,
                      {},
                      core::RefreshGuard({}, {}),
                      ActivationGuard({}, config_.organization, std::nullopt)});
  }
  counters_.held.resize(setup.refreshes.size());
}

void HostPort::declare(core::PortList& ports) {
  for (std::size_t r = 0; r < readers_.size(); ++r) {
    ports.in(core::port_of("runs", r), readers_[r].runs);
    ports.out(core::port_of("done", r), readers_[r].done);
  }
  for (std::size_t r = 0; r < words_.size(); ++r) {
    ports.out(core::port_of("to_ndp", r), words_[r].to_ndp);
    ports.in(core::port_of("from_ndp", r), words_[r].from_ndp);
  }
}

core::Expected<Fs> HostPort::step(Fs now) {
  const dram::Cycle cycle{clock().after(now).value - 1};
  catch_up(cycle);
  hear(now);
  static_cast<void>(offer_some());
  const std::vector<std::uint32_t> wanted = needed();
  ask(now, wanted);
  release(now, wanted);
  report(now);
  if (error_) return std::unexpected(*error_);
  foresee_ends();
  return next_work(now, wanted);
}

void HostPort::pass(Fs t) { catch_up({clock().after(t).value - 1}); }

/// Offers bursts in the cycles in which the queues have space.
void HostPort::catch_up(dram::Cycle now) {
  while (controller_.clock() < now) {
    refused_ = offer_some();
    controller_.advance(now, *this, refused_.value_or(dram::StopAt{}));
  }
}

/// A run of writes to DRAM has its rank and is not through.
bool HostPort::writing() const {
  return std::ranges::any_of(runs_, [&](const Runs& of) {
    return std::ranges::any_of(of.runs, [&](const OngoingRun& run) {
      return run.what.write && !is_buffer(run.what.rank) && run.answered < run.what.bursts &&
             ranks_[run.what.rank].hold == Hold::kHere;
    });
  });
}

/// Offers requests that fit. A full queue blocks only its own kind of request: a packet that waits
/// for a write to a buffer chip does not delay another reader's reads.
std::optional<dram::StopAt> HostPort::offer_some() {
  const bool reads_wait = writing();
  bool writes_full = false;
  bool reads_full = false;
  std::size_t before = 0;
  do {
    before = controller_.outstanding();
    writes_full = offer_round_robin(dram::Operation::kWrite, next_write_rank_);
    if (!reads_wait) reads_full = offer_round_robin(dram::Operation::kRead, next_read_rank_);
  } while (controller_.outstanding() != before);
  if (!writes_full && !reads_full) return std::nullopt;
  return dram::StopAt{.read_leaves = reads_full, .write_leaves = writes_full};
}

/// Round-robin over the readers, from `next_reader` on. A reader without a request is skipped.
/// Returns true if a request found its queue full.
bool HostPort::offer_round_robin(dram::Operation operation, std::size_t& next_reader) {
  for (std::size_t idle = 0; idle < runs_.size();) {
    const std::size_t reader = next_reader % runs_.size();
    const Offer offer = offer_from(reader, operation);
    if (offer == Offer::kFull) return true;
    idle = offer == Offer::kNothing ? idle + 1 : 0;
    ++next_reader;
  }
  return false;
}

/// One burst of the reader's first run that has any left, if that run is of this kind.
HostPort::Offer HostPort::offer_from(std::size_t reader, dram::Operation operation) {
  std::deque<OngoingRun>& runs = runs_[reader].runs;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    OngoingRun& run = runs[r];
    if (run.offered == run.what.bursts) continue;
    if (run.what.write != (operation == dram::Operation::kWrite)) return Offer::kNothing;
    if (ranks_[run.what.rank].hold != Hold::kHere) return Offer::kNothing;
    const std::uint64_t burst = run.what.burst + run.offered;
    dram::Location where = mapper_.map(burst * config_.organization.access_bytes()).where;
    where.rank = run.what.rank;
    const dram::Request request{id_of(reader, r), operation,
                                (std::uint64_t{run.what.rank} << 48U) | burst, where};
    if (!controller_.offer(request, controller_.clock())) return Offer::kFull;
    ++run.offered;
    ++counters_.bursts;
    return Offer::kOffered;
  }
  return Offer::kNothing;
}

/// A request names its reader and, by number, its run: the controller may issue bursts of a later
/// run before those of an earlier one.
dram::RequestId HostPort::id_of(std::size_t reader, std::size_t at) const {
  return {(runs_[reader].first + at) * runs_.size() + reader};
}

HostPort::OngoingRun& HostPort::run_of(dram::RequestId id) {
  Runs& of = runs_[id.value % runs_.size()];
  return of.runs[id.value / runs_.size() - of.first];
}

/// No read is served from the queue of writes: reads are offered when writes to DRAM have left, and
/// a buffer chip has separate bursts for reads and writes.
void HostPort::command(const dram::IssuedCommand& issued) {
  const bool buffer = is_buffer(issued.where.rank);
  if (!buffer && commands_.size() < recorded_commands_) commands_.push_back(issued);
  if (issued.effect.action == dram::Action::kRefresh) {
    const core::Cycle cycle{issued.cycle.value};
    keep(ranks_[issued.where.rank].refresh.refreshed(cycle, clock().edge(cycle)));
  }
  ActivationGuard& activations = ranks_[issued.where.rank].activations;
  if (activations.checks()) {
    keep(activations.command(issued, clock().edge({issued.cycle.value})));
  }
  if (!buffer) open_time_.command(issued);
  if (issued.effect.action == dram::Action::kOpen && !buffer) ++counters_.activates;
  const bool write = issued.effect.action == dram::Action::kWrite;
  if (!issued.effect.accesses()) return;
  std::uint64_t& dram_bursts = write ? counters_.write_bursts : counters_.read_bursts;
  ++(buffer ? counters_.forwarded_bursts : dram_bursts);
  const dram::Timing& timing = config_.timing;
  const dram::Cycle end = issued.cycle + (write ? timing.write_latency() : timing.read_latency());
  const Fs time = clock().edge({end.value});
  keep(bus_.transfer({core::kBurstBytes}, time));
  OngoingRun& run = run_of(*issued.request);
  if (++run.answered == run.what.bursts) run.end = time;
}

void HostPort::hear(Fs now) {
  for (std::size_t r = 0; r < words_.size(); ++r) {
    while (const RankMessage* message = words_[r].from_ndp->front(now)) {
      controller_.acquire(static_cast<std::uint32_t>(r), message->rank);
      ranks_[r].hold = Hold::kHere;
      ranks_[r].refresh.take(message->refreshes);
      ranks_[r].activations.take(message->activations);
      ++counters_.ownership_transfers;
      words_[r].from_ndp->pop(now);
    }
  }
  for (std::size_t reader = 0; reader < runs_.size(); ++reader) {
    while (const HostRun* run = readers_[reader].runs->front(now)) {
      take(reader, *run, now);
      readers_[reader].runs->pop(now);
    }
  }
}

/// A run beyond the capacity of its rank ends the machine's run: its place would be that of another
/// burst.
void HostPort::take(std::size_t reader, const HostRun& run, Fs now) {
  const dram::Organization& organization = config_.organization;
  const std::uint64_t bursts =
      organization.channel_bytes() / organization.ranks / organization.access_bytes();
  if (run.rank < ranks_.size() && std::uint64_t{run.burst} + run.bursts <= bursts) {
    runs_[reader].runs.push_back({run});
    return;
  }
  keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                      "a run of " + std::to_string(run.bursts) + " bursts from " +
                          std::to_string(run.burst) + " of rank " + std::to_string(run.rank) +
                          " is beyond the " + std::to_string(bursts) + " bursts of each of " +
                          std::to_string(ranks_.size()) + " ranks",
                      now});
}

/// By rank, the bursts left of the runs that are worked on, or will be soon.
std::vector<std::uint32_t> HostPort::needed() const {
  std::vector<std::uint32_t> bursts(ranks_.size(), 0);
  for (const Runs& of : runs_) {
    for (const OngoingRun& run : of.runs) {
      bursts[run.what.rank] += run.what.bursts - run.answered;
      if (run.what.bursts - run.offered > kAskAhead) break;
    }
  }
  return bursts;
}

void HostPort::ask(Fs now, const std::vector<std::uint32_t>& wanted) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (wanted[r] == 0 || ranks_[r].hold != Hold::kAway) continue;
    if (!words_[r].to_ndp->try_push(now, {})) continue;
    ranks_[r].hold = Hold::kAsked;
    ranks_[r].since = controller_.clock();
  }
}

void HostPort::release(Fs now, const std::vector<std::uint32_t>& wanted) {
  for (std::uint32_t r = 0; r < words_.size(); ++r) {
    Rank& rank = ranks_[r];
    if (rank.hold == Hold::kHere && wanted[r] == 0) {
      controller_.release(r);
      rank.hold = Hold::kLeaving;
    }
    if (rank.hold != Hold::kLeaving) continue;
    const auto handed = controller_.handed(r);
    if (!handed || !words_[r].to_ndp->try_push(
                       now, {true, *handed, rank.refresh.count(), rank.activations.account()})) {
      continue;
    }
    rank.hold = Hold::kAway;
    counters_.held[r] += (controller_.clock() - rank.since).value;
  }
}

void HostPort::report(Fs now) {
  for (std::size_t reader = 0; reader < runs_.size(); ++reader) {
    auto& [first, runs] = runs_[reader];
    while (!runs.empty() && runs.front().end <= now && readers_[reader].done->try_push(now, {})) {
      runs.pop_front();
      ++first;
    }
  }
}

/// The time of the next step: before a run can end, or its successor's rank must be requested, no
/// other part is affected. The controller's cycles are computed when one of the two is due.
Fs HostPort::next_work(Fs now, const std::vector<std::uint32_t>& wanted) {
  Fs next = core::kNever;
  const auto wake = [&](Fs time) {
    if (time > now) next = std::min(next, time);
  };
  for (const Reader& reader : readers_) wake(reader.runs->front_time());
  for (const Words& words : words_) wake(words.from_ndp->front_time());
  const auto in_cycles = [&](dram::Cycle cycle) {
    wake(clock().edge({std::max(cycle, controller_.clock() + dram::Cycle{1}).value}));
  };
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].hold == Hold::kLeaving) in_cycles(controller_.next_event());
    // The rank left in this step, and a run that arrived meanwhile needs it: the next cycle
    // requests it.
    if (ranks_[r].hold == Hold::kAway && wanted[r] > 0) in_cycles(controller_.clock());
  }
  for (const Runs& of : runs_) {
    if (!of.runs.empty()) wake(of.runs.front().end);
    for (const OngoingRun& run : of.runs) {
      const std::uint32_t left = run.what.bursts - run.answered;
      if (left == 0 || ranks_[run.what.rank].hold != Hold::kHere) continue;
      const std::uint32_t ahead = left > kAskAhead ? left - kAskAhead : left;
      in_cycles(controller_.clock() + dram::Cycle{ahead * config_.timing.burst.value});
      break;
    }
  }
  return next;
}

/// From the first command of so many bursts, one at least, to the end of the last one's data.
Fs HostPort::bursts_time(std::uint32_t bursts) const {
  return clock().edge({(bursts - 1) * config_.timing.burst.value}) + least_access_;
}

void HostPort::foresee_ends() {
  ends_from_ = core::kNever;
  ends_after_rank_ = core::kNever;
  for (const Runs& of : runs_) {
    if (of.runs.empty()) continue;
    const OngoingRun& run = of.runs.front();
    if (run.end != core::kNever) {
      ends_from_ = std::min(ends_from_, run.end);
      continue;
    }
    const Fs time = bursts_time(run.what.bursts - run.answered);
    if (ranks_[run.what.rank].hold == Hold::kHere) {
      ends_from_ = std::min(ends_from_, present() + time);
    } else {
      ends_after_rank_ = std::min(ends_after_rank_, time);
    }
  }
}

Fs HostPort::earliest_message(Fs due) const {
  Fs next = ends_from_;
  if (ends_after_rank_ != core::kNever) next = std::min(next, due + ends_after_rank_);
  for (const Reader& reader : readers_) {
    const Fs run = reader.runs->front_time();
    if (run != core::kNever) next = std::min(next, run + least_access_);
  }
  return std::max(due, next);
}

std::optional<std::string> HostPort::waits_for() const {
  std::size_t waiting = 0;
  for (const Runs& of : runs_) waiting += of.runs.size();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " runs of bursts";
}

}  // namespace neardata::system
