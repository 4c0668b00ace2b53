// SPDX-License-Identifier: Apache-2.0
//
// What the checks of whole machines have in common: the DIMM of TriMoE's Table 1, DDR5-4800 behind
// units that are cycle models.
#pragma once

#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include "system/moe/moe_machine.h"

namespace neardata::checks {

/// DDR5-4800 in cycles of 2400 MHz, as the preset "TriMoE" has it.
inline dram::Timing ddr5_4800() {
  return {.nBL = {8},
          .nCL = {40},
          .nRCD = {34},
          .nRP = {34},
          .nRAS = {77},
          .nRC = {111},
          .nWR = {72},
          .nRTP = {18},
          .nCWL = {38},
          .nPPD = {2},
          .nCCDS = {8},
          .nCCDS_WR = {8},
          .nCCDS_WTR = {52},
          .nCCDL = {12},
          .nCCDL_WR = {48},
          .nCCDL_WTR = {70},
          .nRRDS = {8},
          .nRRDL = {12},
          .nFAW = {32},
          .nRFC1 = {708},
          .nRFCsb = {312},
          .nREFSBRD = {72},
          .nREFI = {9360},
          .nCS = {2}};
}

/// Constraints of DDR5-4800 from the table of the standard. The .test.ts writes them to standard
/// input: numbers of both commands, level, other ranks, window and wait in a line.
inline const std::vector<dram::Constraint>& ddr5_4800_constraints() {
  static const std::vector<dram::Constraint> rows = [] {
    std::vector<dram::Constraint> all;
    std::array<std::int64_t, 6> n{};
    while (std::cin >> n[0] >> n[1] >> n[2] >> n[3] >> n[4] >> n[5]) {
      all.push_back({.from = static_cast<dram::Command>(n[0]),
                     .to = static_cast<dram::Command>(n[1]),
                     .level = static_cast<dram::Level>(n[2]),
                     .others = n[3] != 0,
                     .window = static_cast<std::uint32_t>(n[4]),
                     .wait = {n[5]}});
    }
    return all;
  }();
  return rows;
}

/// A DIMM of eight rank-sub-channels.
inline system::NdpDimmConfig table1_dimm() {
  system::NdpDimmConfig config;
  config.model = system::UnitModel::kCycle;
  config.unit_clock = core::Hertz{1'000'000'000};
  config.memory_clock = core::Hertz{2'400'000'000};
  config.limits = {{32, 4'800'000'000}, core::Cycle{48}, {core::Cycle{9360}, 4}};
  system::DramConfig memory;
  memory.controller.timing = ddr5_4800();
  memory.controller.constraints = ddr5_4800_constraints();
  memory.controller.refresh_interval = memory.controller.timing.nREFI;
  memory.controller.semantics = dram::kJedec;
  memory.controller.queues = dram::QueueSizes::of(32, dram::kJedec);
  config.memory = memory;
  return config;
}

}  // namespace neardata::checks
