// SPDX-License-Identifier: Apache-2.0
//
// Synthetic attention heads (src/workload/hta1.ts, which defines them) for JavaScript.
//
//   hta1(seed, length, width, part, from, to) -> Uint16Array     part: 0 queries, 1 keys, 2 values
//
// Rows of binary16 of tokens `from` to `to` (that one not included), bit for bit those of the
// definition.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the function above to the module's exports.
void register_hta1(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
