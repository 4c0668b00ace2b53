// SPDX-License-Identifier: Apache-2.0
//
// The time of the activation unit.
#pragma once

#include <cstdint>

namespace neardata::unit {

/// Cycles from start_i to done_o of the activation unit: ndp_act_pkg::ActLatency.
inline constexpr std::uint32_t kActLatency = 50;

}  // namespace neardata::unit
