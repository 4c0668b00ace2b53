// SPDX-License-Identifier: Apache-2.0
//
// A channel whose controller and device are an installed Ramulator 2.0, driven through its public
// interface: factory, connect, send with callback, tick. Every cycle is a tick of it; what it knows
// goes no further than its commands and callbacks, and the statistics are counted from those.
#pragma once

#include <memory>

#include "dram/channel_model.h"

namespace neardata::native::ramulator {

/// The ChannelMaker; `config` must not be one that config.h refuses. What Ramulator throws,
/// at a configuration or in a run, is thrown on as core::LibraryError.
[[nodiscard]] std::unique_ptr<dram::ChannelModel> make_channel(const dram::ControllerConfig& config,
                                                               const dram::ChannelPlace& place);

}  // namespace neardata::native::ramulator
