// SPDX-License-Identifier: Apache-2.0
#include "system/dimm/ndp_machine.h"

#include <algorithm>
#include <utility>

#include "system/host/host_subsystem.h"
#include "system/ndp/store_memory.h"
#include "unit/ndp/values/ndp_values.h"

namespace neardata::system {

namespace {

core::EngineLimits engine_limits(const core::Clock& clock, const NdpRunOptions& options) {
  core::EngineLimits limits;
  const core::Cycle longest = clock.at_or_after(limits.until);
  if (options.max_cycles.value > 0 && options.max_cycles < longest) {
    limits.until = clock.edge(options.max_cycles);
  }
  return limits;
}

/// The first commands of all sub-channels in order of time.
std::vector<StreamCommand> commands_of(const NdpSubsystem& subsystem, std::size_t most) {
  std::vector<StreamCommand> all;
  for (std::uint32_t s = 0; s < subsystem.ports.size(); ++s) {
    const auto* port = dynamic_cast<const DramPort*>(subsystem.ports[s]);
    if (port == nullptr) continue;
    for (const dram::IssuedCommand& command : port->commands()) all.push_back({s, command});
  }
  std::ranges::stable_sort(all, {}, [](const StreamCommand& c) { return c.command.cycle; });
  if (all.size() > most) all.resize(most);
  return all;
}

/// The cycle model moves no values: those of the descriptors that were done are computed after the
/// run. False when that was stopped.
bool compute_values(const NdpDimmConfig& config, const NdpWork& work, NdpSubsystem& subsystem,
                    const unit::KeepGoing& keep_going) {
  StoreMemory memory(work.stores, subsystem.histories);
  for (std::size_t j = 0; j < subsystem.queue->spans().size(); ++j) {
    if (!unit::compute_values(config.parameters, work.jobs[j], memory, keep_going)) return false;
  }
  return true;
}

HostSubsystem host_of(core::Machine& machine, const NdpDimmConfig& config,
                      const std::vector<unit::Descriptor>& jobs, const NdpSubsystem& subsystem) {
  if (!config.host) return {};
  return add_host(machine, jobs, config, std::get<DramConfig>(config.memory), subsystem);
}

}  // namespace

NdpRunResult run_ndp(const NdpDimmConfig& config, const NdpWork& work, const NdpRunOptions& options,
                     RunWatcher& watcher) {
  const core::Clock clock(config.unit_clock);
  core::Machine machine(engine_limits(clock, options));
  add_ndp_clocks(machine, config);
  NdpSubsystem subsystem = add_ndp(machine.subsystem(), config, work, options);
  const HostSubsystem host = host_of(machine, config, work.jobs, subsystem);
  CountingObserver observer(watcher, [&] { return subsystem.unit->events().bytes_read(); });
  auto outcome = machine.run(observer);
  const core::Fs end = machine.now();
  std::optional<core::SimError> error;
  if (!outcome) error = std::move(outcome).error();
  NdpSubsystem::End finished = subsystem.finish(end);
  if (!error) error = std::move(finished.error);
  const bool stopped = error && error->fault == core::Fault::kCancelled;
  if (config.model == UnitModel::kCycle && !stopped) {
    const auto keep_going = [&] { return observer.keep_going(end); };
    if (!compute_values(config, work, subsystem, keep_going))
      error = core::cancelled("values", end);
  }
  return {.error = std::move(error),
          .end = end,
          .jobs = subsystem.queue->spans(),
          .cycles = finished.cycles,
          .skipped = subsystem.unit->skipped(),
          .events = subsystem.unit->events(),
          .ports = subsystem.port_counters(),
          .commands = commands_of(subsystem, options.recorded_commands),
          .times = machine.times(),
          .machine = machine.describe(),
          .host = config.host ? std::optional(host.jobs.front()->spans()) : std::nullopt};
}

core::MachineRecord describe_ndp(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                                 std::vector<ByteStore>& stores) {
  const std::vector<unit::Descriptor> none;
  core::Machine machine;
  add_ndp_clocks(machine, config);
  const NdpSubsystem subsystem =
      add_ndp(machine.subsystem(), config, {plugin, stores, none, {}}, {});
  static_cast<void>(host_of(machine, config, none, subsystem));
  static_cast<void>(machine.close());
  return machine.describe();
}

}  // namespace neardata::system
