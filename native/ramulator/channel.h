// SPDX-License-Identifier: Apache-2.0
//
// A channel whose controller and device are an installed Ramulator, driven through its public
// interface: factory, connect, send with callback, tick. Every cycle is a tick of Ramulator. The
// channel observes only commands and callbacks, and counts the statistics from them. v20 implements
// it for Ramulator 2.0, v21 for 2.1; an addon contains one of the two.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dram/channel_model.h"

namespace neardata::native::ramulator {

/// Why Ramulator cannot be such a channel, in one sentence; nothing when it can.
[[nodiscard]] std::optional<std::string> refuses(const dram::ControllerConfig& config);

/// The same for features that neither version has.
[[nodiscard]] inline std::optional<std::string> refuses_memory(
    const dram::ControllerConfig& config) {
  if (!config.timing.of("nCCDS_WTR")) return "the backend ramulator2 has DDR5 and no other memory";
  if (config.refresh == dram::RefreshKind::kSameBank) {
    return "the backend ramulator2 has no same-bank refresh";
  }
  if (config.refresh_management) return "the backend ramulator2 has no refresh management";
  if (config.keeps_hit_rows) return "the backend ramulator2 has the scheduler FRFCFS";
  return std::nullopt;
}

/// The ChannelMaker; `config` must not be one that is rejected. Exceptions of Ramulator, at a
/// configuration or in a run, are rethrown as core::LibraryError.
[[nodiscard]] std::unique_ptr<dram::ChannelModel> make_channel(const dram::ControllerConfig& config,
                                                               const dram::ChannelPlace& place);

}  // namespace neardata::native::ramulator
