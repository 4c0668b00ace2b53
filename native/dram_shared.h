// SPDX-License-Identifier: Apache-2.0
//
// A sub-channel whose ranks change hands between the host and the private channels of NDP mode:
//
//   dramSharedRanks(config, steps) -> {commands, completions, totalCycles}
//
// `steps` has seven numbers each, in order of time: cycle, what, rank, bank group, bank, row,
// column. `what` is 0 and 1 for a read and a write of the host, 2 and 3 for those of the rank's NDP
// channel, 4 to give the rank to NDP, 5 to give it back to the host. An access that is refused is
// offered again until it is taken, and what follows waits. A command has nine numbers in the
// result: cycle, user (0 host, 1 NDP), command, rank, bank group, bank, row, column, step (-1 for
// none); a completion has two, step and cycle.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the function above to the module's exports.
void register_dram_shared(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
