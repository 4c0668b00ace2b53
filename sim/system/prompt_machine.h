// SPDX-License-Identifier: Apache-2.0
//
// A device while it takes prompts: link, controller DRAM and flash. Its engine rests. Lives for the
// run.
#pragma once

#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/engine.h"
#include "system/controller_dram.h"
#include "system/csd_run.h"
#include "system/csd_types.h"
#include "system/flash_port.h"
#include "system/prompt_host.h"

namespace neardata::system {

class PromptMachine {
 public:
  PromptMachine(const CsdConfig& config, KvCache& cache, const std::vector<Prompt>& prompts,
                const CsdRunOptions& options);

  /// Jobs of the result are prompts: prompt_host.h. Cycles are of the controller's clock.
  [[nodiscard]] CsdRunResult run(CsdWatcher& watcher);

 private:
  core::Clock clock_;
  unit::SparfEvents events_;
  std::vector<CsdJob> heads_;  ///< the flash knows prompts by the heads of jobs
  core::Channel<unit::SparfPageRequest> requests_;
  core::Channel<ProgramEnd> programs_;
  core::Channel<DramBulk> flash_bulk_;
  core::Channel<DramBulk> host_bulk_;
  core::Channel<unit::DramRead> no_reads_;
  core::Channel<unit::DramLine> no_lines_;
  core::Channel<unit::DramWrite> no_writes_;
  PromptHost host_;
  FlashPort flash_;
  ControllerDram dram_;
  core::Engine engine_;
};

}  // namespace neardata::system
