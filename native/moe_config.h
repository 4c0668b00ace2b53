// SPDX-License-Identifier: Apache-2.0
//
// A MoE machine and its work as JavaScript describes them; the TypeScript face of both is
// src/native/moe-binding.ts.
#pragma once

#include "entry.h"
#include "system/moe_machine.h"

namespace neardata::native {

struct MoeRequest {
  system::MoeConfig config;
  system::MoeWork work;
  std::uint64_t seed = 0;  ///< of the bytes that move
};

std::expected<MoeRequest, Refusal> read_moe(Napi::Value value);

}  // namespace neardata::native
