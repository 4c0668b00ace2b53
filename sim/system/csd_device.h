// SPDX-License-Identifier: Apache-2.0
//
// A computational storage device: an attention engine before flash channels, controller DRAM and a
// link to the host. A run starts at time 0 with an engine after reset and idle flash; keys, values
// and wear stay from run to run.
#pragma once

#include <vector>

#include "system/csd_run.h"
#include "system/csd_types.h"
#include "system/prompt_host.h"

namespace neardata::system {

class CsdDevice {
 public:
  /// kBadConfig when a machine of this kind cannot be built. `plugin` is the RTL of its engine, for
  /// kRtl; shared, for devices of a session are equal.
  [[nodiscard]] static core::Expected<void> check(const CsdConfig& config,
                                                  const rtl::SparfPlugin* plugin);

  /// Precondition: the configuration has been checked. The plug-in outlives the device.
  CsdDevice(const CsdConfig& config, const rtl::SparfPlugin* plugin)
      : config_(config), plugin_(plugin), cache_(config.cache) {}

  [[nodiscard]] KvCache& cache() { return cache_; }
  /// Everything that stays from run to run becomes as it was when `kept` was copied from the cache
  /// of a device with an equal one. False, and nothing happens, when they are not equal.
  [[nodiscard]] bool restore(const KvCache& kept);

  /// Why the engine cannot do these jobs, one after the other, if so.
  [[nodiscard]] std::optional<std::string> refuses(const std::vector<CsdJob>& jobs) const;

  /// What a run's machine is made of.
  [[nodiscard]] core::MachineRecord describe();

  /// Faults of the machine are in the result; nothing else can fail.
  [[nodiscard]] CsdRunResult run(const std::vector<CsdJob>& jobs, const CsdRunOptions& options,
                                 RunWatcher& watcher);

  /// Prompts of heads without tokens come over the link and are written; likewise.
  [[nodiscard]] CsdRunResult write(const std::vector<Prompt>& prompts, const CsdRunOptions& options,
                                   RunWatcher& watcher);

 private:
  [[nodiscard]] std::optional<std::string> refuses(const CsdJob& job, std::uint32_t tokens) const;

  CsdConfig config_;
  const rtl::SparfPlugin* plugin_;
  KvCache cache_;
};

}  // namespace neardata::system
