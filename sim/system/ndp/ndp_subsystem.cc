// SPDX-License-Identifier: Apache-2.0
#include "system/ndp/ndp_subsystem.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "system/ndp/cycle_ndp_unit.h"
#include "system/ndp/job_bursts.h"
#include "system/ndp/output_router.h"

namespace neardata::system {

using core::port_of;

namespace {

constexpr std::size_t kOutputCapacity = 4;
constexpr std::size_t kWriteCapacity = 8;
constexpr std::size_t kDescriptorCapacity = 4;
constexpr core::Cycle kAfterwards{16};

/// Bursts of a sub-channel; an ideal one has all that can be named.
std::uint64_t bursts_of(const NdpDimmConfig& config) {
  const auto* dram = std::get_if<DramConfig>(&config.memory);
  if (dram == nullptr) return std::uint64_t{1} << 32U;
  const dram::Organization& organization = dram->controller.organization;
  return organization.channel_bytes() / core::kBurstBytes;
}

/// The output port carries a whole burst a cycle.
core::BusRate output_port_rate(const NdpDimmConfig& config) {
  return {std::int64_t{core::kBurstBytes} * 8, config.unit_clock.value};
}

unit::NdpUnit& add_unit(const core::Machine::Subsystem& subsystem, const NdpDimmConfig& config,
                        const rtl::NdpPlugin* plugin, const NdpRunOptions& options) {
  constexpr const char* kName = "NDP unit";
  if (config.model == UnitModel::kRtl) {
    return subsystem.add<rtl::RtlNdpUnit>(kName, kUnitClock, *plugin, options.bins, options.rtl);
  }
  return subsystem.add<CycleNdpUnit>(kName, kUnitClock, config.parameters, options.bins);
}

MemoryPort& add_port(const core::Machine::Subsystem& subsystem, const NdpDimmConfig& config,
                     const PortContents& contents, std::uint32_t stream,
                     const NdpRunOptions& options) {
  const std::string name = "sub-channel " + std::to_string(stream);
  MemoryPortSetup setup{contents, config.limits, Pauses(options.pauses, stream)};
  if (const auto* given = std::get_if<DramConfig>(&config.memory)) {
    DramConfig dram = *given;
    setup.limits.refresh = refresh_rate(config, stream);
    if (dram.staggered) {
      const std::int64_t interval = dram.controller.refresh_interval.value;
      dram::Cycle& elapsed = dram.controller.refresh_elapsed;
      elapsed.value += interval * stream / config.parameters.streams;
      if (elapsed.value >= interval) elapsed.value -= interval;
    }
    if (dram.shared_commands) {
      const std::uint32_t ranks = ranks_of_half(config.parameters.streams);
      std::int64_t longest = 1;
      for (const dram::CommandKind& kind : dram.controller.commands) {
        longest = std::max(longest, std::int64_t{kind.cycles});
      }
      dram.controller.slots = {longest * ranks, longest * (stream % ranks)};
    }
    return subsystem.add<DramPort>(name, kMemoryClock, setup, dram, options.recorded_commands);
  }
  return subsystem.add<IdealPort>(name, kMemoryClock, setup, std::get<IdealConfig>(config.memory));
}

/// Histories of the bursts of each stream that jobs read and any part writes, and of those that
/// both jobs and others write.
std::vector<BurstHistory> histories_of(const unit::NdpParameters& parameters,
                                       const std::vector<ByteStore>& stores,
                                       const std::vector<unit::Descriptor>& jobs,
                                       const OtherWrites& others) {
  std::vector<BurstRange> read;
  std::vector<BurstRange> written;
  for (const unit::Descriptor& job : jobs) {
    std::ranges::copy(read_by(job, parameters), std::back_inserter(read));
    std::ranges::copy(written_by(job, parameters), std::back_inserter(written));
  }
  const BurstSet reads(std::move(read));
  const BurstSet writes(std::move(written));
  std::vector<BurstHistory> histories;
  bool any = false;
  for (std::size_t s = 0; s < stores.size(); ++s) {
    const BurstSet other(others.empty() ? std::vector<BurstRange>{} : others[s]);
    std::vector<BurstRange> watched;
    for (const BurstSet& both : {reads.common(writes), reads.common(other), writes.common(other)}) {
      std::ranges::copy(both.ranges(), std::back_inserter(watched));
    }
    any = any || !watched.empty();
    histories.emplace_back(stores[s], BurstSet(std::move(watched)));
  }
  if (!any) histories.clear();
  return histories;
}

}  // namespace

core::RefreshRate refresh_rate(const NdpDimmConfig& config, std::uint32_t stream) {
  const auto* dram = std::get_if<DramConfig>(&config.memory);
  if (dram == nullptr || !dram->staggered) return config.limits.refresh;
  return config.limits.refresh.of_turn(stream, config.parameters.streams);
}

void add_ndp_clocks(core::Machine& machine, const NdpDimmConfig& config) {
  machine.add_clock(kUnitClock, core::Clock(config.unit_clock));
  machine.add_clock(kMemoryClock, core::Clock(config.memory_clock));
}

NdpSubsystem add_ndp(const core::Machine::Subsystem& subsystem, const NdpDimmConfig& config,
                     const NdpWork& work, const NdpRunOptions& options) {
  const std::uint32_t streams = config.parameters.streams;
  const auto& queue = subsystem.add<Dispatcher>("descriptor queue", kUnitClock, work.jobs,
                                                config.parameters.descriptors);
  auto& unit = add_unit(subsystem, config, work.plugin, options);
  const auto& router =
      subsystem.add<OutputRouter>("output router", kUnitClock, output_port_rate(config), streams,
                                  bursts_of(config), Pauses(options.pauses, streams));
  subsystem.join(queue.port("descriptors"), unit.port("descriptors"),
                 {.capacity = kDescriptorCapacity});
  subsystem.join(unit.port("done"), queue.port("done"), {.capacity = kDescriptorCapacity});
  subsystem.join(unit.port("output"), router.port("input"), {.capacity = kOutputCapacity});
  NdpSubsystem made{&unit, &queue, {}, {}};
  const bool values = config.model == UnitModel::kRtl;
  if (!values)
    made.histories = histories_of(config.parameters, work.stores, work.jobs, work.others);
  for (std::uint32_t s = 0; s < streams; ++s) {
    BurstHistory* history = made.histories.empty() ? nullptr : &made.histories[s];
    MemoryPort& memory = add_port(subsystem, config, {work.stores[s], history, values}, s, options);
    subsystem.join(unit.port(port_of("requests", s)), memory.port("requests"));
    subsystem.join(memory.port("responses"), unit.port(port_of("responses", s)));
    subsystem.join(router.port(port_of("writes", s)), memory.port("writes"),
                   {.capacity = kWriteCapacity});
    made.ports.push_back(&memory);
  }
  return made;
}

NdpSubsystem::End NdpSubsystem::finish(core::Fs end) const {
  // A unit becomes idle some cycles after its last descriptor; its clock does not count later
  // cycles.
  const core::Clock& clock = unit->clock();
  core::Cycle cycles = clock.after(end);
  if (!queue->spans().empty()) {
    cycles = std::max(cycles, clock.after(queue->spans().back().done) + kAfterwards);
  }
  unit->finish(cycles);
  End found{cycles, std::nullopt};
  for (MemoryPort* port : ports) {
    auto error = port->finish(end);
    if (error && !found.error) found.error = std::move(error);
  }
  return found;
}

std::vector<PortCounters> NdpSubsystem::port_counters() const {
  std::vector<PortCounters> counters;
  for (const MemoryPort* port : ports) counters.push_back(port->counters());
  return counters;
}

}  // namespace neardata::system
