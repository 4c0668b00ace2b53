// SPDX-License-Identifier: Apache-2.0
//
// One run of an NDP DIMM by itself: its node in an engine of its own. Lives for the run.
#pragma once

#include <vector>

#include "core/clock.h"
#include "core/engine.h"
#include "system/ndp_dimm.h"
#include "system/ndp_node.h"

namespace neardata::system {

class NdpMachine {
 public:
  NdpMachine(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
             std::vector<ByteStore>& stores, const std::vector<unit::Descriptor>& jobs,
             const NdpRunOptions& options);

  [[nodiscard]] NdpRunResult run(RunWatcher& watcher);

 private:
  [[nodiscard]] std::vector<StreamCommand> commands(std::size_t kept) const;

  core::Clock unit_clock_;
  std::size_t kept_commands_;
  NdpNode node_;
  core::Engine engine_;
};

}  // namespace neardata::system
