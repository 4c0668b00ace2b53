// SPDX-License-Identifier: Apache-2.0
#include "memory_backend.h"

#include "dram/controller.h"

namespace neardata::native {

std::optional<std::string> backend_refuses(const dram::ControllerConfig& /*config*/) {
  return std::nullopt;
}

dram::ChannelMaker backend_channels() { return dram::make_controller; }

}  // namespace neardata::native
