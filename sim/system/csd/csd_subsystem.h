// SPDX-License-Identifier: Apache-2.0
//
// A computational storage device as a subsystem of a machine: flash and controller DRAM, and before
// them either an attention engine with a host that sends it jobs, or a host that sends prompts to
// be written while the engine rests.
#pragma once

#include <vector>

#include "core/machine/machine.h"
#include "rtl/rtl_sparf_unit.h"
#include "system/csd/controller_dram.h"
#include "system/csd/csd_host.h"
#include "system/csd/csd_types.h"
#include "system/csd/host_link.h"
#include "system/csd/prompt_host.h"
#include "system/flash/flash_port.h"

namespace neardata::system {

/// The parts that others query; the machine owns them.
struct StorageSubsystem {
  FlashPort* flash = nullptr;
  const ControllerDram* dram = nullptr;
};

struct CsdSubsystem {
  StorageSubsystem storage;
  CsdHost* host = nullptr;
  unit::SparfUnit* engine = nullptr;
};

struct PromptSubsystem {
  StorageSubsystem storage;
  PromptHost* host = nullptr;
};

/// All devices of a machine have the same clock.
void add_csd_clock(core::Machine& machine, const CsdConfig& config);

/// The work of one device: jobs or prompts. Cache and items outlive the machine.
template <typename Item>
struct DeviceWork {
  std::uint32_t device = 0;  ///< number of the device
  KvCache& cache;
  const std::vector<Item>& items;
};

/// `plugin` is the RTL of the engine; null for its cycle model. It outlives the machine.
[[nodiscard]] CsdSubsystem add_csd(const core::Machine::Subsystem& subsystem,
                                   const CsdConfig& config, const rtl::SparfPlugin* plugin,
                                   const DeviceWork<CsdJob>& work, const CsdRunOptions& options);

[[nodiscard]] PromptSubsystem add_prompts(const core::Machine::Subsystem& subsystem,
                                          const CsdConfig& config, const DeviceWork<Prompt>& work,
                                          const CsdRunOptions& options);

}  // namespace neardata::system
