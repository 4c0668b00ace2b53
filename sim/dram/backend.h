// SPDX-License-Identifier: Apache-2.0
//
// The DDR5 channel model that replays and machines use. Each addon links one: neardata.node the
// controller of this directory, neardata_ramulator.node Ramulator 2.
#pragma once

#include <optional>
#include <string>

#include "dram/channel_model.h"
#include "dram/config.h"

namespace neardata::dram {

/// The reason why the backend cannot model such a channel, in one sentence; empty if it can.
[[nodiscard]] std::optional<std::string> backend_refuses(const ControllerConfig& config);

/// Creates channels from configs that passed `validate` and that the backend does not refuse.
[[nodiscard]] ChannelMaker backend_channels();

}  // namespace neardata::dram
