// SPDX-License-Identifier: Apache-2.0
//
// What the checks of whole machines have in common: the DIMM of TriMoE's Table 1, DDR5-4800 behind
// units that are cycle models.
#pragma once

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

/// A DIMM of eight rank-sub-channels.
inline system::NdpDimmConfig table1_dimm() {
  system::NdpDimmConfig config;
  config.model = system::UnitModel::kCycle;
  config.unit_clock = core::Hertz{1'000'000'000};
  config.memory_clock = core::Hertz{2'400'000'000};
  config.limits = {{32, 4'800'000'000}, core::Cycle{48}, {core::Cycle{9360}, 4}};
  system::DramConfig memory;
  memory.controller.timing = ddr5_4800();
  memory.controller.semantics = dram::kJedec;
  memory.controller.queues = dram::QueueSizes::of(32, dram::kJedec);
  config.memory = memory;
  return config;
}

}  // namespace neardata::checks
