// SPDX-License-Identifier: Apache-2.0
//
// One of our channels in the words of Ramulator 2.0's configuration: a memory system of a single
// channel, every timing given in cycles, so that none of its tables decides anything.
#pragma once

#include <string>

#include "dram/channel_model.h"
#include "dram/config.h"

namespace neardata::native::ramulator {

/// The configuration as YAML, with the parts of parts.h among its own.
[[nodiscard]] std::string configuration(const dram::ControllerConfig& config,
                                        const dram::ChannelPlace& place);

}  // namespace neardata::native::ramulator
