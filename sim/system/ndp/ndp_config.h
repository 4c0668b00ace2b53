// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a DIMM in NDP mode and of its runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/clock.h"
#include "rtl/rtl_ndp_unit.h"
#include "system/memory/dram_port.h"
#include "system/memory/ideal_port.h"
#include "system/memory/memory_port.h"
#include "system/ndp/host_path.h"
#include "system/unit_model.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

struct NdpDimmConfig {
  UnitModel model = UnitModel::kRtl;
  std::string plugin;  ///< path of the Verilated unit, for kRtl
  unit::NdpParameters parameters;
  core::Hertz unit_clock;
  core::Hertz memory_clock;
  BusLimits limits;
  std::variant<DramConfig, IdealConfig> memory;
  /// The host writes inputs and descriptors and reads the outputs; none: inputs and descriptors are
  /// in place.
  std::optional<HostPath> host;
};

/// Checks the config and loads its plug-in, if it has one; kBadConfig when no such machine can be.
[[nodiscard]] core::Expected<std::optional<rtl::NdpPlugin>> load_unit(const NdpDimmConfig& config);

struct NdpRunOptions {
  PauseConfig pauses;
  core::Cycle max_cycles{};  ///< of the unit; zero for no limit
  std::size_t bins = 512;    ///< of the series over time
  std::size_t recorded_commands = 0;
  rtl::RtlOptions rtl;
};

/// A DRAM command and its sub-channel.
struct StreamCommand {
  std::uint32_t stream = 0;
  dram::IssuedCommand command;
};

}  // namespace neardata::system
