// SPDX-License-Identifier: Apache-2.0
//
// One of our channels in the words of Ramulator 2.1's configuration: a memory system of a single
// channel, every timing given in cycles and every constraint worked out from them by its own rules.
#pragma once

#include "dram/config.h"
#include "ramulator/base/config_node.h"

namespace neardata::native::ramulator {

/// The front end and the memory system, with the parts of parts.h among its own.
[[nodiscard]] Ramulator::ConfigNode configuration(const dram::ControllerConfig& config);

}  // namespace neardata::native::ramulator
