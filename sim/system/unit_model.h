// SPDX-License-Identifier: Apache-2.0
//
// The model of a unit in a machine: its Verilated RTL, or the cycle model with the same cycles.
#pragma once

#include <cstdint>

namespace neardata::system {

enum class UnitModel : std::uint8_t { kRtl, kCycle };

}  // namespace neardata::system
