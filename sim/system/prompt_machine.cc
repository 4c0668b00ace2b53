// SPDX-License-Identifier: Apache-2.0
#include "system/prompt_machine.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

namespace {

constexpr std::size_t kRequestCapacity = 8;
constexpr std::size_t kBulkCapacity = 4096;

std::vector<CsdJob> heads_of(const std::vector<Prompt>& prompts) {
  std::vector<CsdJob> heads;
  for (const Prompt& prompt : prompts) {
    CsdJob job;
    job.operation = unit::SparfOperation::kAppend;
    job.head = prompt.head;
    heads.push_back(std::move(job));
  }
  return heads;
}

core::EngineLimits limits_of(const CsdConfig& config, const std::vector<Prompt>& prompts,
                             const CsdRunOptions& options) {
  core::EngineLimits limits;
  // Erases take milliseconds, and nothing moves before the GPU is ready.
  constexpr core::Fs kPatience{100'000'000'000'000};
  limits.stalled = kPatience;
  for (const Prompt& prompt : prompts) {
    limits.stalled = std::max(limits.stalled, kPatience + prompt.ready);
  }
  if (options.max_cycles.value > 0) {
    limits.until = core::Clock(config.clock).edge(options.max_cycles);
  }
  return limits;
}

class PromptObserver final : public core::Observer {
 public:
  PromptObserver(const PromptHost& host, CsdWatcher& watcher) : host_(host), watcher_(watcher) {}
  bool keep_going(core::Fs) override { return watcher_.keep_going(host_.finished()); }

 private:
  const PromptHost& host_;
  CsdWatcher& watcher_;
};

}  // namespace

PromptMachine::PromptMachine(const CsdConfig& config, KvCache& cache,
                             const std::vector<Prompt>& prompts, const CsdRunOptions& options)
    : clock_(config.clock),
      events_(config.parameters.channels, config.parameters.kernels),
      heads_(heads_of(prompts)),
      requests_(kRequestCapacity, clock_, clock_),
      programs_(kBulkCapacity, clock_, clock_),
      flash_bulk_(kBulkCapacity, clock_, clock_),
      host_bulk_(kBulkCapacity, clock_, clock_),
      no_reads_(1, clock_, clock_),
      no_lines_(1, clock_, clock_),
      no_writes_(1, clock_, clock_),
      host_(config.link, cache, prompts, {&requests_, &programs_, &host_bulk_}),
      flash_(config.flash, config.dram, cache, heads_, {&requests_, {}, &flash_bulk_, &programs_},
             Pauses(options.pauses, 0), 0),
      dram_(config.dram, clock_, cache.dram(),
            {&no_reads_, &no_lines_, &no_writes_, {&flash_bulk_, &host_bulk_}},
            Pauses(options.pauses, 1)),
      engine_(limits_of(config, prompts, options)) {
  cache.pages().forget_erased();
  cache.hot_pages().forget_dropped();
  requests_.connect(host_.alarm(), flash_.alarm());
  programs_.connect(flash_.alarm(), host_.alarm());
  flash_bulk_.connect(flash_.alarm(), dram_.alarm());
  host_bulk_.connect(host_.alarm(), dram_.alarm());
  engine_.add(host_, core::Fs{0});
  engine_.add(flash_);
  engine_.add(dram_);
}

CsdRunResult PromptMachine::run(CsdWatcher& watcher) {
  PromptObserver observer(host_, watcher);
  CsdRunResult result;
  if (auto outcome = engine_.run(observer); !outcome) result.error = std::move(outcome).error();
  flash_.settle();
  result.jobs = std::move(host_.results());
  for (const CsdJobResult& prompt : result.jobs) {
    result.end = std::max(result.end, prompt.received);
    result.cycles = std::max(result.cycles, clock_.at_or_after(prompt.done));
  }
  result.skipped = result.cycles.value;
  result.events = events_;
  result.bus_command = flash_.bus_time(&flash::BusUse::commands);
  result.bus_data = flash_.bus_time(&flash::BusUse::data);
  result.reads = flash_.reads();
  result.failed_programs = flash_.failed_programs();
  result.dram = dram_.traffic();
  result.link = host_.traffic();
  result.times = engine_.times();
  return result;
}

}  // namespace neardata::system
