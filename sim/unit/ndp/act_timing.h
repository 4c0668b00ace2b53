// SPDX-License-Identifier: Apache-2.0
//
// The time of the activation unit.
#pragma once

#include <cstdint>

#include "unit/ndp/formats.h"

namespace neardata::unit {

/// Cycles from start_i to done_o of the activation unit: ndp_act_pkg::ActLatency and TanhLatency.
[[nodiscard]] constexpr std::uint32_t act_latency(ActFunc func) {
  constexpr std::uint32_t kLatency = 51;
  constexpr std::uint32_t kTanhSteps = 6;
  return func == ActFunc::TanhGelu ? kLatency + kTanhSteps : kLatency;
}

}  // namespace neardata::unit
