// SPDX-License-Identifier: Apache-2.0
//
// What a run of a MoE machine came to, as one plain object; see moe_run.h.
#pragma once

#include <napi.h>

#include <cstddef>
#include <vector>

#include "system/moe_machine.h"

namespace neardata::native {

/// By wanted output and stream.
using MoeBytes = std::vector<std::vector<std::byte>>;

Napi::Object moe_result_to_js(Napi::Env env, const system::MoeResult& result,
                              const MoeBytes& outputs, const core::Clock& link_clock,
                              double wall_seconds);

}  // namespace neardata::native
