// SPDX-License-Identifier: Apache-2.0
#include "dram/backend.h"
#include "ramulator/channel.h"

namespace neardata::dram {

std::optional<std::string> backend_refuses(const ControllerConfig& config) {
  return native::ramulator::refuses(config);
}

ChannelMaker backend_channels() { return native::ramulator::make_channel; }

}  // namespace neardata::dram
