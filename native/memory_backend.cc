// SPDX-License-Identifier: Apache-2.0
#include "dram/backend.h"
#include "dram/controller/controller.h"

namespace neardata::dram {

std::optional<std::string> backend_refuses(const ControllerConfig& /*config*/) {
  return std::nullopt;
}

ChannelMaker backend_channels() { return make_controller; }

}  // namespace neardata::dram
