// SPDX-License-Identifier: Apache-2.0
//
// The Ramulator 2.0 configuration of one channel: a memory system of a single channel with every
// timing in cycles, so that no table of Ramulator is used.
#pragma once

#include <string>

#include "dram/channel_model.h"
#include "dram/config.h"

namespace neardata::native::ramulator {

/// The configuration as YAML, which includes the parts of parts.h.
[[nodiscard]] std::string configuration(const dram::ControllerConfig& config,
                                        const dram::ChannelPlace& place);

}  // namespace neardata::native::ramulator
