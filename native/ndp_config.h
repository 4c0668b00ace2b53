// SPDX-License-Identifier: Apache-2.0
//
// Machine and run of an NDP session as JavaScript describes them; the TypeScript face of both is
// src/native/ndp-binding.ts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "entry.h"
#include "system/ndp_dimm.h"

namespace neardata::native {

std::expected<system::NdpDimmConfig, Refusal> read_ndp_config(Napi::Value value,
                                                              const char* name = "config");

struct NdpRunRequest {
  std::vector<unit::Descriptor> jobs;
  system::NdpRunOptions options;
};

std::expected<NdpRunRequest, Refusal> read_ndp_run(Napi::Value value);

/// Bursts that a stream's sub-channel has.
[[nodiscard]] std::uint64_t bursts_of(const system::NdpDimmConfig& config);

/// 20 words a descriptor.
[[nodiscard]] std::vector<unit::Descriptor> descriptors_of(std::span<const std::uint32_t> words);

/// Why the cycle model takes not all of the descriptors, if so.
[[nodiscard]] std::optional<std::string> refuses(const unit::NdpParameters& parameters,
                                                 const std::vector<unit::Descriptor>& jobs);

}  // namespace neardata::native
