// SPDX-License-Identifier: Apache-2.0
#include "system/csd_machine.h"

#include <algorithm>
#include <utility>

#include "rtl/rtl_sparf_unit.h"
#include "unit/cycle_sparf_unit.h"

namespace neardata::system {

using core::Channel;
using core::Cycle;

namespace {

constexpr std::size_t kDescriptorCapacity = 4;
constexpr std::size_t kRequestCapacity = 8;
/// Lines under way: more than a latency of them.
constexpr std::size_t kLineCapacity = 1024;
constexpr std::size_t kBulkCapacity = 4096;
/// Flash and host look at what the engine gave so many cycles later, one more than the DRAM at a
/// write: rows written before it are there.
constexpr Cycle kAfterWrites{2};

std::vector<std::unique_ptr<Channel<unit::SparfPage>>> page_channels(
    const unit::SparfParameters& unit, const core::Clock& clock) {
  // As many pages as there are tags: never full.
  const std::size_t room = unit.page_tags() + 1;
  std::vector<std::unique_ptr<Channel<unit::SparfPage>>> channels;
  for (std::uint32_t c = 0; c < unit.channels; ++c) {
    channels.push_back(std::make_unique<Channel<unit::SparfPage>>(room, clock, clock));
  }
  return channels;
}

std::vector<Channel<unit::SparfPage>*> ends(
    const std::vector<std::unique_ptr<Channel<unit::SparfPage>>>& channels) {
  std::vector<Channel<unit::SparfPage>*> ends;
  for (const auto& channel : channels) ends.push_back(channel.get());
  return ends;
}

/// As many jobs as the engine holds and queues, unless fewer are wanted.
std::uint32_t in_flight(const unit::SparfParameters& unit, const CsdRunOptions& options) {
  return options.in_flight > 0 ? std::min(options.in_flight, KvCache::kJobBuffers / 2)
                               : 4 * unit.kernels * unit.slots;
}

}  // namespace

CsdMachine::CsdMachine(const CsdConfig& config, const rtl::SparfPlugin* plugin, KvCache& cache,
                       const std::vector<CsdJob>& jobs, const CsdRunOptions& options)
    : clock_(config.clock),
      events_(config.parameters.channels, config.parameters.kernels),
      descriptors_(kDescriptorCapacity, clock_, clock_),
      done_(kDescriptorCapacity, clock_, clock_, kAfterWrites),
      page_requests_(kRequestCapacity, clock_, clock_, kAfterWrites),
      pages_(page_channels(config.parameters, clock_)),
      dram_reads_(kRequestCapacity, clock_, clock_),
      dram_lines_(kLineCapacity, clock_, clock_),
      dram_writes_(kRequestCapacity, clock_, clock_),
      flash_bulk_(kBulkCapacity, clock_, clock_),
      host_bulk_(kBulkCapacity, clock_, clock_),
      host_(config.link, cache, jobs, in_flight(config.parameters, options),
            {&descriptors_, &done_, &host_bulk_}),
      flash_(config.flash, config.dram, cache, jobs,
             {&page_requests_, ends(pages_), &flash_bulk_, nullptr, config.parameters.page_tags()},
             Pauses(options.pauses, 0), options.kept_pages),
      dram_(config.dram, clock_, cache.dram(), cache.lines(),
            {&dram_reads_, &dram_lines_, &dram_writes_, {&flash_bulk_, &host_bulk_}},
            Pauses(options.pauses, 1)),
      engine_(run_limits(config, options)) {
  cache.forget_replaced();
  make_unit(config, plugin, options);
  connect();
}

void CsdMachine::make_unit(const CsdConfig& config, const rtl::SparfPlugin* plugin,
                           const CsdRunOptions& options) {
  unit::SparfPorts ports{.descriptors = &descriptors_,
                         .done = &done_,
                         .page_requests = &page_requests_,
                         .pages = ends(pages_),
                         .dram_reads = &dram_reads_,
                         .dram_lines = &dram_lines_,
                         .dram_writes = &dram_writes_};
  if (plugin != nullptr) {
    unit_ = std::make_unique<rtl::RtlSparfUnit>(*plugin, std::move(ports), clock_, events_, host_,
                                                options.trace);
  } else {
    unit_ = std::make_unique<unit::CycleSparfUnit>(config.parameters, std::move(ports), clock_,
                                                   events_, host_);
  }
}

void CsdMachine::connect() {
  core::Alarm& unit = unit_->alarm();
  descriptors_.connect(host_.alarm(), unit);
  done_.connect(unit, host_.alarm());
  page_requests_.connect(unit, flash_.alarm());
  for (const auto& channel : pages_) channel->connect(flash_.alarm(), unit);
  dram_reads_.connect(unit, dram_.alarm());
  dram_lines_.connect(dram_.alarm(), unit);
  dram_writes_.connect(unit, dram_.alarm());
  flash_bulk_.connect(flash_.alarm(), dram_.alarm());
  host_bulk_.connect(host_.alarm(), dram_.alarm());

  engine_.add(host_, core::Fs{0});
  engine_.add(*unit_, core::Fs{0});
  engine_.add(flash_);
  engine_.add(dram_);
}

CsdRunResult CsdMachine::run(CsdWatcher& watcher) {
  CsdRunResult result = watched_run(engine_, host_, flash_, dram_, watcher);
  host_.settle();
  result.cycles = clock_.at_or_after(host_.last_done());
  unit_->finish(result.cycles);
  result.skipped = unit_->skipped();
  result.jobs = std::move(host_.results());
  for (std::size_t job = 0; job < result.jobs.size(); ++job) {
    result.jobs[job].pages = flash_.asked()[job];
    result.end = std::max(result.end, result.jobs[job].received);
  }
  result.events = events_;
  return result;
}

}  // namespace neardata::system
