// SPDX-License-Identifier: Apache-2.0
#include "system/csd/csd_subsystem.h"

#include <algorithm>
#include <utility>

#include "rtl/rtl_sparf_unit.h"
#include "unit/sparf/cycle/cycle_sparf_unit.h"

namespace neardata::system {

using core::port_of;

namespace {

constexpr const char* kEngineClock = "engine";
constexpr std::size_t kJobCapacity = 4;
constexpr std::size_t kRequestCapacity = 8;
/// Capacity of lines in flight: more than a latency of them.
constexpr std::size_t kLineCapacity = 1024;
constexpr std::size_t kBulkCapacity = 4096;
/// Flash and host read a message of the engine this number of cycles after the push. The DRAM
/// reads a write one cycle earlier, so rows that were written before the message are stored.
constexpr core::Cycle kAfterWrites{2};

/// The most jobs in flight: as many as the engine can store and queue, or fewer by the options.
std::uint32_t in_flight(const unit::SparfParameters& unit, const CsdRunOptions& options) {
  return options.in_flight > 0 ? std::min(options.in_flight, KvCache::kJobBuffers / 2)
                               : 4 * unit.kernels * unit.slots;
}

unit::SparfUnit& add_engine(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                            const rtl::SparfPlugin* plugin, CsdHost& host,
                            const CsdRunOptions& options) {
  constexpr const char* kName = "attention engine";
  if (plugin != nullptr) {
    return subsystem.add<rtl::RtlSparfUnit>(kName, kEngineClock, *plugin, host, options.rtl);
  }
  return subsystem.add<unit::CycleSparfUnit>(kName, kEngineClock, config.parameters, host);
}

/// The parts of a device that use its storage.
struct StorageClients {
  KvCache& cache;
  std::vector<FlashHead> heads;  ///< by handle
  std::uint32_t tags = 0;        ///< tags of pages that an engine reads
  const core::Part& host;
};

/// Flash and DRAM, the host's bulk transfers joined to it.
StorageSubsystem add_storage(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                             StorageClients clients, const CsdRunOptions& options) {
  KvCache& cache = clients.cache;
  const core::Part& host = clients.host;
  cache.forget_replaced();
  const FlashPortSetup setup{.config = config.flash,
                             .dram = config.dram,
                             .cache = cache,
                             .tags = clients.tags,
                             .pauses = Pauses(options.pauses, 0),
                             .recorded_pages = options.recorded_pages};
  auto& flash = subsystem.add<FlashPort>("flash", kEngineClock, setup, std::move(clients.heads));
  const auto& dram =
      subsystem.add<ControllerDram>("controller DRAM", kEngineClock, config.dram, cache.dram(),
                                    cache.lines(), Pauses(options.pauses, 1));
  subsystem.join(flash.port("dram"), dram.port("flash"), {.capacity = kBulkCapacity});
  subsystem.join(dram.port("read"), flash.port("read"), {.capacity = kBulkCapacity});
  subsystem.join(host.port("dram"), dram.port("host"), {.capacity = kBulkCapacity});
  return {&flash, &dram};
}

}  // namespace

void add_csd_clock(core::Machine& machine, const CsdConfig& config) {
  machine.add_clock(kEngineClock, core::Clock(config.clock));
  add_link_clock(machine, config);
}

CsdSubsystem add_csd(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                     const rtl::SparfPlugin* plugin, const DeviceWork<CsdJob>& work,
                     const CsdRunOptions& options) {
  std::vector<FlashHead> heads;
  for (const CsdJob& job : work.items) {
    heads.push_back({job.head, job.operation == unit::SparfOperation::kAppend});
  }
  auto& host = subsystem.add<CsdHost>(
      "host", kEngineClock,
      DeviceLink(config.link, work.device, config.devices, least_path_time(config)), work.cache,
      work.items, in_flight(config.parameters, options));
  auto& engine = add_engine(subsystem, config, plugin, host, options);
  const StorageSubsystem storage =
      add_storage(subsystem, config,
                  {work.cache, std::move(heads), config.parameters.page_tags(), host}, options);
  const FlashPort& flash = *storage.flash;
  const ControllerDram& dram = *storage.dram;
  subsystem.join(dram.port("host_read"), host.port("read"), {.capacity = kBulkCapacity});
  subsystem.join(host.port("descriptors"), engine.port("descriptors"), {.capacity = kJobCapacity});
  subsystem.join(engine.port("done"), host.port("done"),
                 {.capacity = kJobCapacity, .latency = kAfterWrites});
  subsystem.join(engine.port("page_requests"), flash.port("requests"),
                 {.capacity = kRequestCapacity, .latency = kAfterWrites});
  for (std::uint32_t c = 0; c < config.parameters.channels; ++c) {
    subsystem.join(flash.port(port_of("pages", c)), engine.port(port_of("pages", c)));
  }
  subsystem.join(engine.port("dram_reads"), dram.port("reads"), {.capacity = kRequestCapacity});
  subsystem.join(dram.port("lines"), engine.port("dram_lines"), {.capacity = kLineCapacity});
  subsystem.join(engine.port("dram_writes"), dram.port("writes"), {.capacity = kRequestCapacity});
  return {storage, &host, &engine};
}

PromptSubsystem add_prompts(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                            const DeviceWork<Prompt>& work, const CsdRunOptions& options) {
  std::vector<FlashHead> heads;
  for (const Prompt& prompt : work.items) heads.push_back({prompt.head, true});
  auto& host = subsystem.add<PromptHost>(
      "host", kEngineClock,
      DeviceLink(config.link, work.device, config.devices, least_path_time(config)), work.cache,
      work.items);
  const StorageSubsystem storage =
      add_storage(subsystem, config, {work.cache, std::move(heads), 0, host}, options);
  subsystem.join(host.port("pages"), storage.flash->port("requests"),
                 {.capacity = kRequestCapacity});
  subsystem.join(storage.flash->port("programs"), host.port("programs"),
                 {.capacity = kBulkCapacity});
  return {storage, &host};
}

}  // namespace neardata::system
