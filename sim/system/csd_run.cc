// SPDX-License-Identifier: Apache-2.0
#include "system/csd_run.h"

#include <algorithm>
#include <utility>

#include "system/csd_room.h"

namespace neardata::system {

using core::Fs;

namespace {

/// `idle`: nothing need happen before.
core::EngineLimits run_limits(const CsdConfig& config, const CsdRunOptions& options, Fs idle) {
  // A silent channel is waited for, and erases take milliseconds.
  constexpr Fs kPatience{100'000'000'000'000};
  core::EngineLimits limits;
  limits.stalled = kPatience + idle;
  limits.until = kEndOfTime;
  const core::Clock clock(config.clock);
  if (options.max_cycles.value > 0 && options.max_cycles < clock.at_or_after(kEndOfTime)) {
    limits.until = clock.edge(options.max_cycles);
  }
  return limits;
}

/// Runs until nothing is left to do; the flash is settled. The result has the fault, if any, what
/// flash and DRAM have counted, and times; the rest is the host's to say.
template <typename Host>
CsdRunResult watched_run(core::Machine& machine, const Host& host, const StorageRoom& storage,
                         RunWatcher& watcher) {
  CountingObserver observer(watcher, [&] { return host.finished(); });
  CsdRunResult result;
  if (auto outcome = machine.run(observer); !outcome) result.error = std::move(outcome).error();
  FlashPort& flash = *storage.flash;
  flash.settle();
  result.bus_command = flash.bus_time(&flash::BusUse::commands);
  result.bus_data = flash.bus_time(&flash::BusUse::data);
  result.reads = flash.reads();
  result.failed_programs = flash.failed_programs();
  result.pages = flash.records();
  result.dram = storage.dram->traffic();
  result.link = host.traffic();
  result.times = machine.times();
  return result;
}

/// When the GPU has the last of them.
Fs last_ready(const std::vector<Prompt>& prompts) {
  Fs last;
  for (const Prompt& prompt : prompts) last = std::max(last, prompt.ready);
  return last;
}

}  // namespace

CsdRunResult run_csd(const CsdConfig& config, const rtl::SparfPlugin* plugin, KvCache& cache,
                     const std::vector<CsdJob>& jobs, const CsdRunOptions& options,
                     RunWatcher& watcher) {
  core::Machine machine(run_limits(config, options, Fs{}));
  add_csd_clock(machine, config);
  const CsdRoom room = add_csd(machine.room(), config, plugin, cache, jobs, options);
  CsdRunResult result = watched_run(machine, *room.host, room.storage, watcher);
  room.host->settle();
  result.cycles = core::Clock(config.clock).at_or_after(room.host->last_done());
  room.engine->finish(result.cycles);
  result.skipped = room.engine->skipped();
  result.jobs = std::move(room.host->results());
  for (std::size_t job = 0; job < result.jobs.size(); ++job) {
    result.jobs[job].pages = room.storage.flash->asked()[job];
    result.end = std::max(result.end, result.jobs[job].received);
  }
  result.events = room.engine->events();
  return result;
}

core::MachineRecord describe_csd(const CsdConfig& config, const rtl::SparfPlugin* plugin,
                                 KvCache& cache) {
  const std::vector<CsdJob> none;
  const CsdRunOptions options;
  core::Machine machine;
  add_csd_clock(machine, config);
  static_cast<void>(add_csd(machine.room(), config, plugin, cache, none, options));
  static_cast<void>(machine.close());
  return machine.describe();
}

CsdRunResult run_prompts(const CsdConfig& config, KvCache& cache,
                         const std::vector<Prompt>& prompts, const CsdRunOptions& options,
                         RunWatcher& watcher) {
  core::Machine machine(run_limits(config, options, last_ready(prompts)));
  add_csd_clock(machine, config);
  const PromptRoom room = add_prompts(machine.room(), config, cache, prompts, options);
  CsdRunResult result = watched_run(machine, *room.host, room.storage, watcher);
  room.host->settle();
  result.jobs = std::move(room.host->results());
  for (const CsdJobResult& prompt : result.jobs) {
    result.end = std::max(result.end, prompt.received);
    result.cycles = std::max(result.cycles, core::Clock(config.clock).at_or_after(prompt.done));
  }
  result.skipped = result.cycles.value;
  // The engine did nothing.
  result.events = unit::SparfEvents(config.parameters.channels, config.parameters.kernels);
  return result;
}

}  // namespace neardata::system
