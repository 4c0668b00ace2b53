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

/// When the GPU has the last of them.
core::Fs last_ready(const std::vector<Prompt>& prompts) {
  core::Fs last;
  for (const Prompt& prompt : prompts) last = std::max(last, prompt.ready);
  return last;
}

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
      flash_(config.flash, config.dram, cache, heads_,
             {&requests_, {}, &flash_bulk_, &programs_, 0}, Pauses(options.pauses, 0), 0),
      dram_(config.dram, clock_, cache.dram(), cache.lines(),
            {&no_reads_, &no_lines_, &no_writes_, {&flash_bulk_, &host_bulk_}},
            Pauses(options.pauses, 1)),
      engine_(run_limits(config, options, last_ready(prompts))) {
  cache.forget_replaced();
  requests_.connect(host_.alarm(), flash_.alarm());
  programs_.connect(flash_.alarm(), host_.alarm());
  flash_bulk_.connect(flash_.alarm(), dram_.alarm());
  host_bulk_.connect(host_.alarm(), dram_.alarm());
  engine_.add(host_, core::Fs{0});
  engine_.add(flash_);
  engine_.add(dram_);
}

CsdRunResult PromptMachine::run(CsdWatcher& watcher) {
  CsdRunResult result = watched_run(engine_, host_, flash_, dram_, watcher);
  host_.settle();
  result.jobs = std::move(host_.results());
  for (const CsdJobResult& prompt : result.jobs) {
    result.end = std::max(result.end, prompt.received);
    result.cycles = std::max(result.cycles, clock_.at_or_after(prompt.done));
  }
  result.skipped = result.cycles.value;
  result.events = events_;
  return result;
}

}  // namespace neardata::system
