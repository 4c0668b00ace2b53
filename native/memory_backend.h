// SPDX-License-Identifier: Apache-2.0
//
// The model of a DDR5 channel that this addon replays traces and runs machines with. Each addon
// links one: neardata.node the controller of sim/dram, neardata_ramulator.node Ramulator 2.
#pragma once

#include <optional>
#include <string>

#include "dram/channel_model.h"
#include "dram/config.h"

namespace neardata::native {

/// Why the backend cannot be such a channel, in one sentence; nothing when it can.
[[nodiscard]] std::optional<std::string> backend_refuses(const dram::ControllerConfig& config);

/// Makes channels of configs that passed `dram::validate` and are not refused.
[[nodiscard]] dram::ChannelMaker backend_channels();

}  // namespace neardata::native
