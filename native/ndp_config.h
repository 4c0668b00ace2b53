// SPDX-License-Identifier: Apache-2.0
//
// Machine and run of an NDP session as JavaScript describes them; the TypeScript face of both is
// src/native/ndp-binding.ts.
#pragma once

#include <vector>

#include "entry.h"
#include "system/ndp_dimm.h"

namespace neardata::native {

std::expected<system::NdpDimmConfig, Refusal> read_ndp_config(Napi::Value value);

struct NdpRunRequest {
  std::vector<unit::Descriptor> jobs;
  system::NdpRunOptions options;
};

std::expected<NdpRunRequest, Refusal> read_ndp_run(Napi::Value value);

}  // namespace neardata::native
