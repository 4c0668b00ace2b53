// SPDX-License-Identifier: Apache-2.0
//
// What the checks of whole machines have in common: the DIMM of TriMoE's Table 1, DDR5-4800 behind
// units that are cycle models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include "system/moe/moe_machine.h"

namespace neardata::checks {

/// DDR5-4800 in cycles of 2400 MHz, as the preset "TriMoE" has it.
inline dram::Timing ddr5_4800() {
  return {.burst = {8}, .read = {40}, .write = {38}, .refresh = {708}, .named = {}};
}
inline constexpr dram::Cycle kRefreshInterval{9360};

/// Commands and constraints of DDR5-4800 from the table of the standard.
struct Ddr5Table {
  std::vector<dram::CommandKind> commands;
  std::vector<dram::Constraint> constraints;
};

/// The .test.ts writes them to standard input: the number of commands; name, action, reach and
/// cycles of each; numbers of both commands, level, other ranks, window and wait of each row.
inline const Ddr5Table& ddr5_4800_table() {
  static const Ddr5Table table = [] {
    Ddr5Table all;
    std::size_t commands = 0;
    std::cin >> commands;
    for (std::size_t c = 0; c < commands; ++c) {
      dram::CommandKind kind;
      std::array<std::uint32_t, 2> effect{};
      std::cin >> kind.name >> effect[0] >> effect[1] >> kind.cycles;
      kind.effect = {static_cast<dram::Action>(effect[0]), static_cast<dram::Reach>(effect[1])};
      all.commands.push_back(kind);
    }
    std::array<std::int64_t, 6> n{};
    while (std::cin >> n[0] >> n[1] >> n[2] >> n[3] >> n[4] >> n[5]) {
      all.constraints.push_back({.from = {static_cast<std::uint8_t>(n[0])},
                                 .to = {static_cast<std::uint8_t>(n[1])},
                                 .level = static_cast<dram::Level>(n[2]),
                                 .others = n[3] != 0,
                                 .window = static_cast<std::uint32_t>(n[4]),
                                 .wait = {n[5]}});
    }
    return all;
  }();
  return table;
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
  memory.controller.commands = ddr5_4800_table().commands;
  memory.controller.constraints = ddr5_4800_table().constraints;
  memory.controller.refresh_interval = kRefreshInterval;
  memory.controller.semantics = dram::kJedec;
  memory.controller.queues = dram::QueueSizes::of(32, dram::kJedec);
  config.memory = memory;
  return config;
}

}  // namespace neardata::checks
