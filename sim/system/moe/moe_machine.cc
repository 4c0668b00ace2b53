// SPDX-License-Identifier: Apache-2.0
#include "system/moe/moe_machine.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "system/ndp/job_bursts.h"
#include "system/ndp/store_memory.h"
#include "unit/ndp/values/ndp_values.h"

namespace neardata::system {

using core::port_of;

namespace {

constexpr std::size_t kRelayoutCapacity = 8;
constexpr std::size_t kOrderCapacity = 64;

/// The DIMMs of flows. Adds their links and hubs to the network.
core::Expected<std::set<std::uint32_t>> plan_paths(link::Network& network, const MoeConfig& config,
                                                   const std::vector<Flow>& flows) {
  std::set<std::uint32_t> dimms;
  if (const auto why = config.network.topology.refuses(config.dimms)) {
    return core::bad_config("DIMM-Link", *why);
  }
  for (const Flow& flow : flows) {
    if (!network.connect(flow.source, flow.target)) {
      return core::bad_config("DIMM-Link", "there is no way from DIMM " +
                                               std::to_string(flow.source) + " to DIMM " +
                                               std::to_string(flow.target));
    }
    dimms.insert({flow.source, flow.target});
  }
  return dimms;
}

/// The input of the target's hub at which each flow arrives.
std::vector<std::size_t> entries_of(const link::Network& network, const std::vector<Flow>& flows) {
  std::vector<std::size_t> entries;
  for (const Flow& flow : flows) {
    const bool local = flow.source == flow.target;
    entries.push_back(local ? 0 : network.entry(flow.source, flow.target));
  }
  return entries;
}

/// The relayout unit of a DIMM is the second client of its sub-channels.
void join_relayout(const core::Machine::Subsystem& subsystem, const RelayoutUnit& unit,
                   const RelayoutDirector& director, std::uint32_t dimm, const NdpSubsystem& ndp) {
  for (std::size_t s = 0; s < ndp.ports.size(); ++s) {
    const MemoryPort& memory = *ndp.ports[s];
    subsystem.join(unit.port(port_of("requests", s)), memory.port("background.requests"));
    subsystem.join(memory.port("background.responses"), unit.port(port_of("responses", s)));
    subsystem.join(unit.port(port_of("writes", s)), memory.port("background.writes"),
                   {.capacity = kRelayoutCapacity});
    subsystem.join(memory.port("background.written"), unit.port(port_of("written", s)));
  }
  constexpr core::EdgeRules kOrders{.capacity = kOrderCapacity,
                                    .flow_control = core::FlowControl::kAlwaysReady};
  subsystem.join(director.port(port_of("orders", dimm)), unit.port("orders"), kOrders);
  subsystem.join(unit.port("done"), director.port(port_of("done", dimm)), kOrders);
}

/// The jobs of a DIMM whose values are computed for the requested outputs: only these jobs, or all
/// jobs up to the last one that affects the final contents.
std::set<std::uint32_t> valued_jobs(const MoeConfig& config, const MoeWork& work,
                                    std::uint32_t dimm, const NdpSubsystem& subsystem) {
  const auto& jobs = work.jobs[dimm];
  const auto& parameters = config.dimm.parameters;
  std::set<std::uint32_t> wanted;
  for (const MoeWork::Valued& valued : work.valued) {
    if (valued.dimm == dimm) wanted.insert(valued.job);
  }
  std::vector<BurstRange> outputs;
  for (const std::uint32_t job : wanted) {
    std::ranges::copy(written_by(jobs[job], parameters), std::back_inserter(outputs));
  }
  const BurstSet seen(std::move(outputs));
  std::set<std::uint32_t> all;
  bool only_wanted = subsystem.histories.empty();
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    if (seen.common(BurstSet(written_by(jobs[job], parameters))).empty()) continue;
    only_wanted = only_wanted && wanted.contains(job);
    for (auto before = static_cast<std::uint32_t>(all.size()); before <= job; ++before) {
      all.insert(before);
    }
  }
  return only_wanted ? wanted : all;
}

/// Values of jobs that a model of a unit did: it moves none. False when that was stopped.
bool compute_values(const MoeConfig& config, const MoeWork& work, MoeSubsystems& subsystems,
                    Stores& stores, const unit::KeepGoing& keep_going) {
  for (std::uint32_t dimm = 0; dimm < config.dimms; ++dimm) {
    NdpSubsystem& subsystem = subsystems.dimms[dimm];
    if (subsystem.queue == nullptr || config.rtl_dimms.contains(dimm)) continue;
    StoreMemory memory(stores[dimm], subsystem.histories);
    for (const std::uint32_t job : valued_jobs(config, work, dimm, subsystem)) {
      if (job >= subsystem.queue->spans().size()) break;
      const unit::Descriptor& descriptor = work.jobs[dimm][job];
      if (!unit::compute_values(config.dimm.parameters, descriptor, memory, keep_going)) {
        return false;
      }
    }
  }
  return true;
}

Writes writes_of(const MoeConfig& config, const MoeWork& work) {
  Writes writes{MoveWrites(config.dimms, OtherWrites(config.dimm.parameters.streams)),
                JobWrites(config.dimms)};
  for (const RelayoutMove& move : work.moves) {
    for (const RelayoutRun& run : move.runs) {
      writes.moves[run.to.dimm][run.to.stream].push_back(bursts_at(run.to, run.bursts));
    }
  }
  for (std::uint32_t d = 0; d < config.dimms; ++d) {
    for (const unit::Descriptor& job : work.jobs[d]) {
      std::ranges::copy(written_by(job, config.dimm.parameters),
                        std::back_inserter(writes.jobs[d]));
    }
  }
  return writes;
}

/// A model of a unit moves no values, so its outputs cannot be read before the end of the run.
std::optional<std::string> refused_move(const MoeConfig& config, const MoeWork& work,
                                        const Writes& writes) {
  std::vector<BurstSet> outputs;
  for (const auto& ranges : writes.jobs) outputs.emplace_back(ranges);
  for (std::size_t m = 0; m < work.moves.size(); ++m) {
    for (const RelayoutRun& run : work.moves[m].runs) {
      if (config.rtl_dimms.contains(run.from.dimm)) continue;
      if (!outputs[run.from.dimm].overlaps(bursts_at(run.from, run.bursts))) continue;
      return "move " + std::to_string(m) + " reads outputs of DIMM " +
             std::to_string(run.from.dimm) + ", whose unit is a model without values";
    }
  }
  return std::nullopt;
}

std::optional<core::SimError> check_bytes(const MoeWork& work, const Writes& writes,
                                          const Stores& stores, core::Fs now) {
  const std::vector<RelayoutMove> moves = undisturbed(work.moves, writes.jobs, writes.moves);
  for (std::size_t m = 0; m < moves.size(); ++m) {
    if (const auto wrong = difference(moves[m], stores)) {
      return core::SimError{core::Fault::kProtocol, "move " + std::to_string(m), *wrong, now};
    }
  }
  return std::nullopt;
}

/// The channels of a library may share hidden state, so they run on one thread.
std::uint32_t threads_of(const MoeConfig& config) {
  const auto* memory = std::get_if<DramConfig>(&config.dimm.memory);
  return memory == nullptr || dram::makes_controllers(memory->make_channel) ? config.threads : 1;
}

/// The first commands of all memories in order of time; within a cycle, the host's are last.
std::vector<RankCommand> commands_of(const MoeSubsystems& subsystems, std::size_t most) {
  std::vector<RankCommand> all;
  for (std::uint32_t d = 0; d < subsystems.dimms.size(); ++d) {
    for (std::uint32_t s = 0; s < subsystems.dimms[d].ports.size(); ++s) {
      const auto* port = dynamic_cast<const DramPort*>(subsystems.dimms[d].ports[s]);
      if (port == nullptr) continue;
      for (const dram::IssuedCommand& issued : port->commands()) {
        all.push_back({{d, s}, false, issued});
      }
    }
  }
  for (std::size_t k = 0; k < subsystems.host.ports.size(); ++k) {
    for (const dram::IssuedCommand& issued : subsystems.host.ports[k]->commands()) {
      all.push_back({rank_place(k, issued.where.rank), true, issued});
    }
  }
  std::ranges::stable_sort(all, {}, [](const RankCommand& c) { return c.issued.cycle; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace

core::Expected<MoeSubsystems> add_moe(core::Machine& machine, const MoeConfig& config,
                                      const MoeInputs& inputs) {
  const auto& [plugin, work, flows, stores] = inputs;
  MoeSubsystems subsystems{.writes = writes_of(config, work),
                           .network = link::Network(config.network, config.forwarding.has_value()),
                           .dimms = {},
                           .host = {}};
  const auto moving = plan_paths(subsystems.network, config, flows);
  if (!moving) return std::unexpected(moving.error());
  const auto* memory = std::get_if<DramConfig>(&config.dimm.memory);
  const bool forwards = !subsystems.network.senders().empty();
  const bool host = !work.devices.empty() || config.dimm.host.has_value() || forwards;
  if (host && (memory == nullptr || config.dimms % 2 != 0 ||
               config.dimm.parameters.streams != 2 * kHostRanks)) {
    return core::bad_config("host", "a host reads pairs of DIMMs with eight ranks of DDR5 each");
  }
  if (work.jobs_start > core::Fs{0} && !config.dimm.host) {
    return core::bad_config("jobs", "only jobs that a host sends can begin later");
  }
  if (const auto why = refused_move(config, work, subsystems.writes)) {
    return core::bad_config("moves", *why);
  }
  add_ndp_clocks(machine, config.dimm);
  const auto& director = machine.subsystem().add<RelayoutDirector>(
      "relayout director", kUnitClock, work.moves, flows, entries_of(subsystems.network, flows));
  subsystems.director = &director;
  // DIMMs whose ranks share the sub-channels of a host talk all the time.
  const std::uint32_t together = host ? 2 : 1;
  subsystems.network.add_to(machine, together);
  subsystems.dimms.resize(config.dimms);
  for (std::uint32_t d = 0; d < config.dimms; ++d) {
    if (!host && work.jobs[d].empty() && !moving->contains(d)) continue;
    const core::Machine::Subsystem subsystem =
        machine.subsystem(link::dimm_subsystem(d), link::dimm_partition(d, together));
    NdpDimmConfig dimm = config.dimm;
    dimm.model = config.rtl_dimms.contains(d) ? UnitModel::kRtl : UnitModel::kCycle;
    NdpRunOptions options;
    options.recorded_commands = config.recorded_commands;
    subsystems.dimms[d] = add_ndp(
        subsystem, dimm, {plugin, stores[d], work.jobs[d], subsystems.writes.moves[d]}, options);
    if (!moving->contains(d)) continue;
    const auto& unit =
        subsystem.add<RelayoutUnit>("relayout unit", kUnitClock, d, flows, stores[d].size(),
                                    subsystems.dimms[d].ports.front()->least_write_time());
    subsystems.network.join(machine, d, unit.port("inject"), unit.port("eject"));
    join_relayout(subsystem, unit, director, d, subsystems.dimms[d]);
  }
  if (host) {
    const HostForwarder* forwarder =
        forwards ? add_forwarder(machine, subsystems.network, *config.forwarding, config.dimms)
                 : nullptr;
    const HostWork host_work{.devices = work.devices,
                             .jobs = work.jobs,
                             .jobs_start = work.jobs_start,
                             .dimm = config.dimm,
                             .memory = *memory,
                             .recorded_commands = config.recorded_commands};
    subsystems.host = add_host(machine, host_work, subsystems.dimms, forwarder);
  }
  return subsystems;
}

MoeResult run_moe(const MoeConfig& config, const rtl::NdpPlugin* plugin, const MoeWork& work,
                  Stores& stores, core::Observer& observer) {
  MoeResult result;
  result.flows = flows_of(work.moves);
  const std::vector<Flow> flows = result.flows;
  core::Machine machine({.threads = threads_of(config)});
  auto subsystems = add_moe(machine, config, {plugin, work, flows, stores});
  if (!subsystems) {
    result.error = subsystems.error();
    return result;
  }
  auto outcome = machine.run(observer);
  result.end = machine.now();
  result.error = outcome ? check_bytes(work, subsystems->writes, stores, result.end)
                         : std::optional(std::move(outcome).error());
  result.jobs.resize(config.dimms);
  result.ports.resize(config.dimms);
  result.events.resize(config.dimms);
  for (std::uint32_t d = 0; d < config.dimms; ++d) {
    const NdpSubsystem& subsystem = subsystems->dimms[d];
    if (subsystem.unit == nullptr) continue;
    auto finished = subsystem.finish(result.end);
    if (!result.error) result.error = std::move(finished.error);
    result.jobs[d] = subsystem.queue->spans();
    result.ports[d] = subsystem.port_counters();
    const unit::NdpEvents& events = subsystem.unit->events();
    std::ranges::copy(events.totals(), result.events[d].begin());
    result.events[d][unit::kBytesRead] = events.bytes_read();
  }
  const bool stopped = result.error && result.error->fault == core::Fault::kCancelled;
  const auto keep_going = [&] { return observer.keep_going(result.end); };
  if (!stopped && !compute_values(config, work, *subsystems, stores, keep_going)) {
    result.error = core::cancelled("values", result.end);
  }
  result.moves = subsystems->director->spans();
  result.flow_spans = subsystems->director->flow_spans();
  result.links = subsystems->network.report();
  for (const HostDevice* device : subsystems->host.devices) {
    std::ranges::copy(device->spans(), std::back_inserter(result.devices));
  }
  for (const auto* pcie : subsystems->host.pcie) {
    result.pcie.push_back(pcie == nullptr ? link::LinkCounters{} : pcie->counters());
    result.transferring.push_back(
        pcie == nullptr ? core::Fs{} : pcie->clock().edge({pcie->counters().busy_cycles}));
  }
  for (const HostJobs* jobs : subsystems->host.jobs) {
    result.host_jobs.push_back(jobs == nullptr ? std::nullopt : std::optional(jobs->spans()));
  }
  for (const HostPort* port : subsystems->host.ports) result.host.push_back(port->counters());
  result.commands = commands_of(*subsystems, config.recorded_commands);
  result.times = machine.times();
  result.machine = machine.describe();
  return result;
}

}  // namespace neardata::system
