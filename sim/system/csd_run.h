// SPDX-License-Identifier: Apache-2.0
//
// What runs of a device have in common, whether its engine works or prompts come: how long they
// may take, who looks on, and what flash and DRAM have counted in the end.
#pragma once

#include <cstddef>
#include <utility>

#include "core/engine.h"
#include "system/controller_dram.h"
#include "system/csd_types.h"
#include "system/flash_port.h"

namespace neardata::system {

/// Looks at a run from outside, every few thousand instants.
class CsdWatcher {
 public:
  virtual ~CsdWatcher() = default;
  /// False cancels the run.
  [[nodiscard]] virtual bool keep_going(std::size_t jobs_done) = 0;
};

/// `idle`: nothing need happen before.
[[nodiscard]] core::EngineLimits run_limits(const CsdConfig& config, const CsdRunOptions& options,
                                            core::Fs idle = {});

/// Runs until nothing is left to do; the flash is settled. The result has the fault, if any, what
/// flash and DRAM have counted, and times; the rest is the host's to say.
template <typename Host>
[[nodiscard]] CsdRunResult watched_run(core::Engine& engine, const Host& host, FlashPort& flash,
                                       const ControllerDram& dram, CsdWatcher& watcher) {
  class JobObserver final : public core::Observer {
   public:
    JobObserver(const Host& host, CsdWatcher& watcher) : host_(host), watcher_(watcher) {}
    bool keep_going(core::Fs) override { return watcher_.keep_going(host_.finished()); }

   private:
    const Host& host_;
    CsdWatcher& watcher_;
  };
  JobObserver observer(host, watcher);
  CsdRunResult result;
  if (auto outcome = engine.run(observer); !outcome) result.error = std::move(outcome).error();
  flash.settle();
  result.bus_command = flash.bus_time(&flash::BusUse::commands);
  result.bus_data = flash.bus_time(&flash::BusUse::data);
  result.reads = flash.reads();
  result.failed_programs = flash.failed_programs();
  result.pages = flash.records();
  result.dram = dram.traffic();
  result.link = host.traffic();
  result.times = engine.times();
  return result;
}

}  // namespace neardata::system
