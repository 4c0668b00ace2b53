// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "system/csd/csd_machine.h"
#include "system/csd/csd_subsystem.h"

namespace neardata::system {

using core::Fs;

namespace {

/// `idle`: time before the first event.
core::EngineLimits run_limits(const CsdConfig& config, const CsdRunOptions& options, Fs idle) {
  // A silent channel ends with a timeout, and erases last milliseconds.
  constexpr Fs kPatience{100'000'000'000'000};
  core::EngineLimits limits{.stalled = kPatience + idle, .until = kEndOfTime};
  limits.threads = options.threads;
  const core::Clock clock(config.clock);
  if (options.max_cycles.value > 0 && options.max_cycles < clock.at_or_after(kEndOfTime)) {
    limits.until = clock.edge(options.max_cycles);
  }
  return limits;
}

/// The name of a device's subsystem; empty for a single device.
std::string subsystem_of(const CsdConfig& config, std::size_t device) {
  return config.devices == 1 ? "" : "device " + std::to_string(device);
}

/// Wall-clock time by part.
void take_times(CsdRunResult& result, const core::MachineRecord& record,
                const std::vector<core::ComponentTime>& times, const std::string& subsystem) {
  for (std::size_t p = 0; p < times.size(); ++p) {
    const core::PartRecord& part = record.parts[p];
    if (part.subsystem != subsystem) continue;
    (part.kind == "attention engine" ? result.engine_seconds : result.storage_seconds) +=
        times[p].seconds;
  }
}

/// The parts of all devices that others query.
template <typename Subsystem>
struct Devices {
  std::vector<Subsystem> subsystems;
  std::vector<DeviceLanes> lanes;
  std::optional<SharedLink> shared_link;
};

/// Runs until all work is done, including open work of the flash. The result has the fault, if any,
/// counters of flash and DRAM, and times; the hosts add the rest.
template <typename Subsystem>
CsdMachineResult watched_run(core::Machine& machine, const CsdConfig& config,
                             const Devices<Subsystem>& devices, RunWatcher& watcher) {
  const auto& [subsystems, lanes, shared_link] = devices;
  CountingObserver observer(watcher, [&] {
    std::size_t finished = 0;
    for (const Subsystem& subsystem : devices.subsystems) finished += subsystem.host->finished();
    return finished;
  });
  const auto outcome = machine.run(observer);
  CsdMachineResult result;
  result.machine = machine.describe();
  const auto times = machine.times();
  bool error_pending = !outcome;
  for (std::size_t d = 0; d < subsystems.size(); ++d) {
    CsdRunResult& device = result.devices.emplace_back();
    if (!outcome && !machine.at_rest(subsystem_of(config, d))) {
      device.error = outcome.error();
      error_pending = false;
    }
    FlashPort& flash = *subsystems[d].storage.flash;
    flash.programs().end_open_work();
    device.bus_command = flash.bus_time(&flash::BusUse::commands);
    device.bus_data = flash.bus_time(&flash::BusUse::data);
    device.reads = flash.context().counters;
    device.failed_programs = flash.programs().failed();
    device.pages = flash.reads().records();
    device.dram = subsystems[d].storage.dram->traffic();
    device.link = subsystems[d].host->traffic();
    device.link_wires = lanes[d].wire_bytes();
    subsystems[d].host->end_open_work();
    device.jobs = std::move(subsystems[d].host->results());
    for (const CsdJobResult& job : device.jobs) device.end = std::max(device.end, job.received);
    take_times(device, result.machine, times, subsystem_of(config, d));
  }
  if (shared_link) result.shared_link = shared_link->counters();
  if (error_pending) {
    for (CsdRunResult& device : result.devices) device.error = outcome.error();
  }
  return result;
}

/// When the GPU has the last of them.
Fs last_ready(const std::vector<std::vector<Prompt>>& prompts) {
  Fs last;
  for (const auto& of_device : prompts) {
    for (const Prompt& prompt : of_device) last = std::max(last, prompt.ready);
  }
  return last;
}

/// Calls `add` with each device's work, its lanes, and the link that devices share, if any.
template <typename Work, typename Add>
auto add_devices(core::Machine& machine, const CsdConfig& config,
                 const std::vector<std::vector<Work>>& work, const Add& add) {
  add_csd_clock(machine, config);
  Devices<decltype(add(machine.subsystem(), std::uint32_t{0}))> devices;
  if (config.shared_link) devices.shared_link = add_shared_link(machine, config);
  for (std::size_t d = 0; d < work.size(); ++d) {
    const core::Machine::Subsystem place = machine.subsystem(subsystem_of(config, d));
    const auto& subsystem =
        devices.subsystems.emplace_back(add(place, static_cast<std::uint32_t>(d)));
    devices.lanes.push_back(add_lanes(place, config, d, *subsystem.host,
                                      devices.shared_link ? &*devices.shared_link : nullptr));
  }
  return devices;
}

/// The work of the engines of all devices.
struct EngineWork {
  const rtl::SparfPlugin* plugin = nullptr;  ///< null for a model of the engine
  std::vector<KvCache>& caches;              ///< by device
  const std::vector<std::vector<CsdJob>>& jobs;
};

auto add_engines(core::Machine& machine, const CsdConfig& config, const EngineWork& work,
                 const CsdRunOptions& options) {
  const auto add = [&](const core::Machine::Subsystem& subsystem, std::uint32_t d) {
    CsdRunOptions of_device = options;
    if (d > 0) of_device.rtl.trace.reset();
    return add_csd(subsystem, config, work.plugin, {d, work.caches[d], work.jobs[d]}, of_device);
  };
  return add_devices(machine, config, work.jobs, add);
}

}  // namespace

CsdMachineResult CsdMachine::run(const std::vector<std::vector<CsdJob>>& jobs,
                                 const CsdRunOptions& options, RunWatcher& watcher) {
  core::Machine machine(run_limits(config_, options, Fs{}));
  const auto devices = add_engines(machine, config_, {plugin_, caches_, jobs}, options);
  CsdMachineResult result = watched_run(machine, config_, devices, watcher);
  for (std::size_t d = 0; d < devices.subsystems.size(); ++d) {
    const CsdSubsystem& subsystem = devices.subsystems[d];
    CsdRunResult& device = result.devices[d];
    device.cycles = core::Clock(config_.clock).at_or_after(subsystem.host->last_done());
    subsystem.engine->finish(device.cycles);
    device.skipped = subsystem.engine->skipped();
    device.events = subsystem.engine->events();
    for (std::size_t job = 0; job < device.jobs.size(); ++job) {
      device.jobs[job].pages = subsystem.storage.flash->reads().requests()[job];
    }
  }
  return result;
}

core::MachineRecord CsdMachine::describe() {
  const std::vector<std::vector<CsdJob>> none(caches_.size());
  core::Machine machine;
  static_cast<void>(add_engines(machine, config_, {plugin_, caches_, none}, {}));
  static_cast<void>(machine.close());
  return machine.describe();
}

CsdMachineResult CsdMachine::write(const std::vector<std::vector<Prompt>>& prompts,
                                   const CsdRunOptions& options, RunWatcher& watcher) {
  core::Machine machine(run_limits(config_, options, last_ready(prompts)));
  const auto add = [&](const core::Machine::Subsystem& subsystem, std::uint32_t d) {
    return add_prompts(subsystem, config_, {d, caches_[d], prompts[d]}, options);
  };
  const auto devices = add_devices(machine, config_, prompts, add);
  CsdMachineResult result = watched_run(machine, config_, devices, watcher);
  for (CsdRunResult& device : result.devices) {
    for (const CsdJobResult& prompt : device.jobs) {
      device.cycles = std::max(device.cycles, core::Clock(config_.clock).at_or_after(prompt.done));
    }
    device.skipped = device.cycles.value;
    // The engine refused the descriptor.
    device.events = unit::SparfEvents(config_.parameters.channels, config_.parameters.kernels);
  }
  return result;
}

}  // namespace neardata::system
