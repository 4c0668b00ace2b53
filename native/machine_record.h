// SPDX-License-Identifier: Apache-2.0
//
// What a machine says of itself, for JavaScript:
//   {clocks: [{name, hertz}],
//    parts: [{name, kind, room, clock, ports: [{name, direction, message, option, joined}]}],
//    edges: [{from: {part, port}, to: {part, port}, message, dataBytes, fromClock, toClock,
//             capacity, latency}]}
// `latency` is in edges of the receiver's clock; `room` and `option` are empty where there is none.
#pragma once

#include <napi.h>

#include "core/machine_record.h"

namespace neardata::native {

[[nodiscard]] Napi::Object machine_to_js(Napi::Env env, const core::MachineRecord& record);

}  // namespace neardata::native
