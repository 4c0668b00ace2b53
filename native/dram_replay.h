// SPDX-License-Identifier: Apache-2.0
//
// Replays of request traces for JavaScript: text in, text out, in pieces. A replay is an opaque
// handle and belongs to the environment that opened it.
//
//   dramReplayOpen(config) -> handle
//   dramReplayFeed(handle, bytes)       the next piece of the trace -> undefined | {line, message}
//   dramReplayFinish(handle)            the trace has ended         -> undefined | {line, message}
//   dramReplayBusy(handle)        -> whether some of what was fed is still to be done
//   dramReplayGoOn(handle)              does more of it             -> undefined | {line, message}
//   dramReplayCommands(handle)    -> Uint8Array, the text that has become final since the last call
//   dramReplayCompletions(handle) -> Uint8Array, the same
//   dramReplayLines(handle)       -> lines of the trace read so far
//   dramReplayReport(handle)      -> {totalCycles, channels: [...]}, see dram_report.h
//
// config = {organization, timing, semantics, queues, writeLowWatermark, writeHighWatermark,
// rowPolicy, closedRowCap, refresh, mapping, injection, acceptsPerCycle (0: no limit), commands,
// completions}; src/dram/config.ts has the fields. After a message nothing may follow.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the functions above to the module's exports.
void register_dram_replay(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
