// SPDX-License-Identifier: Apache-2.0
//
// A MoE machine and its work as JavaScript describes them; the TypeScript face of both is
// src/native/moe-binding.ts.
#pragma once

#include <vector>

#include "entry.h"
#include "system/moe_machine.h"

namespace neardata::native {

/// Bytes that are in a stream of a DIMM before the run.
struct MoeContents {
  system::BurstPlace place;
  std::vector<std::byte> data;
};

/// A job whose outputs are wanted: `bursts` from `burst` on of every stream.
struct MoeOutput {
  system::MoeWork::Valued job;
  std::uint32_t burst = 0;
  std::uint32_t bursts = 0;
};

struct MoeRequest {
  system::MoeConfig config;
  system::MoeWork work;
  std::uint64_t seed = 0;  ///< of the bytes that move
  std::vector<MoeContents> contents;
  std::vector<MoeOutput> outputs;
};

std::expected<MoeRequest, Refusal> read_moe(Napi::Value value);

}  // namespace neardata::native
