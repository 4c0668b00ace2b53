// SPDX-License-Identifier: Apache-2.0
#include "memory_backend.h"

#include "ramulator/channel.h"
#include "ramulator/config.h"

namespace neardata::native {

std::optional<std::string> backend_refuses(const dram::ControllerConfig& config) {
  return ramulator::refuses(config);
}

dram::ChannelMaker backend_channels() { return ramulator::make_channel; }

}  // namespace neardata::native
