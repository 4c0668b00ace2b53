// SPDX-License-Identifier: Apache-2.0
//
// What a run of a MoE machine came to, as one plain object; see moe_run.h.
#pragma once

#include <napi.h>

#include "system/moe_machine.h"

namespace neardata::native {

Napi::Object moe_result_to_js(Napi::Env env, const system::MoeResult& result,
                              const core::Clock& link_clock, double wall_seconds);

}  // namespace neardata::native
