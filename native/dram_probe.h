// SPDX-License-Identifier: Apache-2.0
//
// The timing rules of a channel by themselves, for tests:
//
//   dramReadyAt(config, past, next) -> the first cycle in which `next` may issue
//
// `past` has five numbers for each command that has issued, in order: cycle, command, rank, bank
// group, bank; `next` the last four of them. Commands are numbered as in sim/dram/types.h.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the function above to the module's exports.
void register_dram_probe(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
