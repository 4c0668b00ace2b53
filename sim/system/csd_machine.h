// SPDX-License-Identifier: Apache-2.0
//
// The parts of one run of a computational storage device and the channels between them. Lives for
// the run.
#pragma once

#include <memory>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/engine.h"
#include "rtl/plugin.h"
#include "system/controller_dram.h"
#include "system/csd_host.h"
#include "system/csd_run.h"
#include "system/csd_types.h"
#include "system/flash_port.h"

namespace neardata::system {

class CsdMachine {
 public:
  /// `plugin` is the RTL of the engine; null for its cycle model.
  CsdMachine(const CsdConfig& config, const rtl::SparfPlugin* plugin, KvCache& cache,
             const std::vector<CsdJob>& jobs, const CsdRunOptions& options);

  [[nodiscard]] CsdRunResult run(CsdWatcher& watcher);

 private:
  void make_unit(const CsdConfig& config, const rtl::SparfPlugin* plugin,
                 const CsdRunOptions& options);
  void connect();

  core::Clock clock_;
  unit::SparfEvents events_;
  core::Channel<unit::SparfDescriptor> descriptors_;
  core::Channel<unit::SparfDone> done_;
  core::Channel<unit::SparfPageRequest> page_requests_;
  std::vector<std::unique_ptr<core::Channel<unit::SparfPage>>> pages_;
  core::Channel<unit::DramRead> dram_reads_;
  core::Channel<unit::DramLine> dram_lines_;
  core::Channel<unit::DramWrite> dram_writes_;
  core::Channel<DramBulk> flash_bulk_;
  core::Channel<DramBulk> host_bulk_;
  CsdHost host_;
  FlashPort flash_;
  ControllerDram dram_;
  std::unique_ptr<unit::SparfUnit> unit_;
  core::Engine engine_;
};

}  // namespace neardata::system
