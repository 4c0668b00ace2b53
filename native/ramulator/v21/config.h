// SPDX-License-Identifier: Apache-2.0
//
// The Ramulator 2.1 configuration of one channel: a memory system of a single channel with every
// timing in cycles. Ramulator derives the constraints from the timings by its own rules.
#pragma once

#include "dram/config.h"
#include "ramulator/base/config_node.h"

namespace neardata::native::ramulator {

/// The front end and the memory system, which include the parts of parts.h.
[[nodiscard]] Ramulator::ConfigNode configuration(const dram::ControllerConfig& config);

}  // namespace neardata::native::ramulator
