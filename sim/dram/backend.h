// SPDX-License-Identifier: Apache-2.0
//
// The model of a DDR5 channel that traces are replayed and machines run with. The program that
// links this library has one: neardata.node the controller here, neardata_ramulator.node
// Ramulator 2.
#pragma once

#include <optional>
#include <string>

#include "dram/channel_model.h"
#include "dram/config.h"

namespace neardata::dram {

/// Why the backend cannot be such a channel, in one sentence; nothing when it can.
[[nodiscard]] std::optional<std::string> backend_refuses(const ControllerConfig& config);

/// Makes channels of configs that passed `validate` and are not refused.
[[nodiscard]] ChannelMaker backend_channels();

}  // namespace neardata::dram
